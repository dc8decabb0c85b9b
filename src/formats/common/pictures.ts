import { digestBytes } from '../../domain/digest.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { Picture } from '../../domain/trajectory/trajectory.ts'
import { MOST_PICTURE_CHARS, MOST_PICTURE_SIDE, PICTURE_TYPES } from '../../domain/trajectory/trajectory.ts'

/** The picture of a document: its base64 with its media type, or a URL that may hold both. */
export type PictureSource = { readonly media_type: unknown; readonly data: unknown } | { readonly url: unknown }

const MAX_URL_HEAD = 100

/** Parses a picture for a judge; an error tells the reason against it; null without picture data. Takes linear time and copies no base64. */
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
  const declared = typeof type === 'string' ? type.slice(0, 60).toWellFormed().toLowerCase() : null
  const accepted = PICTURE_TYPES.find((type) => type === (declared === 'image/jpg' ? 'image/jpeg' : declared))
  if (accepted === undefined) return err(`its type (${declared ?? 'none'}) is not PNG, JPEG, GIF or WebP`)
  if (data.length > MOST_PICTURE_CHARS)
    return err(`${data.length} characters of base64, more than the ${MOST_PICTURE_CHARS} that providers take`)
  if (!isBase64(data)) return err('its data is not base64')
  const header = readPictureHeader(Buffer.from(data.slice(0, Math.ceil(HEADER_BYTES / 3) * 4), 'base64'))
  if (header === null) return err('its bytes are not those of a picture')
  const { media_type, width, height } = header
  if (media_type !== accepted) return err(`it is called ${accepted}, and its bytes are ${media_type}`)
  if (width > MOST_PICTURE_SIDE || height > MOST_PICTURE_SIDE)
    return err(`${width} × ${height} pixels, and providers take ${MOST_PICTURE_SIDE} on a side`)
  return ok({ media_type, data, digest: digestBytes(data), width, height })
}

const BASE64 = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  BASE64[character.charCodeAt(0)] = 1

/** Tells whether data is base64 as providers accept it: standard alphabet, padded, without line ends. A regular expression over 5 MB keeps a stack. */
function isBase64(data: string): boolean {
  if (data === '' || data.length % 4 !== 0) return false
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  for (let at = 0; at < data.length - padding; at++) if (BASE64[data.charCodeAt(at)] !== 1) return false
  return true
}

type PictureHeader = Pick<Picture, 'media_type' | 'width' | 'height'>

/** Bytes within which a JPEG must give its size: profiles and previews may come first. */
const HEADER_BYTES = 256 * 1024

function readPictureHeader(bytes: Buffer): PictureHeader | null {
  const size = sizeOfPng(bytes) ?? sizeOfGif(bytes) ?? sizeOfWebp(bytes) ?? sizeOfJpeg(bytes)
  return size === null || size.width === 0 || size.height === 0 ? null : size
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function sizeOfPng(bytes: Buffer): PictureHeader | null {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(PNG) || ascii(bytes, 12, 16) !== 'IHDR') return null
  return { media_type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function sizeOfGif(bytes: Buffer): PictureHeader | null {
  const version = ascii(bytes, 0, 6)
  if (bytes.length < 10 || (version !== 'GIF87a' && version !== 'GIF89a')) return null
  return { media_type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** Reads the size from the three layouts of RFC 9649: lossy, lossless, extended. */
function sizeOfWebp(bytes: Buffer): PictureHeader | null {
  if (bytes.length < 30 || ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP') return null
  const size = (width: number, height: number): PictureHeader => ({ media_type: 'image/webp', width, height })
  switch (ascii(bytes, 12, 16)) {
    case 'VP8 ':
      return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return null
  }
}

/** Recognizes frame headers, SOF0 to SOF15 without DHT, JPG and DAC (ITU T.81, table B.1). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

function sizeOfJpeg(bytes: Buffer): PictureHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at++
    else if (isFrame(marker))
      return { media_type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    // A segment without a length, or shorter than its length field, belongs to no picture.
    else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda) || bytes.readUInt16BE(at + 2) < 2) return null
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to)
