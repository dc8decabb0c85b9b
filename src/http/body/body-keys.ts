import { pathOf } from './body-values.ts'

/** An object or an array that is open. */
interface Frame {
  /** Of an object: what it has so far. Null for an array. */
  readonly keys: Set<string> | null
  /** Where in it we are. */
  at: string | number
}

/**
 * JSON pointer of the first key that its object has already; null where there is none. `text` is JSON, so that only what matters is
 * looked at. One pass; keys are compared as they read, so that `"a"` is `"\u0061"`.
 */
export function findRepeatedKey(text: string): string | null {
  const frames: Frame[] = []
  let mayBeKey = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      const frame = frames.at(-1)
      if (mayBeKey && frame?.keys) {
        frame.at = JSON.parse(text.slice(at, end)) as string
        if (frame.keys.has(frame.at)) return pathOf(frames.map((one) => one.at))
        frame.keys.add(frame.at)
      }
      mayBeKey = false
      at = end - 1
    } else if (character === '{') {
      frames.push({ keys: new Set(), at: '' })
      mayBeKey = true
    } else if (character === '[') frames.push({ keys: null, at: 0 })
    else if (character === '}' || character === ']') frames.pop()
    else if (character === ',') mayBeKey = advance(frames.at(-1))
  }
  return null
}

/** Past a comma. Answers whether a key comes next. */
function advance(frame: Frame | undefined): boolean {
  if (typeof frame?.at === 'number') frame.at++
  return frame?.keys !== null
}

/** Behind the closing quote. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}
