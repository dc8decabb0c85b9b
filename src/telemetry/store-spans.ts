import { SpanKind } from '@opentelemetry/api'
import { codeOf, fail, type Scribe } from './scribe.ts'
import type { DatabaseKind } from './tracing.ts'

/** Stores whose units of work a request or a grade waits for. The others beat, poll and keep the house. */
const TRACED: ReadonlySet<PropertyKey> = new Set([
  'access',
  'aliases',
  'attempts',
  'batches',
  'comments',
  'grades',
  'idempotency',
  'overview',
  'provider',
  'reviews',
  'rubrics',
  'secrets',
  'trajectories',
])

type Method = (...args: unknown[]) => unknown

/** Every method that answers by a promise is a span, named by store and method; what it is asked with is not in it. */
export function traceStores<S extends object>(scribe: Scribe, stores: S, database: DatabaseKind): S {
  const wrapped = new Map<PropertyKey, object>()
  return new Proxy(stores, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (!TRACED.has(name) || typeof value !== 'object' || value === null) return bound(target, value)
      const known = wrapped.get(name) ?? traceStore(scribe, value, String(name), database)
      wrapped.set(name, known)
      return known
    },
  })
}

function traceStore(scribe: Scribe, store: object, name: string, database: DatabaseKind): object {
  const methods = new Map<PropertyKey, Method>()
  return new Proxy(store, {
    get(target, key) {
      const known = methods.get(key)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      const traced = traceMethod(scribe, value.bind(target) as Method, `${name}.${String(key)}`, database)
      methods.set(key, traced)
      return traced
    },
  })
}

/** Begun after the call, with the time of before: what answers at once, such as a list that is read by and by, is no unit of work. */
function traceMethod(scribe: Scribe, method: Method, name: string, database: DatabaseKind): Method {
  return (...args) => {
    if (!scribe.isRecording()) return method(...args)
    const startTime = Date.now()
    const result = method(...args)
    if (!(result instanceof Promise)) return result
    const attributes = { 'db.system.name': database, 'db.operation.name': name }
    const { span } = scribe.begin(name, { kind: SpanKind.CLIENT, attributes, startTime })
    return result.then(
      (value: unknown) => {
        span.end()
        return value
      },
      (error: unknown) => {
        fail(span, codeOf(error))
        span.end()
        throw error
      },
    )
  }
}

const bound = (target: object, value: unknown): unknown =>
  typeof value === 'function' ? (value.bind(target) as unknown) : value
