import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { storeOf } from '../../src/boot/open-store.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { scriptedJudge } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import type { JudgeAnswer } from '../tab-behavior.ts'

/** A database of commit 05bf2ad4, as SQL text. */
export const readKeptStore = (kind: 'sqlite' | 'postgres'): string =>
  readFileSync(join(import.meta.dirname, 'kept-store', `${kind}.sql`), 'utf8')

export interface KeptStore {
  /** The environment that names the database. */
  readonly env: NodeJS.ProcessEnv
  /** Reads all rows of a table. */
  rows(table: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Renders the rows of a table as sorted lines. */
const linesOf = async (kept: KeptStore, table: string): Promise<string[]> =>
  (await kept.rows(table)).map((row) => JSON.stringify(row)).sort()

/** The tables whose rows must not be lost, with the number of rows that the fixture has at least. */
const TABLES = {
  ...{ grades: 19, attempts: 29, reviews: 3, trajectories: 15, current_grades: 13, evidence_tallies: 9, rubrics: 6 },
  ...{ batches: 6, batch_items: 24, provider_batches: 1, provider_requests: 3 },
  ...{ api_keys: 2, idempotency_keys: 1, settings: 1, spending: 7 },
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
    test('opens with every row as it was', async () => {
      const kept = await open()
      const read = async () =>
        Object.fromEntries(
          await Promise.all(Object.keys(TABLES).map(async (name) => [name, await linesOf(kept, name)])),
        )
      const before = await read()
      for (const [name, least] of Object.entries(TABLES))
        expect([name, (before[name]?.length ?? 0) >= least]).toEqual([name, true])
      const { config, secrets } = loadConfig(kept.env, () => '')
      await (await storeOf(config, secrets).open()).close()
      expect(await read()).toEqual(before)
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
      const after = await kept.rows('attempts')
      expect(after.find((row) => row['id'] === flying[0]?.['id'])).toMatchObject({ outcome: 'unknown' })
    }, 60_000)

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

    test('knows the requests at the provider and in its queue', async () => {
      const kept = await open()
      const { app } = await start(kept)
      const { provider } = app.context.stores
      expect(await provider.listOpen('bat_provider')).toMatchObject([{ id: 'sub_1', provider_id: 'batch_abc' }])
      expect((await provider.lines('sub_1')).map(({ id }) => id)).toEqual(['att_p1'])
      const statuses = (await kept.rows('provider_requests')).map(({ id, status }) => [id, status])
      expect(statuses.sort()).toEqual([
        ['att_p0', 'answered'],
        ['att_p1', 'sent'],
        ['att_p2', 'queued'],
      ])
    })
  })
}
