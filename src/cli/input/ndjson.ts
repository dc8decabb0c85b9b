const ENCODER = new TextEncoder()
const NEWLINE = 0x0a

/** One value on one line. What JSON leaves raw and a terminal may act on (DEL and the C1 controls) is escaped too. */
export const line = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll(ACTING, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

/** One character class: nothing to backtrack. Also the bidirectional controls, which reorder what is read. */
const ACTING = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export const encodeLine = (value: unknown): Uint8Array => ENCODER.encode(`${JSON.stringify(value)}\n`)

/** Lines of a stream of bytes without their ends; empty ones are left out. Linear also where a line comes in many pieces. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: Uint8Array[] = []
  const take = (last: Uint8Array): string => {
    const text = decoder.decode(pieces.length === 0 ? last : Buffer.concat([...pieces, last]))
    pieces = []
    return text
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const text = take(chunk.subarray(from, at))
      if (text.trim() !== '') yield text
      from = at + 1
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
  }
  const text = take(new Uint8Array())
  if (text.trim() !== '') yield text
}
