import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The form of a token, which is shown once: `vk_<16 hex digits>_<43 characters of base64url>`. */
const TOKEN = /^vk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/

const SECRET_BYTES = 32

const makeSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

export function makeToken(): { readonly id: string; readonly secret: string; readonly token: string } {
  const mark = randomBytes(8).toString('hex')
  const secret = makeSecret()
  return { id: `key_${mark}`, secret, token: `vk_${mark}_${secret}` }
}

/** Parses a token; null for a text of another form. */
export function parseToken(token: string): { readonly id: string; readonly secret: string } | null {
  const [, mark, secret] = TOKEN.exec(token) ?? []
  return mark === undefined || secret === undefined ? null : { id: `key_${mark}`, secret }
}

/**
 * Hashes a secret by SHA-256. A slow hash would protect nothing: 256 random bits cannot be found by trying. The text is hashed, not its bytes, since
 * several texts stand for the same bytes.
 */
export const digestSecret = (secret: string): Uint8Array => createHash('sha256').update(secret).digest()

/** Stands in for the digest of an unknown key, so that its check takes as long as that of a known key. */
const NOBODYS = digestSecret(makeSecret())

/** Compares a secret with a digest in constant time. No secret equals null, the digest of an unknown key. */
export function isSecretOf(secret: string, digest: Uint8Array | null): boolean {
  const same = timingSafeEqual(digestSecret(secret), digest ?? NOBODYS)
  return same && digest !== null
}
