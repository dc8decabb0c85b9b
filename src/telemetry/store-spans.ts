import { SpanKind } from '@opentelemetry/api'
import { codeOf, fail, type Scribe } from './scribe.ts'
import type { DatabaseKind } from './tracing.ts'
import type { UnitWatcher } from './watch-stores.ts'

/** Every unit of work is a span, named by store and method; what it is asked with is not in it. */
export const traceUnits =
  (scribe: Scribe, database: DatabaseKind): UnitWatcher =>
  (name, result, started) => {
    if (!scribe.isRecording()) return
    const attributes = { 'db.system.name': database, 'db.operation.name': name }
    const startTime = performance.timeOrigin + started
    const { span } = scribe.begin(name, { kind: SpanKind.CLIENT, attributes, startTime })
    result.then(
      () => span.end(),
      (error: unknown) => {
        fail(span, codeOf(error))
        span.end()
      },
    )
  }
