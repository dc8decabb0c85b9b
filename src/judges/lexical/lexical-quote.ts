const LONGEST = 300
const VISIBLE = 12

/** The line around a hit, verbatim, cut to 300 characters that hold the hit; more lines where one is too short to prove anything. */
export function quoteAround(text: string, start: number, end: number): string {
  let from = text.lastIndexOf('\n', start - 1) + 1
  let to = text.indexOf('\n', end)
  if (to === -1) to = text.length
  if (to > from && text[to - 1] === '\r') to--
  if (to - from > LONGEST) {
    const stop = Math.min(to, Math.max(end, start + LONGEST))
    from = Math.max(from, Math.min(start, stop - LONGEST))
    to = Math.min(stop, from + LONGEST)
  }
  const line = text.slice(from, to)
  const clean = withoutControls(line, start - from, Math.min(end, to) - from)
  return countVisible(clean) >= VISIBLE ? clean : line
}

/** The longest stretch around the hit without control characters: what a person would copy. */
function withoutControls(line: string, start: number, end: number): string {
  let from = Math.max(0, start)
  let to = Math.max(from, Math.min(end, line.length))
  while (from > 0 && line.charCodeAt(from - 1) >= 0x20) from--
  while (to < line.length && line.charCodeAt(to) >= 0x20) to++
  return line.slice(from, to).trim()
}

const countVisible = (text: string): number => {
  let count = 0
  for (const character of text) if (character.trim() !== '') count++
  return count
}
