import { bytesOfMember } from '../text/json-scan.ts'

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
