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
export function digestValue(value: unknown): Digest {
  const out: string[] = []
  encode(value, out)
  return digestBytes(out.join(''))
}

/** Encodings of values that never change, such as schemas: they are part of every digest of a question. */
const FIXED = new WeakMap<object, string>()

/** Keeps the encoding of a value that is never changed from now on. Answers the value. */
export function keepEncoding<T extends object>(value: T): T {
  const out: string[] = []
  encode(value, out)
  FIXED.set(value, out.join(''))
  return value
}

function encode(value: unknown, out: string[]): void {
  const fixed = typeof value === 'object' && value !== null ? FIXED.get(value) : undefined
  if (fixed !== undefined) out.push(fixed)
  else if (typeof value === 'string') out.push(encodeString(value))
  else if (Array.isArray(value)) {
    out.push('[')
    for (const item of value) {
      encode(item, out)
      out.push(',')
    }
    out.push(']')
  } else if (typeof value === 'object' && value !== null) {
    out.push('{')
    const record = value as Record<string, unknown>
    for (const key of Object.keys(record).sort()) {
      const item = record[key]
      if (item === undefined) continue
      out.push(encodeString(key), ':')
      encode(item, out)
      out.push(',')
    }
    out.push('}')
  } else out.push(String(value))
}

function encodeString(text: string): string {
  return text.length > LONG_STRING ? `\0${hash('sha256', text)}` : JSON.stringify(text)
}
