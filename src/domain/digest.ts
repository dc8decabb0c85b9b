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

/** Deeper than any trajectory needs, and shallow enough for every recursive function that meets the document later. */
export const MAX_DEPTH = 200

function encode(value: unknown): string {
  if (typeof value === 'string')
    return value.length > LONG_STRING ? `\0${hash('sha256', value)}` : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  let out = Array.isArray(value) ? '[' : '{'
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) out += `${encode(value[index])},`
    return `${out}]`
  }
  for (const key of Object.keys(value).sort()) {
    const item = (value as Readonly<Record<string, unknown>>)[key]
    if (item !== undefined) out += `${encode(key)}:${encode(item)},`
  }
  return `${out}}`
}
