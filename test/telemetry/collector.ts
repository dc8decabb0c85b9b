import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { serve } from '../local-server.ts'
import { decodeSpans, type ReceivedSpan } from './otlp-decode.ts'

/** A collector on loopback: real OTLP over HTTP, of which it reads every byte. Ends with the test. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[]
  readonly spans: readonly ReceivedSpan[]
  /** What was sent, as it would show to somebody who searches it. */
  bytes(): string
  /** Resolves with the first span that fits, which may be there already. */
  waitFor(fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>
  /** The spans under that one, as a tree of names. */
  treeOf(id: string): Tree[]
}

type Tree = readonly [name: string, below: readonly Tree[]]

/** `answer` is what it does once it has everything; 200 by default. */
export async function startCollector(answer?: (response: ServerResponse) => void): Promise<Collector> {
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  const spans: ReceivedSpan[] = []
  const waiting = new Set<() => void>()
  const url = await serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const sent = Buffer.concat(chunks)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      spans.push(...decodeSpans(body))
      for (const look of waiting) look()
      if (answer === undefined) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
      else answer(response)
    })
  })
  const below = (id: string): Tree[] =>
    spans.filter(({ parent }) => parent === id).map((span): Tree => [span.name, below(span.id)])
  return {
    url,
    requests,
    spans,
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
