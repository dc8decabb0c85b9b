import { type Context, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api'
import { SLICE_ITEMS, type Slice, type SliceEnd } from '../ports/slice-ports.ts'
import { linksTo, parseTraceparent, type Scribe } from './scribe.ts'
import type { Tracing } from './tracing.ts'

export interface Slices {
  readonly begin: Tracing['slice']
  /** The open slice of this process in which an item lies; undefined: none. */
  of(item: { readonly batch: string; readonly index: number }): Context | undefined
  /** Ends the spans that are still open. */
  close(): void
}

interface Entry {
  readonly slice: Slice
  readonly context: Context
  readonly end: (how: SliceEnd) => void
}

/** Slices that are being worked on: items are begun by the loop of their batch, which stands in no slice. */
export function createSlices(scribe: Scribe): Slices {
  const open = new Map<string, Set<Entry>>()
  return {
    begin(slice, traceparent) {
      const { batch, from } = slice
      const links = linksTo(parseTraceparent(traceparent))
      const attributes = { 'veridict.batch.id': batch, 'veridict.slice.from': from }
      const { span, context } = scribe.begin('slice', { kind: SpanKind.CONSUMER, links, attributes }, ROOT_CONTEXT)
      const others = open.get(batch) ?? new Set()
      const entry: Entry = {
        slice,
        context,
        end(how) {
          if (!others.delete(entry)) return
          if (others.size === 0 && open.get(batch) === others) open.delete(batch)
          span.setAttribute('veridict.slice.end', how)
          span.end()
        },
      }
      open.set(batch, others.add(entry))
      return entry.end
    },
    of({ batch, index }) {
      for (const { slice, context } of open.get(batch) ?? [])
        if (slice.judge === null || (slice.from <= index && index < slice.from + SLICE_ITEMS)) return context
      return undefined
    },
    close() {
      for (const entries of open.values()) for (const { end } of entries) end('lost')
    },
  }
}
