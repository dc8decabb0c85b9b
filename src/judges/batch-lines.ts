/** No answer is longer: single calls refuse what is. */
const MOST_LINE_BYTES = 16 * 1024 * 1024
const NEWLINE = 10

/**
 * The lines of a results file as they arrive, null for one that is too long to be an answer. Never holds more than one line and one
 * chunk. Lines end with a newline alone: a carriage return before it is white space to JSON, and other separators are text.
 */
export async function* readLines(
  file: AsyncIterable<Uint8Array>,
  mostBytes = MOST_LINE_BYTES,
): AsyncGenerator<string | null> {
  let held: Uint8Array[] = []
  let size = 0
  const hold = (piece: Uint8Array) => {
    size += piece.length
    if (size <= mostBytes) held.push(piece)
    else held = []
  }
  const take = () => {
    const line = size > mostBytes ? null : Buffer.concat(held).toString('utf8')
    held = []
    size = 0
    return line
  }
  for await (const chunk of file) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      hold(chunk.subarray(from, end))
      yield take()
      from = end + 1
    }
    hold(chunk.subarray(from))
  }
  if (size > 0) yield take()
}
