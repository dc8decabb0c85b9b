/** Finds the beginning of the line in which `at` stands. */
export const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/** Finds the end of the line in which `at` stands: before its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}
