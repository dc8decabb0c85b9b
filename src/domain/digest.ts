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
export const digestValue = (value: unknown): Digest => digestBytes(encode(value, null, 0))

/** Deeper than any trajectory needs, and shallow enough for every recursive function that meets the document later. */
export const MAX_DEPTH = 200

/** Digests a value from outside; null for lone surrogates, what is not JSON or would change once stored (`1e400`), and `MAX_DEPTH` levels. */
export function digestSound(value: unknown): Digest | null {
  const check = { isSound: true }
  const encoding = encode(value, check, 0)
  return check.isSound ? digestBytes(encoding) : null
}

interface Check {
  isSound: boolean
}

/** `check`: for a value that may be unsound. */
function encode(value: unknown, check: Check | null, depth: number): string {
  if (typeof value === 'string') {
    if (check !== null && !value.isWellFormed()) check.isSound = false
    return value.length > LONG_STRING ? `\0${hash('sha256', value)}` : JSON.stringify(value)
  }
  if (typeof value !== 'object' || value === null) {
    if (check !== null && isNoJson(value)) check.isSound = false
    return String(value)
  }
  if (check !== null && depth === MAX_DEPTH) check.isSound = false
  if (check?.isSound === false) return ''
  if (Array.isArray(value)) {
    let out = '['
    for (let index = 0; index < value.length; index++) out += `${encode(value[index], check, depth + 1)},`
    return `${out}]`
  }
  return encodeRecord(value as Readonly<Record<string, unknown>>, check, depth)
}

function encodeRecord(record: Readonly<Record<string, unknown>>, check: Check | null, depth: number): string {
  let out = '{'
  for (const key of Object.keys(record).sort()) {
    const item = record[key]
    if (item !== undefined) out += `${encode(key, check, 0)}:${encode(item, check, depth + 1)},`
  }
  return `${out}}`
}

/** `findUnsound` (formats/common) has the words for each. */
function isNoJson(value: unknown): boolean {
  const type = typeof value
  return value === Infinity || value === -Infinity || type === 'function' || type === 'symbol' || type === 'bigint'
}
