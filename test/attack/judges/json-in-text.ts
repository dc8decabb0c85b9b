/** The first balanced JSON object of a text that begins with `head`; null: there is none. Linear but for heads inside heads. */
export function firstObject(text: string, head = '{'): string | null {
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    const end = endOfObject(text, at)
    if (end === -1) continue
    const candidate = text.slice(at, end)
    try {
      JSON.parse(candidate)
      return candidate
    } catch {}
  }
  return null
}

const LONGEST = 20_000

function endOfObject(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < Math.min(text.length, start + LONGEST); at++) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at + 1
  }
  return -1
}
