/** Finds the beginning of the line in which `at` stands. */
export const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/** Finds the end of the line in which `at` stands: before its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** Tests whether nothing but white space stands between a place and the end of its line. */
export function isBlankForward(text: string, from: number): boolean {
  for (let at = from; at < text.length && text[at] !== '\n'; at++) if (text[at]?.trim() !== '') return false
  return true
}

/** Tests whether nothing but white space stands beside `[start, end)` on its lines. */
export function isWholeLine(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  for (let at = start - 1; at >= 0 && text[at] !== '\n'; at--) if (text[at]?.trim() !== '') return false
  return isBlankForward(text, end)
}
