import { Gauge, type Registry } from 'prom-client'
import type { EvidenceCount } from '../ports/grade-ports.ts'
import { ITEM_STATUSES, type ItemStatus } from '../schemas/vocabulary.ts'
import type { Context } from './context.ts'
import type { Metrics } from './metrics.ts'

/** Batches looked at for their open items; with more running at once the figure is that of the newest. */
const MOST_BATCHES = 200
/** A database that does not answer must not cost the scrape, which says what is wrong with it: Prometheus waits for ten seconds. */
const MOST_WAIT_MS = 3_000

/**
 * What a process is in the middle of, read when it is asked for. `veridict_batch…` are of the database: every process of it says the same, and
 * what cannot be read is left out.
 */
export function measureContext(metrics: Metrics, context: Context): void {
  context.meter.listen(metrics)
  measureLanes(metrics.registry, context)
  measureBatches(metrics.registry, context)
  measureEvidence(metrics.registry, context)
  new Gauge({
    name: 'veridict_projects_unusable',
    help: 'Projects whose database could not be opened when it was last tried; the log says why.',
    registers: [metrics.registry],
    collect() {
      this.set(context.unusableProjects())
    },
  })
}

function measureLanes(registry: Registry, { judges, laneOf }: Context): void {
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    tell: (own: Gauge, judge: string, lane: LaneState) => void,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        for (const judge of judges.keys()) tell(this, judge, laneOf(judge).state())
      },
    })
  const count = (name: string, help: string, member: 'limit' | 'in_flight' | 'waiting') =>
    gauge(name, help, ['judge'], (own, judge, lane) => own.set({ judge }, lane[member]))
  count('veridict_lane_limit', 'Calls of a judge that this process may have in flight.', 'limit')
  count('veridict_lane_in_flight', 'Calls of a judge in flight.', 'in_flight')
  count('veridict_lane_waiting', 'Calls that wait for their turn.', 'waiting')
  gauge('veridict_lane_state', '1 for the state that a judge is in.', ['judge', 'state'], (own, judge, { kind }) => {
    for (const state of ['open', 'paused', 'out']) own.set({ judge, state }, state === kind ? 1 : 0)
  })
}

type LaneState = ReturnType<ReturnType<Context['laneOf']>['state']>

function measureBatches(registry: Registry, context: Context): void {
  let looking: Promise<Seen> | null = null
  // Both are read for one answer: the database is asked once.
  const seen = () => {
    looking ??= look(context).finally(() => {
      looking = null
    })
    return inTime(looking)
  }
  const gauge = (
    name: string,
    help: string,
    label: string,
    valuesOf: (seen: Seen) => Readonly<Record<string, number>>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const found = await seen()
        this.reset()
        for (const [value, count] of Object.entries(found === null ? {} : valuesOf(found)))
          this.set({ [label]: value }, count)
      },
    })
  gauge('veridict_batches', 'Batches that have not ended, by status.', 'status', ({ batches }) => batches)
  gauge(
    'veridict_batch_items',
    'Open items of running batches: pending, or running anywhere.',
    'state',
    ({ items }) => items,
  )
  gauge(
    'veridict_batch_items_ended',
    'Ended items of running batches, each by its one end.',
    'end',
    ({ ended }) => ended,
  )
  gauge('veridict_batch_failures', 'Failed items of running batches, by code.', 'code', ({ failures }) => failures)
}

/** What became of the evidence of each judge is a published figure of the service: of all stored grades, whoever made them and when. */
function measureEvidence(registry: Registry, context: Context): void {
  const gauge = (name: string, help: string, kind: EvidenceCount['kind']) =>
    new Gauge({
      name,
      help,
      labelNames: ['judge', 'rubric', 'status'],
      registers: [registry],
      async collect() {
        const found = await inTime(countEvidence(context))
        this.reset()
        for (const { judge, rubric, status, n, ...one } of found ?? [])
          if (one.kind === kind) this.inc({ judge, rubric, status }, n)
      },
    })
  gauge('veridict_stored_grades', 'Stored grades, by status.', 'grade')
  gauge('veridict_stored_citations', 'Checked citations of stored grades, by status.', 'citation')
}

/** Over all projects that are open in this process; what cannot be read is left out. */
async function countEvidence(context: Context): Promise<EvidenceCount[]> {
  const projects = await context.openProjects()
  const counts = await Promise.allSettled(projects.map(({ stores }) => stores.grades.countEvidence()))
  return counts.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

/** Null: not read in time. */
async function inTime<T>(looking: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, MOST_WAIT_MS, null)
  })
  return await Promise.race([looking, late]).finally(() => clearTimeout(timer))
}

interface Seen {
  readonly batches: Record<'running' | 'parked' | 'cancelling', number>
  readonly items: Record<'pending' | 'running', number>
  readonly ended: Record<ItemStatus, number>
  readonly failures: Record<string, number>
}

/**
 * Over all projects that are open in this process: opening others is not for a request that only looks, and what one project is called is not
 * for the others to read.
 */
async function look(context: Context): Promise<Seen> {
  const sum: Seen = {
    batches: { running: 0, parked: 0, cancelling: 0 },
    items: { pending: 0, running: 0 },
    ended: { graded: 0, unverified: 0, failed: 0, cancelled: 0 },
    failures: {},
  }
  await Promise.allSettled(
    (await context.openProjects()).map(async ({ stores }) => {
      const list = (status: 'running' | 'parked' | 'cancelling') => stores.batches.list({ status, limit: MOST_BATCHES })
      const [running, parked, cancelling] = await Promise.all([list('running'), list('parked'), list('cancelling')])
      sum.batches.running += running.length
      sum.batches.parked += parked.length
      sum.batches.cancelling += cancelling.length
      for (const { counts, failures } of running) {
        sum.items.pending += counts.pending
        sum.items.running += counts.running
        for (const end of ITEM_STATUSES) sum.ended[end] += counts[end]
        for (const [code, n = 0] of Object.entries(failures)) sum.failures[code] = (sum.failures[code] ?? 0) + n
      }
    }),
  )
  return sum
}
