/** Where each line of a text begins. */
export function* linesOf(text: string): Generator<number> {
  for (let start = 0; start !== -1 && start <= text.length; ) {
    yield start
    const end = text.indexOf('\n', start)
    start = end === -1 ? -1 : end + 1
  }
}
