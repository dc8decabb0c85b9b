import { diag } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { traceGrades } from './grade-spans.ts'
import { traceJudge } from './judge-spans.ts'
import { watchLosses } from './losses.ts'
import { traceRequest } from './request-span.ts'
import { createScribe } from './scribe.ts'
import { createSlices } from './slice-spans.ts'
import { traceUnits } from './store-spans.ts'
import type { Tracing } from './tracing.ts'
import type { TracingSettings } from './tracing-settings.ts'
import type { SamplerSettings } from './tracing-values.ts'
import { traceLane } from './turn-spans.ts'

/** A stop waits no longer for a collector; what is not sent by then is lost. */
const CLOSE_MS = 3_000

/** Attributes are words and numbers of ours; this only bounds what a mistake could do. */
const LONGEST_ATTRIBUTE = 256

/** Spans to a collector by OTLP over HTTP, in batches and from a queue of bounded length: no request waits for it. */
export function recordTraces(settings: TracingSettings): Tracing {
  const losses = watchLosses(openExporter())
  const { queue } = settings
  const provider = new TracerProvider({
    sampler: samplerOf(settings.sampler),
    resource: resourceFromAttributes(settings.resource),
    spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: losses.exporter,
        maxQueueSize: queue.most,
        maxExportBatchSize: queue.batch,
        scheduledDelayMillis: queue.delay_ms,
      }),
    ],
  })
  const scribe = createScribe(provider.getTracer('veridict'))
  const slices = createSlices(scribe)
  return {
    inject: () => scribe.inject(),
    slice: slices.begin,
    request: (arrived) => traceRequest(scribe, arrived, settings.takes_parents),
    units: (database) => traceUnits(scribe, database),
    service: (service, project) => traceGrades(scribe, slices, service, project),
    judge: (judge) => traceJudge(scribe, judge),
    lane: (lane) => traceLane(scribe, lane),
    onLoss: losses.onLoss,
    close() {
      slices.close()
      return closeInTime(provider)
    },
  }
}

/** By its own variables. What it warns of is refused, without the value: it may be a secret. */
function openExporter(): SpanExporter {
  let refused: string | undefined
  const hear = (message: string) => {
    refused ??= message.replace(/[:,(]? *(?:actual: *)?'.*$/s, '')
  }
  const ignore = () => undefined
  diag.setLogger({ error: hear, warn: hear, info: ignore, debug: ignore, verbose: ignore })
  const exporter = new OTLPTraceExporter()
  diag.disable()
  if (refused !== undefined) throw new Error(`OTEL_EXPORTER_OTLP_…: ${refused}`)
  return exporter
}

function samplerOf({ root, parents, ratio }: SamplerSettings): Sampler {
  const own = {
    on: () => new AlwaysOnSampler(),
    off: () => new AlwaysOffSampler(),
    ratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]()
  return parents ? new ParentBasedSampler({ root: own }) : own
}

async function closeInTime(provider: TracerProvider): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS)
  })
  await Promise.race([provider.shutdown().catch(() => undefined), late])
  clearTimeout(timer)
}
