import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { serve } from '../local-server.ts'
import { decodeEvents, decodeSpans, type ReceivedEvent, type ReceivedSpan } from './otlp-decode.ts'

/** Collector on loopback that decodes real OTLP over HTTP. The collector stops at the end of the test. */
export interface Collector {
  /** Value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[]
  readonly spans: readonly ReceivedSpan[]
  readonly events: readonly ReceivedEvent[]
  /** Text of all received bytes, for searches. */
  bytes(): string
  /** Resolves with the first matching span, received before or after the call. */
  waitFor(fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>
  /** Lists the descendants of a span, as a tree of names. */
  treeOf(id: string): Tree[]
}

type Tree = readonly [name: string, below: readonly Tree[]]

/** Starts a collector. `answer` responds after the whole request has arrived; by default with status 200. */
export async function startCollector(answer?: (response: ServerResponse) => void): Promise<Collector> {
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  const spans: ReceivedSpan[] = []
  const events: ReceivedEvent[] = []
  const waiting = new Set<() => void>()
  const url = await serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const sent = Buffer.concat(chunks)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      if (request.url === '/v1/logs') events.push(...decodeEvents(body))
      else spans.push(...decodeSpans(body))
      for (const look of waiting) look()
      if (answer === undefined) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
      else answer(response)
    })
  })
  const below = (id: string): Tree[] =>
    spans.filter(({ parent }) => parent === id).map((span): Tree => [span.name, below(span.id)])
  return {
    url,
    ...{ requests, spans, events },
    bytes: () => requests.map(({ body }) => body.toString('latin1')).join('\n'),
    treeOf: below,
    waitFor: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = spans.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}
