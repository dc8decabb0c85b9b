/**
 * The second rung of the match ladder (design rule 3.2): line ends, ANSI control sequences, runs of white space and
 * typographic quotes folded, each folded character knowing where it came from. Nothing else is forgiven: no letter and no
 * digit is ever dropped or changed, but for those inside a terminal control sequence that is dropped whole.
 * Operating system commands (window titles, links) are not folded: their payload could hide words.
 */
export interface Folded {
  readonly text: string
  /** Source offset of each folded character, and one past the last. */
  readonly from: Uint32Array
}

const QUOTES = new Map([
  ['‘', "'"],
  ['’', "'"],
  ['‚', "'"],
  ['‛', "'"],
  ['“', '"'],
  ['”', '"'],
  ['„', '"'],
  ['‟', '"'],
])

/** Folds `text[start, end)`. Linear, no regular expression. */
export function fold(text: string, options: { readonly ansi: boolean }, start = 0, end = text.length): Folded {
  const out: string[] = []
  const from = new Uint32Array(end - start + 1)
  let length = 0
  let blank = true
  let at = start
  while (at < end) {
    const after = options.ansi ? endOfAnsi(text, at, end) : at
    if (after > at) {
      at = after
      continue
    }
    const character = text[at] ?? ''
    const space = isSpace(text.charCodeAt(at))
    if (!space || !blank) {
      from[length++] = at
      out.push(space ? ' ' : (QUOTES.get(character) ?? character))
    }
    blank = space
    at++
  }
  from[length] = end
  return { text: out.join(''), from: from.subarray(0, length + 1) }
}

/** Where the control sequence at `at` ends; `at` where there is none. CSI, and the two and three byte escapes. */
function endOfAnsi(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== 0x1b) return at
  let next = at + 1
  if (text[next] === '[') {
    next++
    while (next < end && inRange(text.charCodeAt(next), 0x30, 0x3f)) next++
    while (next < end && inRange(text.charCodeAt(next), 0x20, 0x2f)) next++
    return next < end && inRange(text.charCodeAt(next), 0x40, 0x7e) ? next + 1 : at
  }
  if (inRange(text.charCodeAt(next), 0x20, 0x2f) && next + 1 < end) return next + 2
  return next < end && (text[next] === '=' || text[next] === '>' || text[next] === '7' || text[next] === '8')
    ? next + 1
    : at
}

const inRange = (code: number, low: number, high: number): boolean => code >= low && code <= high

const isSpace = (code: number): boolean =>
  code === 0x20 ||
  inRange(code, 0x09, 0x0d) ||
  code === 0xa0 ||
  code === 0x1680 ||
  inRange(code, 0x2000, 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000
