import { ServiceError } from './errors.ts'

/** No result is longer. */
const MOST_LINE_CHARS = 64 * 1024 * 1024
const NOT_A_LINE = {
  code: 'not_a_result',
  detail: `a line of the results is longer than ${MOST_LINE_CHARS} characters: is this a Veridict service?`,
}

const ENCODER = new TextEncoder()

/** One value on one line. */
const encodeLine = (value: unknown): Uint8Array<ArrayBuffer> => ENCODER.encode(`${JSON.stringify(value)}\n`)

/** What a stream gives. Leaving the loop ends the request. */
export async function* chunksOf<T>(stream: ReadableStream<T> | null): AsyncGenerator<T> {
  if (stream === null) return
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Lines of a stream of bytes without their ends; empty ones are left out. Linear also where a line comes in many pieces. Throws at a last
 * line that has no end: the stream broke off; a `ServiceError` at one that is too long to be a result.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let held = 0
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    let from = 0
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      pieces.push(text.slice(from, at))
      const line = pieces.join('')
      pieces = []
      held = 0
      if (line.trim() !== '') yield line
      from = at + 1
    }
    if (from < text.length) pieces.push(text.slice(from))
    held += text.length - from
    if (held > MOST_LINE_CHARS) throw new ServiceError(200, NOT_A_LINE)
  }
  if (pieces.some((piece) => piece.trim() !== '')) throw new Error('the stream broke off within a line')
}

interface Upload {
  /** Is written while the items are read. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  /** What the items threw: fetch would hide it. */
  fault: { readonly error: unknown } | null
  /** No more items are wanted. */
  close(): void
}

export function uploadOf(items: Iterable<unknown> | AsyncIterable<unknown>): Upload {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const upload: Upload = {
    fault: null,
    body: new ReadableStream({
      async pull(controller) {
        try {
          const next = await iterator.next()
          if (next.done === true) controller.close()
          else controller.enqueue(encodeLine(next.value))
        } catch (error) {
          upload.fault = { error }
          controller.error(error)
        }
      },
      cancel: () => upload.close(),
    }),
    close() {
      void Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  }
  return upload
}
