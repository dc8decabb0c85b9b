import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { fail, parseTraceparent, type Scribe } from './scribe.ts'
import type { Arrived, RequestSpan } from './tracing.ts'

/** The semantic conventions know these; any other word would be the caller’s text. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
])

/** Asked every few seconds by machines. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * The span of a request, by the semantic conventions for HTTP servers. Its path and its query are left out, which may hold anything: the
 * route says which operation it was.
 */
export function traceRequest(
  scribe: Scribe,
  { method, route, traceparent }: Arrived,
  takesParents: boolean,
): RequestSpan | null {
  if (route !== undefined && PROBES.has(route)) return null
  const known = METHODS.has(method) ? method : '_OTHER'
  const caller = takesParents ? parseTraceparent(traceparent) : null
  const parent = caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller)
  const name = `${known === '_OTHER' ? 'HTTP' : known}${route === undefined ? '' : ` ${route}`}`
  const attributes = { 'http.request.method': known, ...(route !== undefined && { 'http.route': route }) }
  const { span, context } = scribe.begin(name, { kind: SpanKind.SERVER, attributes }, parent)
  return {
    enter: (work) => scribe.within(context, work),
    end(status) {
      if (status === null) fail(span, 'client_closed')
      else span.setAttribute('http.response.status_code', status)
      if (status !== null && status >= 500) fail(span, String(status))
      span.end()
    },
  }
}
