import { parseJson } from '../../domain/text/exact-json.ts'
import { type Place, type ReadBytes, readBytes } from './place.ts'

type ReadText =
  | { readonly kind: 'read'; readonly text: string; readonly warnings: readonly string[] }
  | Exclude<ReadBytes, { kind: 'read' }>

const STRICT = new TextDecoder('utf-8', { fatal: true })
const LENIENT = new TextDecoder('utf-8')

/** Tells whether JSON, or any text with a byte order mark, is written in UTF-16. */
export function isUtf16([first = -1, second = -1, third = -1, fourth = -1]: Uint8Array): boolean {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return (
    hasMark || (isOpening(first) && second === 0 && fourth <= 0) || (first === 0 && isOpening(second) && third <= 0)
  )
}

/** Recognizes `{` or `[`. */
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b

/** Decodes UTF-8 text without its byte order mark. Invalid bytes become U+FFFD, with a warning. */
export function decodeText(bytes: Uint8Array): ReadText {
  if (isUtf16(bytes)) return decodeUtf16(bytes)
  try {
    return { kind: 'read', text: STRICT.decode(bytes), warnings: [] }
  } catch (error) {
    if (!(error instanceof TypeError)) return { kind: 'over', detail: 'longer than a text can be here' }
    const warning = 'the file is not UTF-8 throughout; what cannot be decoded is shown as U+FFFD'
    return { kind: 'read', text: LENIENT.decode(bytes), warnings: [warning] }
  }
}

function decodeUtf16(bytes: Uint8Array): ReadText {
  const isBig = bytes[0] === 0xfe || bytes[0] === 0
  const [encoding, name] = isBig ? ['utf-16be', 'big endian'] : ['utf-16le', 'little endian']
  return {
    kind: 'read',
    text: new TextDecoder(encoding).decode(bytes),
    warnings: [`the file is UTF-16 (${name}), not UTF-8; read as such`],
  }
}

export async function readText(place: Place, max: number): Promise<ReadText> {
  const read = await readBytes(place, max)
  return read.kind === 'read' ? decodeText(read.bytes) : read
}

/** Reads a small JSON file of a harness; null for a missing or invalid file. */
export async function readJson(place: Place | null, max: number): Promise<unknown> {
  const read = place === null ? null : await readText(place, max)
  return read?.kind === 'read' ? (parseJson(read.text) ?? null) : null
}
