import { hexDigit, readCharacter } from './decode.ts'
import { NormalText, textOf } from './normal-text.ts'

const MOST_BYTES_A_LINE = 64

/** A line of `xxd`, `hexdump -C`, `od -t x1z` or `tcpdump -X`, near the beginning of its data. */
const DUMP = /^[ \t]*0[0x][0-9a-f]{2,14}(?::|[ \t])[ \t]*[0-9a-f]{2}/im

/** Reads the bytes of a dump, joined over their lines, as UTF-8; null: the text is no dump. Linear. */
export function dumpedText(text: string): NormalText | null {
  if (!DUMP.test(text)) return null
  const bytes: number[] = []
  const places: number[] = []
  for (let start = 0; start < text.length; ) {
    const stop = text.indexOf('\n', start)
    const end = stop === -1 ? text.length : stop
    readDumpLine(text, start, end, bytes, places)
    start = end + 1
  }
  return bytes.length === 0 ? null : decoded(bytes, places)
}

/** A byte that begins no character stands for itself. */
function decoded(bytes: readonly number[], places: readonly number[]): NormalText {
  const codes = new Uint16Array(bytes.length)
  const from = new Uint32Array(bytes.length)
  const to = new Uint32Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; ) {
    let next = at
    const read = readCharacter(bytes[at] ?? 0, () => bytes[++next] ?? -1) ?? { code: bytes[at] ?? 0, bytes: 1 }
    for (const unit of String.fromCodePoint(read.code).split('')) {
      codes[length] = unit.charCodeAt(0)
      from[length] = places[at] ?? 0
      to[length++] = (places[at + read.bytes - 1] ?? 0) + 2
    }
    at += read.bytes
  }
  return new NormalText(textOf(codes, length), from.subarray(0, length), to.subarray(0, length))
}

/** `00000010: 5275 6e20 …  Run …`, `00000010  52 75 6e 20  … |Run …|`, `0x0010:  5275 …`. */
function readDumpLine(text: string, start: number, end: number, bytes: number[], places: number[]): void {
  let at = afterOffset(text, start, end)
  if (at === -1) return
  const hasColon = text[at] === ':'
  if (hasColon) at++
  at = afterBlanks(text, at, end)
  for (let read = 0, blanks = 0; at < end && read < MOST_BYTES_A_LINE; ) {
    if (text[at] === ' ') {
      // Behind a colon, two blanks set the characters off.
      if (++blanks === 2 && hasColon) return
      at++
      continue
    }
    blanks = 0
    const high = hexDigit(text.charCodeAt(at))
    const low = hexDigit(text.charCodeAt(at + 1))
    if (high === -1 || low === -1) return
    bytes.push(high * 16 + low)
    places.push(at)
    read++
    at += 2
  }
}

/** Finds the end of the offset that a line of a dump begins with; -1: the line begins otherwise. */
function afterOffset(text: string, start: number, end: number): number {
  const first = afterBlanks(text, start, end)
  const digits = text.startsWith('0x', first) ? first + 2 : first
  let at = digits
  while (at < end && hexDigit(text.charCodeAt(at)) !== -1) at++
  return at - digits < 4 || at - digits > 16 ? -1 : at
}

function afterBlanks(text: string, from: number, end: number): number {
  let at = from
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at++
  return at
}
