import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { tempFolder } from '../temp-folder.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { type TestShell, testShell, trial } from './test-shell.ts'

const folder = tempFolder()

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})

const three = () => [trial('a'), trial('b'), trial('c')]
const run = async (shell: TestShell, ...args: string[]) => {
  await batchCommand(shell).parseAsync(['jobs', '--server', service.url, ...args], { from: 'user' })
  return shell.code()
}
const posts = () => service.requests.filter((one) => one.startsWith('POST /v1/batches?'))

test('sends the trials in order with the options, follows, and prints a row an item and what they come to', async () => {
  service.ending = () => ({ label: 'aligned' })
  const shell = testShell({ trials: three })
  expect(await run(shell, '--judge', 'openai', '--samples', '3', '--max-cost-usd', '2.5', '--name', 'nightly')).toBe(0)
  const sent = new URL(`http://x${posts()[0]?.slice(5)}`).searchParams
  expect(Object.fromEntries(sent)).toMatchObject({
    judge: 'openai',
    samples: '3',
    max_cost_usd: '2.5',
    name: 'nightly',
  })
  expect(service.batches.get('bat_01')?.items.map((item) => item.item_id)).toEqual(['a', 'b', 'c'])
  expect(shell.output()).toMatch(
    /^item .*\na +graded +aligned +medium +0 +grd_0\nb .*\nc .*\n\n3 items · graded 3\nlabels {4}aligned 3\n/,
  )
  expect(shell.errors()).toContain('done 3/3 (100%)')
  expect(service.requests.filter((one) => one.includes('/v1/grades'))).toEqual([])
})

describe('exit codes', () => {
  test.each([
    ['all graded', [{ label: 'ignored' }, { label: 'aligned' }], [], 0],
    ['one unverified', [{ label: 'ignored' }, { status: 'unverified' }], [], 2],
    ['one failed and one unverified', [{ failure: 'rate_limited' }, { status: 'unverified' }], [], 3],
    ['a skipped trial', [{ label: 'ignored' }, { label: 'aligned' }], [], 0],
    ['a skipped trial with --strict', [{ label: 'ignored' }, { label: 'aligned' }], ['--strict'], 3],
  ] as const)('%s', async (name, endings, args, code) => {
    service.ending = (_item, index) => endings[index] ?? null
    const skipped = {
      kind: 'skipped',
      name: 's',
      source: 'jobs/s',
      reason: 'no_trajectory',
      detail: 'no file',
    } as const
    const skips = name.includes('skipped') ? [skipped] : []
    expect(await run(testShell({ trials: () => [trial('a'), ...skips, trial('b')] }), ...args)).toBe(code)
  })

  test('parked: says why, keeps the results unwritten, and tells how to go on', async () => {
    const shell = testShell({ trials: three })
    const out = join(folder, 'parked.csv')
    const running = run(shell, '--out', out, '-o', 'csv')
    const id = await service.watched()
    service.end(id, [{ label: 'aligned' }])
    service.park(id, 'quota_exhausted: the provider has no money left')
    expect(await running).toBe(4)
    expect(shell.errors()).toContain('parked: quota_exhausted: the provider has no money left')
    expect(shell.errors()).toContain(`veridict resume ${id} --server ${service.url}`)
    expect([existsSync(out), existsSync(`${out}.partial`)]).toEqual([false, false])
  })

  test('parked until a time: waits for it', async () => {
    const shell = testShell({ trials: () => [trial('a')] })
    const running = run(shell)
    const id = await service.watched()
    service.park(id, 'rate limited', '2026-11-21T10:00:00.000Z')
    service.end(id, [{ label: 'aligned' }])
    expect(await running).toBe(0)
  })
})

test('an archive is read no faster than the service takes it', async () => {
  service.ending = () => ({ label: 'aligned' })
  const total = 400
  const text = 'x'.repeat(200_000)
  let read = 0
  const shell = testShell({
    async *trials() {
      for (; read < total; read++) yield trial(`t${read}`, { text })
    },
  })
  let release = () => {}
  service.hold = new Promise((resolve) => {
    release = resolve
  })
  const running = run(shell, '-o', 'ndjson')
  await vi.waitUntil(() => read > 0)
  const settled = async () => {
    const before = read
    await delay(150)
    return before === read
  }
  await vi.waitUntil(settled, { timeout: 10_000 })
  // What fits into the buffers of a socket, out of 80 MB.
  expect(read).toBeLessThan(total / 4)
  release()
  expect(await running).toBe(0)
  expect(shell.output().trimEnd().split('\n')).toHaveLength(total)
})

test('a reading that breaks tells its own reason, and leaves no batch', async () => {
  const shell = testShell({
    async *trials() {
      yield trial('a')
      await Promise.resolve()
      throw new Error('jobs.tar.gz: the archive ends in the middle')
    },
  })
  expect(await run(shell)).toBe(1)
  expect(shell.errors()).toContain('jobs.tar.gz: the archive ends in the middle')
  expect(service.batches.size).toBe(0)
})

test('--dry-run says items, tokens and cost, and begins nothing', async () => {
  const shell = testShell({ trials: three })
  expect(await run(shell, '--dry-run')).toBe(0)
  expect(service.batches.size).toBe(0)
  for (const said of [
    '3 items: 1 answered by stored grades, replies or equal items, 2 to ask a judge',
    'expected 60k, at most 1.5M',
    'expected $0.081, at most $1.50',
  ])
    expect(shell.output()).toContain(said)
})

test('a table shows the end of long names, where trials differ, and whole ids', async () => {
  service.ending = () => ({ label: 'aligned' })
  const long = (end: string) => `jobs/2026-11-20__12-00-00/${'nested/'.repeat(5)}fix-git__${end}`
  const shell = testShell({ trials: () => [trial(long('aXq3')), trial(long('bZk9'))] })
  await run(shell)
  const [head, first, second] = shell.output().split('\n')
  expect(first).toMatch(/^….{26}fix-git__aXq3 {2}graded {6}aligned {12}medium {9}0 {7}grd_0$/)
  expect(second).toContain('fix-git__bZk9  graded')
  expect(head?.indexOf('why')).toBe(40 + 10 + 17 + 13 + 6 + 30 + 6 * 2)
})

test('--out has its name only once it is whole', async () => {
  service.ending = () => ({ label: 'aligned' })
  const out = join(folder, 'labels.csv')
  const shell = testShell({
    trials: () => [trial('a', { task: '=HYPERLINK("http://x")' }), trial('-b'), trial('c,"d"')],
  })
  expect(await run(shell, '-o', 'csv', '--out', out)).toBe(0)
  const rows = readFileSync(out, 'utf8').trimEnd().split('\n')
  expect(rows[0]).toBe(
    'item_id,index,status,label,grade_id,failure_code,failure_message,retryable,cached,base_grade_id,agent,model,task,trial,run_index,variant,confidence,confidence_source,contradictions,claimed_label,unmet,cost_usd,unread_records,unread_actions,outcome,judge,rubric,limit_code,limit_reason,limit_lift,claim.cue.acted',
  )
  expect(rows[1]).toBe(
    'a,0,graded,aligned,grd_0,,,,false,,,,"\'=HYPERLINK(""http://x"")",,,,medium,reported,,,,,0,0,,lexical,,,,,',
  )
  expect(rows[2]?.startsWith("'-b,1,")).toBe(true)
  expect(rows[3]?.startsWith('"c,""d""",2,')).toBe(true)
  expect([existsSync(`${out}.partial`), shell.output()]).toEqual([false, ''])
})

const storageError = (code: string, message: string) =>
  Object.assign(new Error(message), { name: 'StorageError', code })

describe('refuses', () => {
  test.each([
    ['an address that is none', ['--server', 'nonsense'], 'is not the address of a service'],
    [
      'an output folder that is not there',
      ['--out', join(folder, 'no', 'x.csv')],
      'cannot be written: there is no such file or folder',
    ],
    ['a folder to write to', ['--out', folder], 'it is a folder'],
  ])('%s', async (_name, args, said) => {
    const shell = testShell({ trials: three })
    expect(await run(shell, ...args)).toBe(1)
    expect(shell.errors()).toContain(said)
    expect(posts()).toEqual([])
  })

  test.each([
    ['a locked database', storageError('storage_busy', 'the database is locked by another process'), true],
    ['a newer database', storageError('storage_error', 'the database is newer than this version of Veridict'), false],
    ['a full disk', storageError('storage_full', 'the disk of the database is full'), false],
    ['the configuration', new Error('VERIDICT_PORT must be a port'), false],
  ])('to start in process where %s cannot be used, with advice that fits', async (_name, error, advised) => {
    const shell = testShell({ openLocal: () => Promise.reject(error) })
    await batchCommand(shell).parseAsync(['jobs'], { from: 'user' })
    expect(shell.code()).toBe(1)
    expect(shell.errors()).toContain(`cannot start in this process: ${error.message}\n`)
    expect(shell.errors().includes('If a service runs on this database')).toBe(advised)
  })

  test('a service that is not there, and says what to do', async () => {
    const { url } = service
    await service.close()
    const shell = testShell({ trials: three })
    expect(await run(shell, '--server', url)).toBe(1)
    expect(shell.errors()).toContain(`no answer from ${url}: ECONNREFUSED`)
    expect(shell.errors()).toContain('veridict serve')
    expect(shell.errors()).toContain('The same command can be given again once it is up')
  })

  test('what the service refuses, with its place', async () => {
    const bad = trial('a') as Extract<ReturnType<typeof trial>, { kind: 'trial' }>
    const request = { ...bad.request, ground_truth: { instruction: '' } } as never
    const shell = testShell({ trials: () => [{ ...bad, request }] })
    expect(await run(shell)).toBe(1)
    expect(shell.errors()).toMatch(/an item is not valid \(invalid_request, HTTP 400\)\n {2}a \/ground_truth/)
  })
})

test('a batch is read again after a broken connection, and nothing is missed', async () => {
  const shell = testShell({ trials: three })
  const running = run(shell)
  const id = await service.watched()
  service.breakOne()
  service.end(id, [{ label: 'aligned' }, { label: 'ignored' }])
  await service.watched()
  service.end(id, [{ failure: 'refused' }])
  expect(await running).toBe(3)
  expect(shell.output()).toContain('3 items · graded 2 · failed 1')
})

test('the same command again begins another batch of the trials as they are now', async () => {
  service.ending = () => ({ label: 'aligned' })
  await run(testShell({ trials: three }))
  expect(await run(testShell({ trials: () => [...three(), trial('d')] }))).toBe(0)
  expect(service.batches.size).toBe(2)
  expect(service.batches.get('bat_02')?.items.map((item) => item.item_id)).toEqual(['a', 'b', 'c', 'd'])
})
