import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Judge } from '../../src/judges/judge.ts'
import type { Agreement, Comparison } from '../../src/schemas/agreement.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { Report } from '../../src/schemas/report.ts'
import { GOOD_ANSWER, IGNORED, type Script } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { describePostgres, newDatabase } from '../storage/postgres-tools.ts'
import { answeringJudge, finish, makeItems, startBatch } from './make-batch.ts'

const JUDGES = ['scripted', 'other'] as const
const TRIALS = 6

/** Deed of a property test, in any order. `of`: index of the earlier batch, modulo the count of batches. */
type Deed =
  | {
      readonly do: 'grade'
      readonly first: number
      readonly judge: (typeof JUDGES)[number]
      readonly cache: 'use' | 'refresh' | 'only'
      readonly max_cost_usd: number | null
      /** Count of calls after which the test cancels the batch; null: never. */
      readonly cancel: number | null
    }
  | { readonly do: 'regrade'; readonly of: number; readonly judge: (typeof JUDGES)[number] | null }
  | { readonly do: 'recheck'; readonly of: number }

const judge = fc.constantFrom(...JUDGES)
const of = fc.nat(10)
const deeds = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('grade' as const),
      first: fc.nat(TRIALS - 1),
      judge,
      cache: fc.constantFrom('use', 'refresh', 'refresh', 'only'),
      // A call costs $0.004 or a little more; the cap admits no call, some calls, or all calls.
      max_cost_usd: fc.constantFrom(null, null, 0.0005, 0.02),
      cancel: fc.constantFrom(null, null, 0, 2),
    }),
    fc.record({ do: fc.constant('regrade' as const), of, judge: fc.option(judge) }),
    fc.record({ do: fc.constant('recheck' as const), of }),
  ),
  { minLength: 3, maxLength: 7 },
) as fc.Arbitrary<Deed[]>

const UNPROVED = { ...GOOD_ANSWER, citations: [] } as typeof GOOD_ANSWER
const SCRIPTS: readonly Script[] = [GOOD_ANSWER, IGNORED, { fail: 'refused' }, 'no answer at all']

/** Makes two judges that vary their answer with every call, and a gate that blocks their calls. */
function makeJudges(): { readonly judges: Judge[]; readonly gate: Gate } {
  const gate = new Gate()
  const judges = JUDGES.map((name, at) =>
    answeringJudge(async (run, call) => {
      await gate.pass()
      // The answer of run 2 has no citations, so that its check always fails.
      if (run === 2) return UNPROVED
      return SCRIPTS[(run * 7 + call * 3 + at) % SCRIPTS.length] ?? GOOD_ANSWER
    }, name),
  )
  return { judges, gate }
}

/** Gate that passes a count of calls and blocks the next calls until it opens. */
class Gate {
  private left = Number.POSITIVE_INFINITY
  private reached = Promise.withResolvers<void>()
  private opened = Promise.withResolvers<void>()

  async pass(): Promise<void> {
    if (--this.left >= 0) return
    this.reached.resolve()
    await this.opened.promise
  }

  /** Closes the gate after `left` more calls; resolves when the gate blocks a call. */
  close(left: number): Promise<void> {
    this.left = left
    this.reached = Promise.withResolvers()
    this.opened = Promise.withResolvers()
    return this.reached.promise
  }

  open(): void {
    this.left = Number.POSITIVE_INFINITY
    this.opened.resolve()
  }
}

/** Performs all deeds; after each deed, expects that every earlier batch has the same counts as at its end. */
async function expectOwnCounts(app: TestApp, gate: Gate, all: readonly Deed[]): Promise<void> {
  const looks = new Map<string, unknown>()
  for (const deed of all) {
    const id = await act(app, gate, [...looks.keys()], deed)
    if (id !== null) looks.set(id, await look(app, id))
    for (const [batch, before] of looks) expect(await look(app, batch)).toEqual(before)
  }
}

/** Performs a deed and answers the id of its ended batch; null where the deed selects no trial. */
async function act(app: TestApp, gate: Gate, batches: readonly string[], deed: Deed): Promise<string | null> {
  if (deed.do === 'grade') return grade(app, gate, deed)
  const batch = batches[deed.of % batches.length]
  if (batch === undefined) return null
  const change =
    deed.do === 'recheck' ? { recheck: true } : { ...(deed.judge && { judge: deed.judge }), cache: 'refresh' }
  const response = await app.post('/v1/regrades', { query: { batch }, ...change })
  // All of its trials may have been cancelled, or have failed.
  if (response.statusCode === 400) return null
  expect(response.statusCode, response.body).toBe(202)
  return (await finish(app, response.json<Batch>().id)).batch.id
}

async function grade(app: TestApp, gate: Gate, deed: Deed & { readonly do: 'grade' }): Promise<string> {
  const { first, max_cost_usd, cancel, judge: name, cache } = deed
  const blocked = cancel === null ? null : gate.close(cancel)
  const items = makeItems(TRIALS).slice(first)
  const cap = max_cost_usd === null ? '' : `&max_cost_usd=${max_cost_usd}`
  const { id } = await startBatch(
    app,
    items.map((item) => ({ ...item, judge: name })),
    `?cache=${cache}${cap}`,
  )
  if (blocked !== null) {
    const ended = finish(app, id)
    await Promise.race([blocked, ended])
    await app.post(`/v1/batches/${id}/cancel`, {})
    gate.open()
  }
  const { batch } = await finish(app, id)
  expect(['done', 'cancelled']).toContain(batch.status)
  return id
}

/** Reads every count of the batch from the service and compares each with the results of the batch. */
async function look(app: TestApp, id: string): Promise<unknown> {
  const { batch, results } = await finish(app, id)
  const counts = countResults(results)
  const { total, pending, running, ...others } = batch.counts
  expect({ n: total, ...others, failures: batch.failures }).toEqual(counts)
  expect([pending, running]).toEqual([0, 0])

  const report = await app.read<Report>(`/v1/reports?batch=${id}&draws=100&group_by=none`)
  // The trials of this test name no task.
  const extra = { tasks: 0, without_task: counts.n, contradicted: expect.any(Number), unread: 0 }
  expect(report.overall?.counts).toEqual({ ...counts, ...extra })
  expect(report.overall?.shares['aligned']).toMatchObject({ n: counts.graded, k: batch.labels['aligned'] ?? 0 })
  expect(await readTable(app, id)).toEqual(counts)

  const { base_counts, head_counts } = await app.read<Comparison>(
    `/v1/comparisons?base=${id}&head=${id}&statistics=false`,
  )
  expect([base_counts, head_counts]).toEqual([counts, counts])
  expect(await readEnd(app, id)).toEqual(batch)

  const { graded, unverified, failed, cancelled, n } = counts
  const ends = { n, graded, unverified, failed, cancelled, undecided: 0, missing: 0 }
  expect(await readCoverage(app, id, report.judges)).toEqual(
    report.judges.map((rater) => ({ rater: `judge:${rater}`, ...ends })),
  )
  return { batch, results, report }
}

function countResults(results: readonly BatchResult[]) {
  const counts = { n: results.length, graded: 0, unverified: 0, failed: 0, cancelled: 0 }
  const failures: Record<string, number> = {}
  for (const { status, failure, grade_id } of results) {
    counts[status]++
    expect(failure !== null).toBe(status === 'failed')
    expect(grade_id === null && (status === 'graded' || status === 'unverified')).toBe(false)
    if (failure !== null) failures[failure.code] = (failures[failure.code] ?? 0) + 1
  }
  return { ...counts, failures }
}

/** Counts of the report that overlap with the ends of trials. */
const NO_ENDS = ['tasks', 'without_task', 'contradicted', 'unread']

async function readTable(app: TestApp, id: string) {
  const { body } = await app.get(`/v1/reports?batch=${id}&draws=100&group_by=none&format=csv`)
  const counts: Record<string, number> = {}
  const failures: Record<string, number> = {}
  for (const line of body.split('\r\n')) {
    const [, , , measure = '', value] = line.split(',')
    const [kind, name = '', code] = measure.split('.')
    if (kind !== 'count' || NO_ENDS.includes(name)) continue
    if (code === undefined) counts[name] = Number(value)
    else failures[code] = Number(value)
  }
  return { ...counts, failures }
}

async function readEnd(app: TestApp, id: string): Promise<Batch> {
  const { body } = await app.get(`/v1/batches/${id}/events`)
  return JSON.parse(/event: end\ndata: (.*)\n/.exec(body)?.[1] ?? 'null') as Batch
}

async function readCoverage(app: TestApp, id: string, judges: readonly string[]) {
  const stored = { raters: judges.map((name) => `judge:${name}`), query: { batch: id } }
  return (await app.tell<Agreement>('/v1/agreement', { stored, bootstrap: { draws: 100 } }, 200)).coverage
}

const NAME = 'every trial of a batch has one end, and every count of the batch says so, before and after other batches'

const holds = (start: () => ReturnType<typeof makeApp>, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(deeds, async (all: Deed[]) => {
      const { app, gate } = await start()
      await expectOwnCounts(app, gate, all).finally(() => app.stop())
    }),
    { numRuns },
  )

async function makeApp(env: NodeJS.ProcessEnv = {}) {
  const { judges, gate } = makeJudges()
  const app = await startApp({ env, judges, config: { concurrency: { initial: 2, min: 1, max: 2 } } })
  await app.context.start()
  return { app, gate }
}

test(NAME, () => holds(makeApp, 8))

describePostgres('on PostgreSQL', (tools) => {
  const start = async () => makeApp({ VERIDICT_DATABASE_URL: await newDatabase(tools().server) })
  test(NAME, () => holds(start, 3))
})
