import { decodeUtf8 } from './decode.ts'
import { NormalText } from './normal-text.ts'

/** A line of `xxd`, `hexdump -C`, `od -t x1z` or `tcpdump -X`, near the beginning of its data. */
const DUMP = /^[ \t]*0[0x][0-9a-f]{2,14}(?::|[ \t])[ \t]*[0-9a-f]{2}/im
/**
 * `00000010: 5275 6e20 …  Run …`, `00000010  52 75 6e 20  … |Run …|`, `0x0010:  5275 …`: an offset and at most 64 bytes. Behind a colon, two blanks set the
 * characters off.
 */
const LINE = /^[ \t]*(?:0x)?[0-9a-f]{4,16}(?::[ \t]*((?:[0-9a-f]{2} ?){1,64})|[ \t]+((?:[0-9a-f]{2} *){1,64}))/gim
const BYTE = /[0-9a-f]{2}/gi

/** Reads the bytes of a dump, joined over their lines, as UTF-8; null: the text is no dump. Linear. */
export function dumpedText(text: string): NormalText | null {
  if (!DUMP.test(text)) return null
  const bytes: number[] = []
  const edits: number[] = []
  for (const { 0: line, 1: packed, 2: spread = '', index } of text.matchAll(LINE)) {
    const listed = packed ?? spread
    const from = index + line.length - listed.length
    for (const byte of listed.matchAll(BYTE)) {
      const place = from + byte.index
      edits.push(bytes.length, bytes.length + 1, place, place + 2)
      bytes.push(Number.parseInt(byte[0], 16))
    }
  }
  const read = new NormalText(Buffer.from(bytes).toString('latin1'), Uint32Array.from(edits))
  return bytes.length === 0 ? null : decodeUtf8(read)
}
