import type { PictureType } from '../../domain/trajectory/picture.ts'

/** What the first bytes of a picture say of it. Nothing is decoded. */
interface PictureHeader {
  readonly media_type: PictureType
  readonly width: number
  readonly height: number
}

/** Bytes within which a JPEG must say its size: profiles and previews may stand before it. */
export const HEADER_BYTES = 256 * 1024

/** Null: none of the four kinds, or its size cannot be told from these bytes. */
export function readPictureHeader(bytes: Buffer): PictureHeader | null {
  const size = sizeOf(bytes)
  return size === null || size.width === 0 || size.height === 0 ? null : size
}

const sizeOf = (bytes: Buffer): PictureHeader | null =>
  sizeOfPng(bytes) ?? sizeOfGif(bytes) ?? sizeOfWebp(bytes) ?? sizeOfJpeg(bytes)

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

/** The three layouts of RFC 9649: lossy, lossless, extended. */
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

/** Frame headers (SOF0 to SOF15 without the tables DHT, JPG and DAC among them), ITU T.81 table B.1. */
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
    // A segment without a length, or one that is shorter than its own length, is no header of a picture.
    else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda) || bytes.readUInt16BE(at + 2) < 2) return null
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to)
