import { type Context, ROOT_CONTEXT, type Span, SpanKind, type SpanOptions } from '@opentelemetry/api'
import { SLICE_ITEMS, type SliceJob, type SliceQueue } from '../ports/slice-ports.ts'
import { linksTo, parseTraceparent, type Scribe } from './scribe.ts'
import type { Slice, Tracing } from './tracing.ts'

export interface Slices {
  readonly continueFrom: Tracing['continueFrom']
  queue(queue: SliceQueue): SliceQueue
  /** The open slice of this process in which an item lies; undefined: none. */
  of(item: { readonly batch: string; readonly index: number }): Context | undefined
  /** Ends what nobody ended: slices that this process has lost. */
  close(): void
}

/** Slices that were lost are told of by nobody: of so many open ones the oldest is taken for lost. */
const MOST_OPEN = 1000

interface Entry {
  readonly slice: Slice
  readonly context: Context
}

/** Slices that are being worked on: items are begun by the loop of their batch, which stands in no slice. */
export function createSlices(scribe: Scribe): Slices {
  const open = new Map<string, Set<Entry>>()
  const fetched = new Map<string, { readonly span: Span; readonly leave: () => void }>()

  function enter(slice: Slice, context: Context): () => void {
    const entry = { slice, context }
    const others = open.get(slice.batch) ?? new Set()
    open.set(slice.batch, others.add(entry))
    return () => {
      others.delete(entry)
      if (others.size === 0 && open.get(slice.batch) === others) open.delete(slice.batch)
    }
  }

  function begin(job: SliceJob): void {
    const slice = sliceOf(job)
    const { span, context } = scribe.begin('slice', optionsFor(slice, job.traceparent), ROOT_CONTEXT)
    const [oldest] = fetched.keys()
    if (fetched.size >= MOST_OPEN && oldest !== undefined) end(oldest, 'lost')
    end(job.id, 'lost')
    fetched.set(job.id, { span, leave: enter(slice, context) })
  }

  function end(id: string, how: 'done' | 'given_back' | 'lost'): void {
    const known = fetched.get(id)
    if (known === undefined) return
    fetched.delete(id)
    known.leave()
    known.span.setAttribute('veridict.slice.end', how)
    known.span.end()
  }

  return {
    continueFrom(traceparent, name, work, slice) {
      const doing = async () => {
        const leave = slice && enter(slice, scribe.active())
        try {
          return await work()
        } finally {
          leave?.()
        }
      }
      return scribe.run(name, optionsFor(slice, traceparent), doing, ROOT_CONTEXT)
    },
    queue(queue) {
      const putAway = async (jobs: readonly SliceJob[], how: 'done' | 'given_back', work: Promise<void>) => {
        try {
          await work
        } finally {
          for (const { id } of jobs) end(id, how)
        }
      }
      return {
        plan: (work) => queue.plan(work),
        async fetch(judge, most, without) {
          const jobs = await queue.fetch(judge, most, without)
          for (const job of jobs) begin(job)
          return jobs
        },
        complete: (jobs) => putAway(jobs, 'done', queue.complete(jobs)),
        giveBack: (jobs) => putAway(jobs, 'given_back', queue.giveBack(jobs)),
        survey: (work, seconds) => queue.survey(work, seconds),
        forsaken: () => queue.forsaken(),
        close: () => queue.close(),
      }
    },
    of({ batch, index }) {
      for (const { slice, context } of open.get(batch) ?? [])
        if (slice.from <= index && index < slice.to) return context
      return undefined
    },
    close() {
      for (const id of [...fetched.keys()]) end(id, 'lost')
    },
  }
}

/** Without a judge the job is the whole batch, at its provider. */
const sliceOf = ({ batch, from, judge }: SliceJob): Slice => ({
  batch,
  from,
  to: judge === null ? Number.MAX_SAFE_INTEGER : from + SLICE_ITEMS,
})

function optionsFor(slice: Slice | undefined, traceparent: string | undefined): SpanOptions {
  const links = linksTo(parseTraceparent(traceparent))
  const attributes = { 'veridict.batch.id': slice?.batch ?? '', 'veridict.slice.from': slice?.from ?? 0 }
  return { kind: SpanKind.CONSUMER, links, ...(slice && { attributes }) }
}
