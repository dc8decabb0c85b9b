import { hash } from 'node:crypto'
import { FewAnswers, once } from './result.ts'

/** A content digest, written `sha256:` and 64 hex digits. */
export type Digest = `sha256:${string}`

const LONG_STRING = 256

export const digestBytes = (bytes: Uint8Array | string): Digest => `sha256:${hash('sha256', bytes)}`

/**
 * Digest of a JSON value that does not depend on key order or white space.
 *
 * A digest tree instead of canonical text: keys are sorted, and every string above 256 characters is replaced by NUL and its
 * own digest (a raw NUL cannot occur in JSON text, so two values never share an encoding), which makes it about four times
 * cheaper than canonical JSON on large documents. Strings must be well-formed: UTF-8 would fold lone surrogates together.
 * Keys whose value is `undefined` are left out, as `JSON.stringify` does.
 */
export const digestValue = (value: unknown): Digest => digestBytes(encode(value))

/** Deeper than any trajectory needs, and shallow enough for every recursive function that meets the document later. */
export const MAX_DEPTH = 200

/** Encodings of the names of members, which every step repeats. */
const nameOf = once((key: string) => encode(key), new FewAnswers<string>(1000))

function encode(value: unknown): string {
  if (typeof value === 'string')
    return value.length > LONG_STRING ? `\0${hash('sha256', value)}` : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map((item: unknown) => `${encode(item)},`).join('')}]`
  let out = '{'
  for (const key of Object.keys(value).sort()) {
    const item = (value as Readonly<Record<string, unknown>>)[key]
    if (item !== undefined) out += `${key.length > LONG_STRING ? encode(key) : nameOf(key)}:${encode(item)},`
  }
  return `${out}}`
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const RANDOM_BITS = 80n
/** The bits behind each of the 26 digits of an id. */
const PLACES = Array.from({ length: 26 }, (_, digit) => BigInt(5 * (25 - digit)))

/** Makes ids of a prefix and a ULID (48 bits of time, 80 random bits), which sort by age within a process. */
export function createIdMaker(now: () => number, random: () => Uint8Array): (prefix: string) => string {
  let time = -1
  let tail = 0n
  return (prefix) => {
    const at = Math.max(now(), time)
    // The top bit of ten bytes stays clear, so that counting up cannot run over.
    tail = at === time ? tail + 1n : BigInt(`0x${Buffer.from(random()).toString('hex', 0, 10)}`) >> 1n
    time = at
    const bits = (BigInt(at) << RANDOM_BITS) | tail
    return `${prefix}_${PLACES.map((place) => DIGITS[Number((bits >> place) & 31n)]).join('')}`
  }
}
