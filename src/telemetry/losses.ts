import type { SpanExporter } from '@opentelemetry/sdk-trace'

interface Losses {
  readonly exporter: SpanExporter
  onLoss(listener: (spans: number) => void): void
}

const TELL_MS = 60_000
/** ExportResultCode.SUCCESS, of a package that is not ours to import. */
const SENT = 0

/** The same exporter, with what it could not send counted: told at most once a minute, so that a collector that is away fills no log. */
export function watchLosses(inner: SpanExporter): Losses {
  const listeners = new Set<(spans: number) => void>()
  let lost = 0
  let told = Number.NEGATIVE_INFINITY

  function count(spans: number): void {
    lost += spans
    const now = performance.now()
    if (now - told < TELL_MS || listeners.size === 0) return
    told = now
    const sum = lost
    lost = 0
    for (const listener of listeners) listener(sum)
  }

  return {
    exporter: {
      export(spans, done) {
        inner.export(spans, (result) => {
          if (result.code !== SENT) count(spans.length)
          done(result)
        })
      },
      shutdown: () => inner.shutdown(),
      forceFlush: () => inner.forceFlush?.() ?? Promise.resolve(),
    },
    onLoss: (listener) => void listeners.add(listener),
  }
}
