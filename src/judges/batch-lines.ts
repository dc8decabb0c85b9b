import { LineSplitter } from '../domain/text/line-splitter.ts'

/** No answer is longer: single calls refuse what is. */
const MOST_LINE_BYTES = 16 * 1024 * 1024

/** The lines of a results file as they arrive, null for one that is too long to be an answer. Never holds more than one line and one chunk. */
export async function* readLines(
  file: AsyncIterable<Uint8Array>,
  mostBytes = MOST_LINE_BYTES,
): AsyncGenerator<string | null> {
  const splitter = new LineSplitter(mostBytes)
  for await (const chunk of file) for (const line of splitter.feed(chunk)) yield line.bytes?.toString('utf8') ?? null
  for (const line of splitter.end()) yield line.bytes?.toString('utf8') ?? null
}
