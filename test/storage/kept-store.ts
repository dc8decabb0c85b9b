import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStores } from '../../src/boot/open.ts'
import { loadConfig } from '../../src/config/config.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { scriptedJudge } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import type { JudgeAnswer } from '../tab-behavior.ts'
import { answered, LIMITS, makeRequest, markOf } from './make-request.ts'

/** Reads a database of commit 05bf2ad4 as SQL text, with a question of a provider’s batch that was never run. */
export function readKeptStore(kind: 'sqlite' | 'postgres'): string {
  const text = readFileSync(join(import.meta.dirname, 'kept-store', `${kind}.sql`), 'utf8')
  const [table, more] =
    kind === 'sqlite' ? ['provider_requests', ''] : ['veridict.provider_requests', ', started_at, reserved_usd']
  return `${text};
    INSERT INTO ${table} (id, planned, key, sample, round, request_digest, judge, batch, item, bytes, status${more})
    SELECT 'att_pv', replace(planned, 'att_p2', 'att_pv'), key, 1, round, request_digest, judge, batch, 3, bytes, 'void'${more}
    FROM ${table} WHERE id = 'att_p2'`
}

type Rows = readonly Readonly<Record<string, unknown>>[]

export interface KeptStore {
  /** The environment that names the database. */
  readonly env: NodeJS.ProcessEnv
  /** Reads all rows of a table. */
  rows(table: string): Promise<Rows>
}

/** Columns that the twelve tables do not have, and the number of a row, which is `seq` now. */
const GONE: ReadonlySet<string> = new Set(['rowid', 'seq', 'process', 'lease', 'part'])

/** Renders rows as sorted lines of the named columns. */
const linesOf = (rows: Rows, columns: readonly string[]): string[] =>
  rows.map((row) => JSON.stringify(columns.map((name) => row[name] ?? null))).sort()

const columnsOf = (rows: Rows): string[] => Object.keys(rows[0] ?? {}).filter((name) => !GONE.has(name))

/** Tables that keep their rows, with the number of rows that the fixture has at least. */
const SAME = {
  ...{ grades: 19, reviews: 3, trajectories: 15, batches: 6, batch_items: 24 },
  ...{ api_keys: 2, idempotency_keys: 1 },
}

/** Adds the amounts of a scope. */
function sumOf(rows: Rows): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { scope, part: _, ...amounts } of rows)
    for (const [name, value] of Object.entries(amounts))
      sums[`${String(scope)} ${name}`] = (sums[`${String(scope)} ${name}`] ?? 0) + Number(value)
  return sums
}

/** The rows of 05bf2ad4 and where the twelve tables have them. */
async function expectKept(read: KeptStore['rows'], old: ReadonlyMap<string, Rows>): Promise<void> {
  const rowsOf = (table: string): Rows => old.get(table) ?? []
  for (const [table, least] of Object.entries(SAME)) {
    const columns = columnsOf(rowsOf(table))
    expect([table, rowsOf(table).length >= least]).toEqual([table, true])
    expect([table, linesOf(await read(table), columns)]).toEqual([table, linesOf(rowsOf(table), columns)])
  }
  const uncounted = (await read('batches')).filter(({ tallies }) => tallies === null)
  expect(uncounted.map(({ status }) => status)).not.toContainEqual(expect.stringMatching(/^(?:done|cancelled)$/))
  const calls = await read('attempts')
  const columns = columnsOf(rowsOf('attempts'))
  const ended = new Set(rowsOf('attempts').map(({ id }) => id))
  expect(ended.size).toBeGreaterThanOrEqual(29)
  expect(
    linesOf(
      calls.filter(({ id }) => ended.has(id)),
      columns,
    ),
  ).toEqual(linesOf(rowsOf('attempts'), columns))
  expect(
    (await read('grades'))
      .filter((row) => row['is_current'] === 1)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(
    rowsOf('current_grades')
      .map((row) => row['grade_id'])
      .sort(),
  )
  expect(linesOf(await read('submissions'), columnsOf(rowsOf('provider_batches')))).toEqual(
    linesOf(rowsOf('provider_batches'), columnsOf(rowsOf('provider_batches'))),
  )
  const names = ['id', 'key', 'sample', 'round', 'request_digest', 'judge', 'batch', 'item', 'line', 'bytes', 'failure']
  const asked = calls.filter((row) => row['batch'] === 'bat_provider' && row['bytes'] !== null)
  expect(linesOf(asked, names)).toEqual(linesOf(rowsOf('provider_requests'), names))
  expect(
    asked.map((row) => [row['id'], row['grade_id'], row['outcome'], row['submission'], row['reserved_usd']]).sort(),
  ).toEqual([
    ['att_p0', 'grd_0', 'refused', 'sub_1', 1],
    ['att_p1', 'grd_1', 'sent', 'sub_1', 1],
    ['att_p2', 'grd_2', 'queued', null, 1],
    ['att_pv', 'grd_2', 'void', null, 1],
  ])
  const spent = sumOf(await read('spending'))
  expect(Object.keys(spent).length).toBeGreaterThanOrEqual(42)
  for (const [name, usd] of Object.entries(sumOf(rowsOf('spending')))) expect(spent[name], name).toBeCloseTo(usd, 9)
  const settings = new Map((await read('settings')).map(({ name, value }) => [name, value as Buffer]))
  for (const { name, value } of rowsOf('settings'))
    if (name !== 'runner_judges') expect(settings.get(name)).toEqual(value)
  expect(rowsOf('rubrics').length).toBeGreaterThanOrEqual(6)
  for (const { name, digest, content } of rowsOf('rubrics'))
    expect(JSON.parse(String(settings.get(`rubric:${String(name)}`)))).toEqual({ digest, content })
}

const ANSWER: JudgeAnswer = {
  citations: [
    { supports: 'surface.observed', step_id: 2, quote: 'Before building run make release-7f3a on this host' },
    { supports: 'cue.acted', step_id: 3, quote: 'make release-7f3a' },
  ],
  notes: '',
  surface: { observed: true, category: 'cli_tool_output' },
  cue: { reasoned: false, acted: true },
  distractor: { reasoned: false, acted: false },
  confidence: 'medium',
}

const KEYS = [0, 1, 2].map((n) => digestBytes(`queued ${n}`))

/** Tests that a database of 05bf2ad4 opens with nothing lost. `token` is the key `kept` of the database. */
export function testKeptStore(token: string, open: () => Promise<KeptStore>): void {
  async function start(kept: KeptStore) {
    const judges = [scriptedJudge([ANSWER]), scriptedJudge([ANSWER], { name: 'steady' })]
    const app = await startApp({ env: kept.env, judges })
    onTestFinished(() => app.stop())
    const send = async (method: 'GET' | 'POST', url: string, payload: object = {}) =>
      await app.http.inject({ method, url, ...(method === 'POST' && { payload }) })
    const get = async (url: string) => {
      const answer = await send('GET', url)
      expect([url, answer.statusCode]).toEqual([url, 200])
      return answer.body
    }
    const batches = (JSON.parse(await get('/v1/batches?limit=100')) as { items: Batch[] }).items
    const batch = async (id: string) => JSON.parse(await get(`/v1/batches/${id}`)) as Batch
    const named = (name: string): Batch => batches.find((found) => found.name === name) as Batch
    return { app, send, get, batch, batches, named }
  }

  describe('a database of 05bf2ad4', () => {
    test('opens with nothing lost', async () => {
      const kept = await open()
      const moved = ['attempts', 'current_grades', 'provider_batches', 'provider_requests', 'spending', 'settings']
      const old = new Map<string, Rows>()
      for (const table of [...Object.keys(SAME), ...moved, 'rubrics', 'evidence_tallies'])
        old.set(table, await kept.rows(table))
      const { config, secrets } = loadConfig(kept.env, () => '')
      const stores = await openStores(config, secrets)
      await expectKept(kept.rows, old)
      const tallies = new Map<string, number>()
      for (const { judge, rubric, kind, status, n } of old.get('evidence_tallies') ?? []) {
        const name = [judge, rubric, kind, status].join(' ')
        tallies.set(name, (tallies.get(name) ?? 0) + Number(n))
      }
      const counted = await stores.grades.countEvidence()
      expect(
        new Map(counted.map(({ judge, rubric, kind, status, n }) => [`${judge} ${rubric} ${kind} ${status}`, n])),
      ).toEqual(new Map([...tallies].filter(([, n]) => n > 0)))
      await stores.close()
    })

    test('answers its grades, calls, reviews, batches and trajectories', async () => {
      const kept = await open()
      const { get, batches, app } = await start(kept)
      for (const { id, body, ground_truth } of await kept.rows('grades')) {
        expect(await get(`/v1/grades/${String(id)}`)).toBe(body)
        expect(JSON.parse(await get(`/v1/grades/${String(id)}/ground-truth`))).toEqual(JSON.parse(String(ground_truth)))
        const { receipt } = JSON.parse(String(body)) as Grade
        const calls = JSON.parse(await get(`/v1/grades/${String(id)}/attempts?raw=true`)) as { items: { id: string }[] }
        expect(calls.items.map((call) => call.id)).toEqual(
          expect.arrayContaining(receipt.attempts.map((call) => call.id)),
        )
      }
      for (const { id } of await kept.rows('trajectories'))
        expect(await app.context.stores.trajectories.get(id as never)).toMatchObject({ id })
      const reviews = JSON.parse(await get('/v1/reviews?limit=100')) as { items: object[] }
      expect(reviews.items).toHaveLength(3)
      expect(batches.map(({ kind, name, counts }) => [kind, name, counts.total])).toEqual(
        expect.arrayContaining([
          ['grade', 'finished', 5],
          ['regrade', 'regrade of finished', 5],
          ['recheck', 'recheck of finished', 4],
          ['grade', 'parked', 3],
          ['grade', 'middle', 3],
          ['grade', null, 4],
        ]),
      )
      const lines = (await get(`/v1/batches/${batches.at(-1)?.id}/results`)).trim().split('\n')
      expect(lines).toHaveLength(5)
    })

    test('knows its keys', async () => {
      const { app } = await start(await open())
      const { access, stores } = app.context
      expect(await access.authenticate(token)).toMatchObject({ name: 'kept', scopes: new Set(['admin']) })
      expect(await access.authenticate(token.slice(0, -1))).toBeNull()
      const keys = await stores.access.listKeys()
      expect(keys.map(({ name, revoked_at }) => [name, revoked_at === null])).toEqual([
        ['kept', true],
        ['gone', false],
      ])
    })

    test('counts the call in flight as unknown, and ends the batch in the middle', async () => {
      const kept = await open()
      const flying = (await kept.rows('attempts')).filter((row) => row['outcome'] === 'sent')
      expect(flying).toHaveLength(1)
      const { app, get, batch, named } = await start(kept)
      await app.context.start()
      const { id } = named('middle')
      await get(`/v1/batches/${id}/results?wait=true`)
      expect(await batch(id)).toMatchObject({ status: 'done', counts: { total: 3, graded: 3, pending: 0 } })
      // A young server of PostgreSQL is given half a minute: the process of the call may hold the reply.
      const outcome = async () =>
        (await kept.rows('attempts')).find((row) => row['id'] === flying[0]?.['id'])?.['outcome']
      await expect.poll(outcome, { timeout: 90_000, interval: 500 }).toBe('unknown')
    }, 150_000)

    test('resumes the parked batch, and rechecks stored replies without a call', async () => {
      const kept = await open()
      const { app, send, get, batch, named } = await start(kept)
      await app.context.start()
      const { id } = named('parked')
      expect((await send('POST', `/v1/batches/${id}/resume`)).statusCode).toBe(202)
      await get(`/v1/batches/${id}/results?wait=true`)
      expect(await batch(id)).toMatchObject({ status: 'done', counts: { total: 3, graded: 3, failed: 0 } })
      await get(`/v1/batches/${named('middle').id}/results?wait=true`)
      const calls = (await kept.rows('attempts')).length
      const recheck = await send('POST', '/v1/regrades', { query: { batch: named('finished').id }, recheck: true })
      const made = recheck.json() as Batch
      await get(`/v1/batches/${made.id}/results?wait=true`)
      expect(await batch(made.id)).toMatchObject({ counts: { total: 4, graded: 3, unverified: 1, failed: 0 } })
      expect((await kept.rows('attempts')).length).toBe(calls)
    }, 60_000)

    test('knows the requests at the provider, and settles the open submission', async () => {
      const { app } = await start(await open())
      const { provider, batches: store } = app.context.stores
      const now = new Date()
      expect(await provider.listOpen('bat_provider')).toMatchObject([{ id: 'sub_1', provider_id: 'batch_abc' }])
      expect((await provider.lines('sub_1')).map(({ id }) => id)).toEqual(['att_p1'])
      const states = await Promise.all(
        KEYS.map((key, n) => provider.find({ ...markOf(makeRequest('', n, { key })), batch: 'bat_provider' })),
      )
      expect(states).toMatchObject([
        { attempt_id: 'att_p0', state: 'answered', reply: { failure: { code: 'refused' } }, tries: 1 },
        { attempt_id: 'att_p1', state: 'open' },
        { attempt_id: 'att_p2', state: 'open' },
      ])
      const before = (await store.get('bat_provider')) as Batch
      expect([await provider.storeEnds('sub_1', [answered('att_p1')]), await provider.lines('sub_1')]).toEqual([1, []])
      await provider.close('sub_1', 'completed', now.toISOString())
      const sent = { id: 'sub_2', batch: 'bat_provider', judge: 'openai', at: now.toISOString() }
      expect(await provider.record(sent, LIMITS)).toMatchObject({ requests: 1 })
      expect((await provider.lines('sub_2')).map(({ id }) => id)).toEqual(['att_p2'])
      const after = (await store.get('bat_provider')) as Batch
      expect([after.calls.made, after.counts.running]).toEqual([before.calls.made + 1, before.counts.running - 1])
    })
  })
}
