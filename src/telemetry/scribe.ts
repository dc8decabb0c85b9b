import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'

/** Writes spans down, and knows in which of them the running code is. */
export interface Scribe {
  /** Where the running code is; the root where nothing is traced. */
  active(): Context
  /** Whether what is done now is written down. */
  isRecording(): boolean
  /** Begins a span under `parent`, or under what is active. */
  begin(name: string, options: SpanOptions, parent?: Context): { readonly span: Span; readonly context: Context }
  within<T>(context: Context, work: () => T): T
  /** Does work in a span, which ends with it. What it rejects with is a code in the span, never a message. */
  run<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>, parent?: Context): Promise<T>
  inject(): string | undefined
}

export function createScribe(tracer: Tracer): Scribe {
  const current = new AsyncLocalStorage<Context>()
  const active = () => current.getStore() ?? ROOT_CONTEXT
  const begin: Scribe['begin'] = (name, options, parent = active()) => {
    const span = tracer.startSpan(name, options, parent)
    return { span, context: trace.setSpan(parent, span) }
  }
  return {
    active,
    begin,
    isRecording: () => trace.getSpan(active())?.isRecording() ?? false,
    within: (context, work) => current.run(context, work),
    async run(name, options, work, parent) {
      const { span, context } = begin(name, options, parent)
      try {
        return await current.run(context, () => work(span))
      } catch (error) {
        fail(span, codeOf(error))
        throw error
      } finally {
        span.end()
      }
    },
    inject() {
      const context = trace.getSpanContext(active())
      return context === undefined || !isSpanContextValid(context) ? undefined : traceparentOf(context)
    },
  }
}

/** Marks a span as failed, by a code. */
export function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The code of one of our errors, or the name of its class: messages may quote. */
export function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return word(code) ?? word(name) ?? 'unknown'
}

/** What has the form of a name or an id, and no other: nothing that could be a sentence gets into a span. */
export const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.:/@+-]{1,128}$/.test(value) ? value : undefined

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

/** https://www.w3.org/TR/trace-context/#traceparent-header: null for what is none. `tracestate` is text of others and not carried. */
export function parseTraceparent(value: unknown): SpanContext | null {
  if (typeof value !== 'string' || value.length > 256) return null
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(value) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && value.length !== 55)) return null
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : null
}

/** A link to where something was asked for; none where that is not known. */
export const linksTo = (context: SpanContext | null | undefined): Link[] => (context ? [{ context }] : [])
