import { EventSourceParserStream } from 'eventsource-parser/stream'
import { strangeAnswer } from './errors.ts'

/** Longest accepted line of an NDJSON stream; no result is longer. */
const MOST_LINE_CHARS = 64 * 1024 * 1024
/** Longest accepted event without its end. */
const MOST_EVENT_CHARS = 1_000_000

/** Yields the chunks of a stream. Leaving the loop ends the request. */
async function* chunksOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Yields the lines of a stream without their ends; empty lines are left out. The time is linear, also for a line in many chunks. Throws at a
 * last line without an end (the stream broke off), and a `ServiceError` at a line that is too long for a result.
 */
export async function* readLines(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (stream === null) return
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0
  for await (const chunk of chunksOf(stream)) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first)
    length += first.length
    for (const piece of rest) {
      const line = pieces.join('')
      if (line.trim() !== '') yield line
      pieces = [piece]
      length = piece.length
    }
    if (length > MOST_LINE_CHARS)
      throw strangeAnswer('not_a_result', `a line of the results is longer than ${MOST_LINE_CHARS} characters`)
  }
  if (pieces.some((piece) => piece.trim() !== '')) throw new Error('the stream broke off within a line')
}

/** Yields the states of a batch in a stream of server-sent events, as text, up to the event `end`. */
export async function* readStates(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (stream === null) return
  const texts = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
  const events = texts.pipeThrough(new EventSourceParserStream({ maxBufferSize: MOST_EVENT_CHARS }))
  for await (const { event, data } of chunksOf(events)) {
    if (event === 'progress' || event === 'end') yield data
    if (event === 'end') return
  }
}
