import { hash } from 'node:crypto'

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

/** Encodings of values that never change, such as schemas: they are part of every digest of a question. */
const FIXED = new WeakMap<object, string>()

/** Keeps the encoding of a value that is never changed from now on. Answers the value. */
export function keepEncoding<T extends object>(value: T): T {
  FIXED.set(value, encode(value))
  return value
}

function encode(value: unknown): string {
  if (typeof value === 'string') return encodeString(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return (
    FIXED.get(value) ?? (Array.isArray(value) ? encodeArray(value) : encodeRecord(value as Record<string, unknown>))
  )
}

function encodeArray(items: readonly unknown[]): string {
  let out = '['
  for (const item of items) out += `${encode(item)},`
  return `${out}]`
}

function encodeRecord(record: Readonly<Record<string, unknown>>): string {
  let out = '{'
  for (const key of Object.keys(record).sort()) {
    const item = record[key]
    if (item !== undefined) out += `${encodeString(key)}:${encode(item)},`
  }
  return `${out}}`
}

const encodeString = (text: string): string =>
  text.length > LONG_STRING ? `\0${hash('sha256', text)}` : JSON.stringify(text)
