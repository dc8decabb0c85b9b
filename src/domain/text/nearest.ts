/** The word of a list that the fewest changed characters make of `text`; of equal ones the first. */
export const nearest = (text: string, words: readonly string[]): string =>
  words.toSorted((a, b) => distance(text, a) - distance(text, b))[0] ?? ''

/** Characters to be left out, put in or exchanged (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)))
    row = next
  }
  return row[b.length] ?? 0
}
