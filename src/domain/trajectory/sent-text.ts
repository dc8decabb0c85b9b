import { endOfString } from '../text/exact-json.ts'

/** By document: its JSON text in UTF-8, or what another thread has packed it into for the store. */
const texts = new WeakMap<object, Buffer>()

/**
 * Remembers the text of a request's trajectory for as long as the trajectory lives: it is stored as it came, and not written anew. `bytes`: the JSON
 * in UTF-8 that `request` was parsed from; a copy is kept.
 */
export function rememberSentText(request: unknown, bytes: Buffer): void {
  const { trajectory } = (request ?? {}) as { readonly trajectory?: unknown }
  if (typeof trajectory !== 'object' || trajectory === null) return
  const sent = bytesOfMember(bytes, 'trajectory')
  if (sent !== null) texts.set(trajectory, Buffer.from(sent))
}

/** Remembers the bytes of a document that another thread has read, and packed: this one has none of its members. */
export const rememberPacked = (document: object, packed: Uint8Array): void =>
  void texts.set(document, Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength))

/** Returns the remembered text of a trajectory’s document; undefined where none was kept. */
export const sentTextOf = (document: object): Buffer | undefined => texts.get(document)

/**
 * Finds the bytes of a member's value in the text of a JSON object. Null where it has no such member or several, or a name with an escape, which may be
 * the same name: `JSON.parse` of these bytes is that member of `JSON.parse` of the whole.
 */
export function bytesOfMember(bytes: Buffer, name: string): Buffer | null {
  /** One unit a byte. */
  const text = bytes.toString('latin1')
  let found: Buffer | null = null
  for (let at = text.indexOf('"'); at !== -1; ) {
    const behind = endOfString(text, at)
    const key = text.slice(at + 1, behind - 1)
    const start = text.indexOf(':', behind) + 1
    const end = endOfValue(text, start)
    if (start === 0 || end === -1 || key.includes('\\') || (key === name && found !== null)) return null
    if (key === name) found = bytes.subarray(start, end)
    at = text[end] === ',' ? text.indexOf('"', end) : -1
  }
  return found
}

/** Finds the comma or the bracket behind the value that begins at `from`; −1 where there is none. */
function endOfValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const mark = text[at]
    if (mark === '"') at = endOfString(text, at) - 1
    else if (mark === '{' || mark === '[') depth++
    else if (depth === 0 && (mark === ',' || mark === '}' || mark === ']')) return at
    else if (mark === '}' || mark === ']') depth--
  }
  return -1
}
