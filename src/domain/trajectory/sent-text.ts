import { bytesOfMember } from '../text/json-scan.ts'

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

/** The JSON text, in UTF-8, that a trajectory's document came as; undefined where nobody kept it. */
export const sentTextOf = (document: object): Buffer | undefined => texts.get(document)
