import { setTimeout as delay } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { EvidenceCount } from '../../db/grades.ts'
import type { JudgeState } from '../../db/judges.ts'
import { ITEM_STATUSES } from '../../schemas/vocabulary.ts'
import type { Context } from '../context.ts'
import type { Metrics } from './metrics.ts'

/** Bounds the batches whose open items are counted; the newest come first. */
const MOST_BATCHES = 200
/** A silent database must not cost the scrape: Prometheus waits for ten seconds. */
const MOST_WAIT_MS = 3_000

/**
 * Adds gauges that read the state of the process at each scrape. Every process of a database gives the same `veridict_batch…`; a failed read leaves
 * its figures out.
 */
export function measureContext(metrics: Metrics, context: Context): void {
  context.listen({
    onTrouble: ({ error }) => {
      if (error instanceof Error && error.name === 'StorageError')
        metrics.storeRefused(String(Reflect.get(error, 'code')))
    },
    onItem: (outcome) => {
      if (outcome.kind === 'graded') outcome.cached ? metrics.hit() : metrics.graded(outcome.grade)
    },
  })
  const gauge: MakeGauge = (name, help, labelNames, collect) =>
    new Gauge({
      ...{ name, help, labelNames },
      registers: [metrics.registry],
      collect() {
        return collect(this)
      },
    })
  measureLanes(gauge, context)
  measureBatches(gauge, context)
  measureEvidence(gauge, context)
}

type MakeGauge = (
  name: string,
  help: string,
  labelNames: string[],
  collect: (own: Gauge) => void | Promise<void>,
) => void

function measureLanes(gauge: MakeGauge, { judges, laneOf, stores }: Context): void {
  const count = (name: string, help: string, member: 'limit' | 'in_flight' | 'waiting') =>
    gauge(name, help, ['judge'], (own) => {
      for (const judge of judges.keys()) own.set({ judge }, laneOf(judge).state[member])
    })
  count('veridict_lane_limit', 'Calls of a judge that this process may have in flight.', 'limit')
  count('veridict_lane_in_flight', 'Calls of a judge in flight.', 'in_flight')
  count('veridict_lane_waiting', 'Calls that wait for their turn.', 'waiting')
  gauge('veridict_lane_state', '1 for the state that a judge is in.', ['judge', 'state'], async (own) => {
    for (const judge of judges.keys()) {
      const kind = await stores.judges.get(judge).then(stateOf, () => null)
      for (const state of ['open', 'paused', 'out']) own.set({ judge, state }, state === kind ? 1 : 0)
    }
  })
}

/** Names the state of a judge: a silent judge is `out`, a judge that asked for a pause is `paused`. */
const stateOf = ({ paused_until, rests }: JudgeState) =>
  paused_until <= Date.now() ? 'open' : rests > 0 ? 'out' : 'paused'

function measureBatches(gauge: MakeGauge, context: Context): void {
  const seen = readOnce(() => look(context))
  const count = (
    name: string,
    help: string,
    label: string,
    valuesOf: (seen: Seen) => Readonly<Record<string, number>>,
  ) =>
    gauge(name, help, [label], async (own) => {
      const state = await seen()
      own.reset()
      for (const [value, n] of Object.entries(state === null ? {} : valuesOf(state))) own.set({ [label]: value }, n)
    })
  count('veridict_batches', 'Batches that have not ended, by status.', 'status', ({ batches }) => batches)
  count(
    'veridict_batch_items',
    'Open items of running batches: pending, or running anywhere.',
    'state',
    ({ items }) => items,
  )
  count(
    'veridict_batch_items_ended',
    'Ended items of running batches, each by its one end.',
    'end',
    ({ ended }) => ended,
  )
  count('veridict_batch_failures', 'Failed items of running batches, by code.', 'code', ({ failures }) => failures)
}

/** Counts all stored grades and their citations: the evidence of each judge is a published figure. */
function measureEvidence(gauge: MakeGauge, context: Context): void {
  // An unreadable database counts as empty.
  const evidence = readOnce(() => context.stores.grades.countEvidence().catch(() => []))
  const count = (name: string, help: string, kind: EvidenceCount['kind']) =>
    gauge(name, help, ['judge', 'rubric', 'status'], async (own) => {
      const rows = await evidence()
      own.reset()
      for (const { judge, rubric, status, n, ...row } of rows ?? [])
        if (row.kind === kind) own.inc({ judge, rubric, status }, n)
    })
  count('veridict_stored_grades', 'Stored grades, by status.', 'grade')
  count('veridict_stored_citations', 'Checked citations of stored grades, by status.', 'citation')
}

/** Reads the database once for all gauges of a scrape; null after the longest wait. */
function readOnce<T>(read: () => Promise<T>): () => Promise<T | null> {
  let reading: Promise<T> | null = null
  return () => {
    reading ??= read().finally(() => {
      reading = null
    })
    return Promise.race([reading, delay(MOST_WAIT_MS, null, { ref: false })])
  }
}

type Seen = Awaited<ReturnType<typeof look>>

/** Looks at the open batches; an unreadable database shows none. */
async function look({ stores }: Context) {
  const list = (status: 'running' | 'parked' | 'cancelling') =>
    stores.batches.list({ status, limit: MOST_BATCHES }).catch(() => [])
  const [running, parked, cancelling] = await Promise.all([list('running'), list('parked'), list('cancelling')])
  const seen = {
    batches: { running: running.length, parked: parked.length, cancelling: cancelling.length },
    items: { pending: 0, running: 0 },
    ended: { graded: 0, unverified: 0, failed: 0, cancelled: 0 },
    failures: {} as Record<string, number>,
  }
  for (const { counts, failures } of running) {
    seen.items.pending += counts.pending
    seen.items.running += counts.running
    for (const end of ITEM_STATUSES) seen.ended[end] += counts[end]
    for (const [code, n = 0] of Object.entries(failures)) seen.failures[code] = (seen.failures[code] ?? 0) + n
  }
  return seen
}
