import type { BatchRecord, BatchStore } from '../ports/batch-ports.ts'
import type { LeaseStore } from '../ports/lease-ports.ts'
import type { Clock } from '../ports/ports.ts'
import { leaseName, SLICE_ITEMS, type SliceQueue, type SliceStore, type SliceWork } from '../ports/slice-ports.ts'

interface PlannerDeps {
  readonly project: string
  readonly batches: BatchStore
  readonly leases: LeaseStore
  readonly slices: SliceStore
  readonly queue: SliceQueue
  readonly clock: Clock
  /** Seconds after which what was fetched is looked after: the process that fetched it may be dead. */
  readonly old_s: number
  /** The trace that a batch is planned in, if there is one. */
  readonly traceparent: () => string | undefined
}

/** Items that are looked up together. */
const PAGE_ITEMS = 512 * SLICE_ITEMS

/**
 * Of a batch, so many slices stand in the queue at the most; what follows is planned as they are done. Looking after a batch then costs the
 * same however large it is, and a new batch comes in between soon, wherever the others are.
 */
const MOST_PLANNED = 1024

/** Turns what is open in a batch into work for the queue. Everything here may be done twice, by anybody. */
export class Planner {
  private readonly deps: PlannerDeps

  constructor(deps: PlannerDeps) {
    this.deps = deps
  }

  /** The batch begins, or goes on. */
  async plan(record: BatchRecord): Promise<void> {
    for await (const work of this.workOf(record)) await this.deps.queue.plan(work)
  }

  /** Goes after what was lost: jobs that are gone, work whose process has died, an end that nobody told. */
  async mend(record: BatchRecord): Promise<void> {
    const isDirect = record.mode === 'direct'
    if (isDirect && record.status === 'cancelling') return void (await this.endCancel(record.id))
    let isOver = true
    for await (const work of this.workOf(record)) {
      isOver = false
      await this.mendWork(work)
    }
    if (isOver) await this.finish(record.id)
  }

  /** Where every item has ended, the batch has. */
  finish(id: string): Promise<boolean> {
    return this.deps.batches.finish(id, this.now())
  }

  /** Cancels what nobody works on; a process that works on the rest does so again when it has finished. */
  endCancel(id: string): Promise<boolean> {
    return this.deps.slices.cancel(id, this.now())
  }

  private async mendWork(work: readonly SliceWork[]): Promise<void> {
    const { queue, leases, old_s } = this.deps
    const { missing, old } = await queue.survey(work, old_s)
    const taken = await leases.takeMany([...missing, ...old].map(leaseName))
    await Promise.all(taken.map((lease) => leases.release(lease)))
    const free = new Set(taken.map(({ name }) => name))
    const isFree = (one: SliceWork) => free.has(leaseName(one))
    await queue.giveBack(old.filter(isFree))
    await queue.plan(missing.filter(isFree))
  }

  private async *workOf({ id, mode }: BatchRecord): AsyncGenerator<readonly SliceWork[]> {
    const traceparent = this.deps.traceparent()
    const common = { project: this.deps.project, batch: id, ...(traceparent !== undefined && { traceparent }) }
    if (mode === 'provider') return yield [{ ...common, from: 0, judge: null }]
    for (let from = 0, planned = 0; planned < MOST_PLANNED; ) {
      const slices = await this.deps.slices.pending(id, from, PAGE_ITEMS)
      const last = slices.at(-1)
      if (last === undefined) return
      const before = planned
      const some = slices.slice(0, MOST_PLANNED - before)
      yield some.map((slice, at) => ({ ...common, ...slice, rank: before + at }))
      planned += some.length
      from = last.from + SLICE_ITEMS
    }
  }

  private now(): string {
    return this.deps.clock.now().toISOString()
  }
}
