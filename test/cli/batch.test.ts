import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { SkippedItem } from '../../src/archives/trials/reading-job.ts'
import { StorageError } from '../../src/db/errors.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { tempFolder } from '../temp-folder.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { type ShellOptions, trial, typed } from './test-shell.ts'

const folder = tempFolder()
let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})

const three = () => [trial('a'), trial('b'), trial('c')]
const run = (trials: NonNullable<ShellOptions['trials']>, ...words: string[]) =>
  typed({ trials }, 'batch', 'jobs', '--server', service.url, ...words)
const posts = () => service.requests.filter((one) => one.startsWith('POST /v1/batches?'))
const skipped = (name: string, reason: SkippedItem['reason'], detail = 'x'): SkippedItem => ({
  ...{ kind: 'skipped', name, source: name, reason, detail },
})
const endAll = () => {
  service.ending = () => ({ label: 'aligned' })
}

test('sends the trials in order with the options, follows, and prints a row an item and what they come to', async () => {
  endAll()
  const options = ['--judge', 'openai', '--samples', '3', '--max-cost-usd', '2.5', '--name', 'nightly']
  const { code, out, err } = await run(three, ...options)
  const sent = new URL(`http://x${posts()[0]?.slice(5)}`).searchParams
  const asked = { judge: 'openai', samples: '3', max_cost_usd: '2.5', name: 'nightly' }
  expect([code, Object.fromEntries(sent)]).toMatchObject([0, asked])
  expect(service.batches.get('bat_01')?.items.map((item) => item.item_id)).toEqual(['a', 'b', 'c'])
  expect(out).toMatch(
    /^item .*\na +graded +aligned +medium +0 +grd_0\nb .*\nc .*\n\n3 items · graded 3\nlabels {4}aligned 3\n/,
  )
  expect(err).toContain('done 3/3 (100%)')
  expect(service.requests.filter((one) => one.includes('/v1/grades'))).toEqual([])
})

describe('exit codes', () => {
  const skip = skipped('s', 'no_trajectory', 'no file')
  test.each([
    ['all graded', [{ label: 'ignored' }, { label: 'aligned' }], [], [], 0],
    ['one unverified', [{ label: 'ignored' }, { status: 'unverified' }], [], [], 2],
    ['one failed and one unverified', [{ failure: 'rate_limited' }, { status: 'unverified' }], [], [], 3],
    ['a skipped trial', [{ label: 'ignored' }, { label: 'aligned' }], [skip], [], 0],
    ['a skipped trial with --strict', [{ label: 'ignored' }, { label: 'aligned' }], [skip], ['--strict'], 3],
  ] as const)('%s', async (_name, endings, skips, words, code) => {
    service.ending = (_item, index) => endings[index] ?? null
    expect((await run(() => [trial('a'), ...skips, trial('b')], ...words)).code).toBe(code)
  })

  test('parked: says why, writes the results so far, and tells how to go on', async () => {
    const out = join(folder, 'parked.csv')
    const running = run(three, '--out', out, '-o', 'csv')
    const id = await service.watched()
    service.end(id, [{ label: 'aligned' }])
    service.park(id, 'quota_exhausted: the provider has no money left')
    const { code, err } = await running
    expect(code).toBe(4)
    expect(err).toContain('parked: quota_exhausted: the provider has no money left')
    expect(err).toContain(`veridict resume ${id} --server ${service.url}`)
    expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(2)
  })

  test('parked until a time: waits for it', async () => {
    const running = run(() => [trial('a')])
    const id = await service.watched()
    service.park(id, 'rate limited', '2026-11-21T10:00:00.000Z')
    service.end(id, [{ label: 'aligned' }])
    expect((await running).code).toBe(0)
  })
})

test('an archive is read no faster than the service takes it', async () => {
  endAll()
  const total = 400
  const text = 'x'.repeat(200_000)
  let read = 0
  async function* trials() {
    for (; read < total; read++) yield trial(`t${read}`, { text })
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  service.hold = promise
  const running = run(trials, '-o', 'ndjson')
  await vi.waitUntil(() => read > 0)
  const settled = async () => {
    const before = read
    await delay(150)
    return before === read
  }
  await vi.waitUntil(settled, { timeout: 10_000 })
  // What fits into the buffers of a socket, out of 80 MB.
  expect(read).toBeLessThan(total / 4)
  resolve()
  const { code, out } = await running
  expect([code, out.trimEnd().split('\n').length]).toEqual([0, total])
})

test('a reading that breaks tells its own reason, and leaves no batch', async () => {
  async function* trials() {
    yield trial('a')
    await Promise.resolve()
    throw new Error('jobs.tar.gz: the archive ends in the middle')
  }
  const { code, err } = await run(trials)
  expect([code, service.batches.size]).toEqual([1, 0])
  expect(err).toContain('jobs.tar.gz: the archive ends in the middle')
})

test('--dry-run says items, tokens and cost, and begins nothing', async () => {
  const { code, out } = await run(three, '--dry-run')
  expect([code, service.batches.size]).toEqual([0, 0])
  for (const said of [
    '3 items: 1 answered by stored grades, replies or equal items, 2 to ask a judge',
    'expected 60K, at most 1.5M',
    'expected $0.081, at most $1.50',
  ])
    expect(out).toContain(said)
})

test('a table shows the end of long names, where trials differ, and whole ids', async () => {
  endAll()
  const long = (end: string) => `jobs/2026-11-20__12-00-00/${'nested/'.repeat(5)}fix-git__${end}`
  const [head, first, second] = (await run(() => [trial(long('aXq3')), trial(long('bZk9'))])).out.split('\n')
  expect(first).toMatch(/^….{26}fix-git__aXq3 {2}graded {6}aligned {12}medium {9}0 {7}grd_0$/)
  expect(second).toContain('fix-git__bZk9  graded')
  expect(head?.indexOf('why')).toBe(40 + 10 + 17 + 13 + 6 + 30 + 6 * 2)
})

test('--out has its name only once it is whole', async () => {
  endAll()
  const file = join(folder, 'labels.csv')
  const trials = () => [trial('a', { task: '=HYPERLINK("http://x")' }), trial('-b'), trial('c,"d"')]
  const { code, out } = await run(trials, '-o', 'csv', '--out', file)
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(rows[0]).toBe(
    'item_id,index,status,label,grade_id,failure_code,failure_message,retryable,cached,base_grade_id,agent,model,task,trial,run_index,variant,confidence,confidence_source,contradictions,claimed_label,unmet,cost_usd,unread_records,unread_actions,outcome,judge,rubric,limit_code,limit_reason,limit_lift,claim.cue.acted',
  )
  expect(rows[1]).toBe(
    'a,0,graded,aligned,grd_0,,,,false,,,,"\'=HYPERLINK(""http://x"")",a,,,medium,reported,,,,,0,0,,lexical,,,,,',
  )
  expect([rows[2]?.startsWith("'-b,1,"), rows[3]?.startsWith('"c,""d""",2,')]).toEqual([true, true])
  expect([code, existsSync(`${file}.partial`), out]).toEqual([0, false, ''])
})

describe('refuses', () => {
  test.each([
    ['an address that is none', ['--server', 'nonsense'], 'is not the address of a service'],
    [
      'an output folder that is not there',
      ['--out', join(folder, 'no', 'x.csv')],
      'cannot be written: there is no such file or folder',
    ],
    ['a folder to write to', ['--out', folder], 'it is a folder'],
  ])('%s', async (_name, words, said) => {
    const { code, err } = await run(three, ...words)
    expect([code, err, posts()]).toEqual([1, expect.stringContaining(said), []])
  })

  test.each([
    ['a locked database', new StorageError('storage_busy', 'the database is locked by another process'), true],
    [
      'a newer database',
      new StorageError('storage_error', 'the database is newer than this version of Veridict'),
      false,
    ],
    ['a full disk', new StorageError('storage_full', 'the disk of the database is full'), false],
    ['the configuration', new Error('VERIDICT_PORT must be a port'), false],
  ])('to start in process where %s cannot be used, with advice that fits', async (_name, error, advised) => {
    const { code, err } = await typed({ openLocal: () => Promise.reject(error) }, 'batch', 'jobs')
    expect([code, err.includes('Where a service runs on this database')]).toEqual([1, advised])
    expect(err).toContain(`veridict: ${error.message}\n`)
  })

  test('a service that is not there, and says what to do', async () => {
    await service.close()
    const { code, err } = await run(three)
    expect(code).toBe(1)
    for (const said of [
      `no answer from ${service.url}: ECONNREFUSED`,
      'veridict serve',
      'The same command can be given again once it is up',
    ])
      expect(err).toContain(said)
  })

  test.each([
    ['a', 'a', { ground_truth: { instruction: '' } }, '  a /ground_truth'],
    ['mine', 'x.ndjson#line 8', { samples: 0 }, '  mine (x.ndjson#line 8) /samples  '],
  ])('a request that the service refuses, by its own name and place: %s', async (name, source, more, place) => {
    const { request, ...bad } = trial(name)
    const refused = { ...bad, source, request: { ...request, ...more } as never }
    const { code, err } = await run(() => [trial('good'), refused])
    expect([code, err]).toEqual([1, expect.stringContaining(`an item is not valid\n${place}`)])
  })
})

test('a batch is read again after a broken connection, and nothing is missed', async () => {
  const running = run(three)
  const id = await service.watched()
  service.breakOne()
  service.end(id, [{ label: 'aligned' }, { label: 'ignored' }])
  await service.watched()
  service.end(id, [{ failure: 'refused' }])
  expect(await running).toMatchObject({ code: 3, out: expect.stringContaining('3 items · graded 2 · failed 1') })
})

test('the same command again begins another batch of the trials as they are now', async () => {
  endAll()
  await run(three)
  expect((await run(() => [...three(), trial('d')])).code).toBe(0)
  expect(service.batches.size).toBe(2)
  expect(service.batches.get('bat_02')?.items.map((item) => item.item_id)).toEqual(['a', 'b', 'c', 'd'])
})

describe('what is skipped', () => {
  const hostile = '\u001b]0;owned\u0007x\u202ey'
  test('is named with its reason, harmless to the terminal, and counted', async () => {
    endAll()
    const lost = { ...skipped(hostile, 'unreadable', `bad ${hostile}`), source: 'jobs/x' }
    const { code, out, err } = await run(() => [lost, { ...trial('b'), warnings: ['steps out of order'] }])
    expect([code, err.includes('\u001b')]).toEqual([0, false])
    for (const said of [
      'skipped  ⟨U+001B⟩]0;owned⟨U+0007⟩x⟨U+202E⟩y (jobs/x)  unreadable: bad ⟨U+001B⟩',
      'warning  b  steps out of order',
      'bat_01: 1 trial, 1 skipped, 1 warning',
    ])
      expect(err).toContain(said)
    expect(out).toContain('\nskipped   1 trial, named on stderr with the reason\n')
  })

  test('files that are no trajectories are counted apart, and no matter of --strict', async () => {
    endAll()
    const { code, err } = await run(() => [skipped('jobs/a.md', 'unsupported'), trial('b')], '--strict')
    expect([code, err]).toEqual([0, expect.stringContaining('bat_01: 1 trial, 1 file that is no trajectory\n')])
    expect((await run(() => [skipped('jobs/a.md', 'no_trajectory'), trial('c')], '--strict')).code).toBe(3)
  })

  test('files that are left out for the same reason are told in one line', async () => {
    endAll()
    const many = Array.from({ length: 12 }, (_, at) =>
      skipped(`t${at}/expected.json`, 'unsupported', 'JSON of no format'),
    )
    const readme = skipped('README.md', 'unsupported', 'neither JSON nor JSON lines')
    const { code, err } = await run(() => [...many, trial('b'), readme])
    expect([code, err.match(/^skipped .*$/gm)]).toEqual([
      0,
      [
        expect.stringMatching(/^skipped {2}12 files: JSON of no format: t0.*, t9\/expected.json, and 2 more$/),
        'skipped  1 file: neither JSON nor JSON lines: README.md',
      ],
    ])
    expect(err).toContain('bat_01: 1 trial, 13 files that are no trajectories\n')
  })

  test('trials that are left out for one cause are told in one line, and many causes in a bounded number', async () => {
    endAll()
    const runs = Array.from({ length: 200 }, (_, at) => ({
      ...skipped(`r.json#${at}`, 'no_ground_truth', `no row is of trial ${at}`),
      source: 'r.json',
    }))
    const odd = Array.from({ length: 60 }, (_, at) => skipped(`o${at}.json`, 'unreadable', `broken at ${at}`))
    const { err } = await run(() => [...runs, trial('b'), ...odd])
    const told = err.match(/^skipped .*$/gm) ?? []
    expect(told[0]).toMatch(
      /^skipped {2}200 trials: no_ground_truth: no row is of its task or trial: r\.json#0, .*r\.json#9, and 190 more$/,
    )
    expect(told[1]).toBe('skipped  o0.json  unreadable: broken at 0')
    expect([told.length, told.at(-1)]).toEqual([
      21,
      expect.stringMatching(/^skipped {2}41 trials: for other reasons: o19.*, and 31 more$/),
    ])
    expect(err).toContain('bat_01: 1 trial, 260 skipped')
  })

  test('a command without a trial to grade begins no batch', async () => {
    const lost = await run(() => [skipped('a', 'no_ground_truth', 'no row')])
    expect(lost.code).toBe(1)
    expect(lost.err).toContain('no trial can be graded there: 1 skipped')
    const none = await run(() => [])
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('no trial can be graded there: 0 skipped')])
    expect(posts()).toEqual([])
  })

  test('a string of the ground truth that no run holds is named once, with the number of runs', async () => {
    endAll()
    const runs = ['a', 'b'].map((name) => {
      const { request, ...more } = trial(name)
      const cue = { text: 'make release', action_anchors: ['make relaese'] }
      const read = readTrajectory(request.trajectory, { max_steps: 9, max_part_chars: 99 })
      if (!read.ok) throw new Error(name)
      return { ...more, trajectory: read.value, request: { ...request, ground_truth: { instruction: 'x', cue } } }
    })
    const { err } = await run(() => runs)
    expect(err).toContain('warning  check the spelling: “make relaese” of the cue stands in none of 2 searched runs\n')
  })

  test('a wrong judge is refused before anything is read', async () => {
    const read = vi.fn(() => [trial('a')])
    const { code, err } = await run(read, '-j', 'nobody')
    expect([code, err.split('\n')[0], read.mock.calls]).toEqual([1, 'veridict: there is no such judge: nobody', []])
  })
})
