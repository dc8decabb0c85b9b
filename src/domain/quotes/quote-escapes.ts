import { type MappedText, MappedUnits } from './mapped-text.ts'

/** Escapes of a JSON string, read back by one level. `\b` and `\f` are left as they are: nobody quotes what they stand for. */
const SHORT: ReadonlyMap<number, number> = new Map(
  [...'nrt"/\\'].map((letter, index) => [letter.charCodeAt(0), '\n\r\t"/\\'.charCodeAt(index)] as const),
)
const BACKSLASH = 0x5c
const LETTER_U = 0x75

/** The text with its escapes read back by one level. What is no escape stays. Linear. */
export function readEscapes(mapped: MappedText): MappedText {
  const { text, from, to } = mapped
  const units = new MappedUnits(text.length)
  for (let at = 0; at < text.length; at++) {
    const length = text.charCodeAt(at) === BACKSLASH ? escapeLength(text, at) : 1
    units.push(length === 1 ? text.charCodeAt(at) : escaped(text, at), from[at] ?? 0, to[at + length - 1] ?? 0)
    at += length - 1
  }
  return units.finish()
}

/** How many units the escape at a backslash has; 1: it is none. */
function escapeLength(text: string, at: number): number {
  const letter = text.charCodeAt(at + 1)
  if (SHORT.has(letter)) return 2
  if (letter !== LETTER_U) return 1
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHexDigit(text.charCodeAt(digit))) return 1
  return 6
}

const escaped = (text: string, at: number): number =>
  SHORT.get(text.charCodeAt(at + 1)) ?? Number.parseInt(text.slice(at + 2, at + 6), 16)

const isHexDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
