import { digestBytes } from '../../domain/digest.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { MOST_PICTURE_CHARS, MOST_PICTURE_SIDE, PICTURE_TYPES, type Picture } from '../../domain/trajectory/picture.ts'
import { HEADER_BYTES, readPictureHeader } from './picture-header.ts'

/** What a document holds of a picture: its base64 with what it is called, or a URL that may hold both. */
export type PictureSource = { readonly media_type: unknown; readonly data: unknown } | { readonly url: unknown }

const MAX_URL_HEAD = 100

/**
 * A picture that a judge can be shown, or why it cannot be; null where the document holds none (a link, a file). Linear, and no copy of the
 * base64 is made.
 */
export function parsePicture(source: PictureSource): Result<Picture, string> | null {
  if (!('url' in source)) return typeof source.data === 'string' ? check(source.media_type, source.data) : null
  const { url } = source
  if (typeof url !== 'string' || !url.startsWith('data:')) return null
  const comma = url.slice(0, MAX_URL_HEAD).indexOf(',')
  const head = comma === -1 ? '' : url.slice('data:'.length, comma)
  if (!head.endsWith(';base64')) return err('its data URL is not base64')
  return check(head.slice(0, head.indexOf(';')), url.slice(comma + 1))
}

function check(type: unknown, data: string): Result<Picture, string> {
  const named = typeof type === 'string' ? type.slice(0, 60).toWellFormed().toLowerCase() : null
  const known = PICTURE_TYPES.find((one) => one === (named === 'image/jpg' ? 'image/jpeg' : named))
  if (known === undefined) return err(`its type (${named ?? 'none'}) is not PNG, JPEG, GIF or WebP`)
  if (data.length > MOST_PICTURE_CHARS)
    return err(`${data.length} characters of base64, more than the ${MOST_PICTURE_CHARS} that providers take`)
  if (!isBase64(data)) return err('its data is not base64')
  const header = readPictureHeader(Buffer.from(data.slice(0, Math.ceil(HEADER_BYTES / 3) * 4), 'base64'))
  if (header === null) return err('its bytes are not those of a picture')
  const { media_type, width, height } = header
  if (media_type !== known) return err(`it is called ${known}, and its bytes are ${media_type}`)
  if (width > MOST_PICTURE_SIDE || height > MOST_PICTURE_SIDE)
    return err(`${width} × ${height} pixels, and providers take ${MOST_PICTURE_SIDE} on a side`)
  return ok({ media_type, data, digest: digestBytes(data), width, height })
}

const BASE64 = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  BASE64[character.charCodeAt(0)] = 1

/** The standard alphabet, padded, without line ends: what providers take. Unit by unit: a regular expression over 5 MB keeps a stack. */
function isBase64(data: string): boolean {
  if (data === '' || data.length % 4 !== 0) return false
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  for (let at = 0; at < data.length - padding; at++) if (BASE64[data.charCodeAt(at)] !== 1) return false
  return true
}
