import { hexDigit, readCharacter } from './text-escapes.ts'

/** A text that a part shows byte by byte; `from` maps each unit to its place in the part. */
interface DumpedText {
  readonly text: string
  readonly from: Uint32Array
}

const MOST_BYTES_A_LINE = 64

/** The bytes of `xxd` and `hexdump -C`, joined over their lines; offsets of 16 MB and more are not looked for. Null: there are none. */
export function dumpedText(text: string): DumpedText | null {
  if (!(text.startsWith('00') || text.includes('\n00')) || !DUMP.test(text)) return null
  const bytes: number[] = []
  const from: number[] = []
  for (let start = 0; start < text.length; ) {
    const stop = text.indexOf('\n', start)
    const end = stop === -1 ? text.length : stop
    readDumpLine(text, start, end, bytes, from)
    start = end + 1
  }
  if (bytes.length === 0) return null
  return decoded(bytes, from)
}

/** As UTF-8; a byte that begins no character of it stands for itself. */
function decoded(bytes: readonly number[], places: readonly number[]): DumpedText {
  const units: number[] = []
  const from: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let next = at
    const read = readCharacter(bytes[at] ?? 0, () => bytes[++next] ?? -1) ?? { code: bytes[at] ?? 0, bytes: 1 }
    for (const unit of String.fromCodePoint(read.code).split('')) {
      units.push(unit.charCodeAt(0))
      from.push(places[at] ?? 0)
    }
    at += read.bytes
  }
  return { text: Buffer.from(Uint16Array.from(units).buffer).toString('utf16le'), from: Uint32Array.from(from) }
}

const DUMP = /^[0-9a-f]{8,16}(?:: | {2})[0-9a-f]{2}/im

/** `00000010: 5275 6e20 …  Run …` or `00000010  52 75 6e 20  … |Run …|`. */
function readDumpLine(text: string, start: number, end: number, bytes: number[], from: number[]): void {
  let at = start
  while (at < end && hexDigit(text.charCodeAt(at)) !== -1) at++
  if (at - start < 8 || at - start > 16) return
  const hasColon = text[at] === ':'
  if (hasColon) at++
  else if (text[at + 1] !== ' ') return
  let read = 0
  let blanks = 0
  while (at < end && read < MOST_BYTES_A_LINE) {
    if (text[at] === ' ') {
      // xxd sets its characters off by two blanks.
      if (++blanks === 2 && hasColon && read > 0) return
      at++
      continue
    }
    blanks = 0
    const high = hexDigit(text.charCodeAt(at))
    const low = hexDigit(text.charCodeAt(at + 1))
    if (high === -1 || low === -1) return
    bytes.push(high * 16 + low)
    from.push(at)
    read++
    at += 2
  }
}
