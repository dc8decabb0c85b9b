import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A key as it is given out, once: `vk_<16 hex digits>_<43 characters of base64url>`. */
const TOKEN = /^vk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/
const SECRET = /^[A-Za-z0-9_-]{43}$/

const SECRET_BYTES = 32

export const makeSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

export function makeToken(): { readonly id: string; readonly secret: string; readonly token: string } {
  const mark = randomBytes(8).toString('hex')
  const secret = makeSecret()
  return { id: `key_${mark}`, secret, token: `vk_${mark}_${secret}` }
}

/** Null: this was never given out. */
export function parseToken(token: string): { readonly id: string; readonly secret: string } | null {
  const [, mark, secret] = TOKEN.exec(token) ?? []
  return mark === undefined || secret === undefined ? null : { id: `key_${mark}`, secret }
}

export const isSecret = (text: string): boolean => SECRET.test(text)

/**
 * SHA-256, not a slow hash: a secret is 256 random bits, which cannot be found by trying, however fast each try is. Of the text and
 * not of its bytes, since several texts stand for the same bytes.
 */
export const digestSecret = (secret: string): Uint8Array => createHash('sha256').update(secret).digest()

/** What an unknown key is compared with, so that it takes as long as a known one. */
const NOBODYS = digestSecret(makeSecret())

/** In constant time; null: a key that is not there, which nothing equals. */
export function isSecretOf(secret: string, digest: Uint8Array | null): boolean {
  const same = timingSafeEqual(digestSecret(secret), digest ?? NOBODYS)
  return same && digest !== null
}
