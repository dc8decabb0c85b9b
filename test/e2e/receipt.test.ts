import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { typed } from '../cli/test-shell.ts'
import { readLines } from '../http/make-batch.ts'
import { postJson } from '../local-server.ts'
import { makeScene, startService } from './scene.ts'
import { makeTrials } from './trials.ts'

const SHA = /^sha256:[0-9a-f]{64}$/
/** The fourth is asked again after an answer in no form; the sixth stays unverified; the eighth is refused by the provider. */
const ITEMS = 8
const REFUSED = 7

/** A service with one graded batch, and the commands on it. */
async function gradeBatch() {
  const { mock, folder, database, config } = await makeScene({
    latency_ms: () => 1,
    play: ({ run }) => (run === REFUSED ? { status: 400, error: { code: 'unsupported_value' } } : 'answer'),
  })
  const base_url = mock.base_url.replace('http://', 'http://user:hidden@')
  const service = await startService({
    database,
    config: { judges: { mock: { ...config.judges.mock, base_url, effort: 'low', max_output_tokens: 4000 } } },
    env: { OPENAI_API_KEY: 'sk-very-secret-key' },
  })
  const { origin } = service
  const run = (command: string, ...args: string[]) => typed({ env: { VERIDICT_SERVER: origin } }, command, ...args)
  const { id } = await service.post(makeTrials(ITEMS, 'mock'))
  const batch = await service.end(id)
  const results = await service.results(id)
  const gradeOf = (at: number): string => results[at]?.grade_id ?? ''
  return { run, folder, database, service, results, batch, gradeOf, host: new URL(mock.base_url).host }
}

test('a receipt says how it was made, as text and as JSON', async () => {
  const { run, service, batch, gradeOf, host } = await gradeBatch()
  const json = async (grade: string, ...more: string[]): Promise<Grade> =>
    (JSON.parse((await run('show', grade, '--json', ...more)).out) as { data: Grade }).data

  const { receipt } = await json(gradeOf(3), '--raw')
  expect(receipt).toMatchObject({
    provider: 'openai',
    settings: { api: 'responses', host, effort: 'low', temperature: null, max_output_tokens: 4000 },
    samples: 1,
    mode: 'direct',
    software: expect.stringMatching(/^veridict \d+\.\d+\.\d+/),
  })
  // What came and could not be read is not `ok`.
  expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(['schema_invalid', 'ok'])
  for (const attempt of receipt.attempts) {
    expect(attempt).toMatchObject({ max_output_tokens: 4000, raw_reply: expect.stringContaining('"output"') })
    expect([attempt.request_digest, attempt.reply_digest]).toEqual([
      expect.stringMatching(SHA),
      expect.stringMatching(SHA),
    ])
  }

  const text = await run('show', gradeOf(3), '--attempts', '--raw')
  for (const said of [
    `"host": "${host}",\n`,
    '"effort": "low",\n',
    'schema_invalid',
    'I would rather not say.',
    receipt.attempts[0]?.reply_digest ?? '',
  ])
    expect(text.out).toContain(said)
  expect(text.out).not.toContain('hidden')

  const refused = await run('show', gradeOf(REFUSED), '--attempts')
  expect(refused.code).toBe(3)
  expect(refused.out).toContain(`: ${host} answered 400 (unsupported_value`)

  // A recheck asks nobody: its replies are those of the grade that it checked.
  const recheck = { query: { batch: batch.id }, recheck: true }
  const { id } = (await (await postJson(`${service.origin}/v1/regrades`, recheck)).json()) as Batch
  await service.end(id)
  const again = (await service.results(id)).find((one) => one.base_grade_id === gradeOf(3))?.grade_id ?? ''
  const { mode, settings, attempts } = (await json(again, '--raw')).receipt
  const replies = (all: typeof attempts) => all.map((one) => [one.reply_digest, 'raw_reply' in one && one.raw_reply])
  expect([mode, settings, replies(attempts)]).toEqual(['stored', receipt.settings, replies(receipt.attempts)])
})

test('a bundle holds results, receipts and replies, from a database and from a service; nothing is overwritten', async () => {
  const { run, folder, database, service, results, batch } = await gradeBatch()
  const { id } = batch
  const out = join(folder, 'bundle')
  const write = (batchId: string, to: string) => run('results', batchId, '-o', 'bundle', '--out', to)
  const written = await write(id, out)
  expect([written.code, written.err]).toEqual([0, ''])
  expect(readdirSync(out).sort()).toEqual([
    ...['batch.json', 'findings.json', 'grades.ndjson', 'manifest.json', 'results.csv', 'results.ndjson', 'rubrics'],
  ])
  const read = (name: string): string => readFileSync(join(out, name), 'utf8')
  const lines = <T>(name: string): T[] => readLines<T>(read(name))

  const { files, ...head } = JSON.parse(read('manifest.json')) as {
    files: { name: string; sha256: string; bytes: number }[]
  }
  expect(head).toEqual({ kind: 'veridict-bundle', software: expect.stringMatching(/^veridict \d/), batch: id })
  expect(files.map(({ name }) => name)).toEqual([
    ...['batch.json', 'findings.json', 'grades.ndjson', 'results.csv', 'results.ndjson', 'rubrics/tab-behavior@2.json'],
  ])
  writeFileSync(join(folder, 'sums'), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''))
  execFileSync('sha256sum', ['-c', '--quiet', join(folder, 'sums')], { cwd: out })
  for (const { name, bytes } of files) expect(Buffer.byteLength(read(name))).toBe(bytes)

  expect(lines<BatchResult>('results.ndjson')).toEqual(results)
  expect(read('results.csv').trimEnd().split('\n')).toHaveLength(ITEMS + 1)
  const { calls } = JSON.parse(read('batch.json')) as Batch
  const grades = lines<Grade>('grades.ndjson')
  expect(grades.map((grade) => grade.id)).toEqual(results.map(({ grade_id }) => grade_id))
  for (const { receipt } of grades)
    expect([receipt.trajectory, receipt.ground_truth]).toEqual([expect.stringMatching(SHA), expect.stringMatching(SHA)])
  const attempts = grades.flatMap(({ receipt }) => receipt.attempts)
  expect(attempts).toHaveLength(calls.made)
  for (const attempt of attempts) expect((attempt as { raw_reply?: string }).raw_reply?.length).toBeGreaterThan(10)
  expect(JSON.parse(read('rubrics/tab-behavior@2.json'))).toMatchObject({
    digest: grades[0]?.receipt.rubric_digest,
    system: readFileSync('rubrics/tab-behavior@2/system.md', 'utf8'),
  })
  for (const { name } of files) expect(read(name)).not.toMatch(/sk-very-secret|hidden/)

  const again = await write(id, out)
  expect([again.code, again.out]).toEqual([1, ''])
  expect(again.err).toContain('is there already, and is not overwritten')
  const lost = await write(id, join(folder, 'no', 'such'))
  expect(lost.err).toContain('Give --out a new folder inside one that exists.')
  expect(await write('bat_00', join(folder, 'none'))).toMatchObject({ code: 1, out: '' })

  expect(await service.stop()).toBe(0)
  const local = join(folder, 'local')
  const env = { PATH: process.env['PATH'], VERIDICT_DATABASE: database }
  execFileSync(process.execPath, ['src/cli.ts', 'results', id, '-o', 'bundle', '--out', local], { env })
  for (const { name } of files) expect(readFileSync(join(local, name), 'utf8')).toBe(read(name))
  expect(readdirSync(folder).filter((name) => name.includes('partial') || name === 'none')).toEqual([])
})

test('a bundle names each grade and each call once, and keeps the calls that no grade came of', async () => {
  // The fourth run answers in no form at first, and is refused from then on.
  const { folder, start } = await makeScene({
    ...{ latency_ms: () => 1, concurrency: 1 },
    play: ({ round }) => (round > 0 ? { status: 401, error: { code: 'invalid_api_key' } } : 'answer'),
  })
  const service = await start()
  const bundle = async (id: string) => {
    const out = join(folder, id)
    const env = { VERIDICT_SERVER: service.origin }
    expect(await typed({ env }, 'results', id, '-o', 'bundle', '--out', out)).toMatchObject({ code: 0, err: '' })
    return <T>(name: string): T[] => readLines<T>(readFileSync(join(out, name), 'utf8'))
  }
  const [first, second, , fourth] = makeTrials(4, 'mock') as object[]
  const { id } = await service.post([first, second, { ...first, item_id: 'twin' }] as object[])
  await service.end(id)
  const whole = await bundle(id)
  expect(whole('results.ndjson')).toHaveLength(3)
  expect(whole('grades.ndjson')).toHaveLength(2)

  const { id: refused } = await service.post([fourth] as object[])
  expect((await service.end(refused)).status).toBe('parked')
  await service.tell(refused, 'cancel')
  const { calls } = await service.end(refused)
  const replies = (await bundle(refused))<{ outcome: string; raw_reply: string }>('other-calls.ndjson')
  expect(replies).toHaveLength(calls.made)
  expect(replies.map(({ outcome }) => outcome)).toEqual(['ok', 'authentication'])
  expect(replies[0]?.raw_reply).toContain('I would rather not say.')
  await service.kill()
})

test('of a batch that has not ended there is no bundle', async () => {
  const { folder, start } = await makeScene({ latency_ms: () => 1, play: () => 'hang', concurrency: 1 })
  const service = await start()
  const { origin } = service
  const { id } = await service.post(makeTrials(1, 'mock'))
  const env = { VERIDICT_SERVER: origin }
  const { code, err } = await typed({ env }, 'results', id, '-o', 'bundle', '--out', join(folder, 'bundle'))
  expect(code).toBe(1)
  expect(err).toContain(`${id} has not ended (running)`)
  expect(err).toContain(`Follow it to its end: veridict status ${id} --server ${origin} --follow`)
  expect(existsSync(join(folder, 'bundle'))).toBe(false)
  await service.kill()
})
