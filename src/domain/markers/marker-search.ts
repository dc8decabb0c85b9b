import { type Entry, eachMatch, isSure, type Needles, stringNeedles, WHOLE } from '../sights/needle-search.ts'
import { readLetters } from '../text/letters.ts'
import { baseName } from '../words.ts'

/** A string of a marker that stands in a text. Offsets are those of the text. */
interface StringPlace {
  readonly string: string
  readonly start: number
  readonly end: number
}

/** Places of one string that are told of one text; more tell nothing new. */
const MOST_OF_A_STRING = 20
/** Places of a short string that are compared as they are written, in one text. */
const MOST_COMPARED = 20_000

/**
 * Finds strings of markers as the evidence gate finds a certain sight of what the harness gave: through white space, line marks, control
 * sequences, escapes and disguises, whole words only; a short string only as it is written. Besides, where a line ends with a backslash. Linear in the text, for all strings at once.
 */
export class MarkerSearch {
  /** UTF-16 units of the longest string. */
  readonly longest: number
  private readonly needles: Needles

  constructor(strings: readonly string[]) {
    this.longest = strings.reduce((most, one) => Math.max(most, one.length), 0)
    this.needles = stringNeedles(strings)
  }

  /** Lists every place of every string, up to a number of each. */
  find(text: string): StringPlace[] {
    const { all } = this.needles
    if (all.length === 0) return []
    const found = new Map<string, StringPlace>()
    const told = new Uint32Array(all.length)
    const compared = new Uint32Array(all.length)
    const wanted = ({ needle, piece }: Entry): boolean =>
      piece === WHOLE && (told[needle] ?? 0) < MOST_OF_A_STRING && (compared[needle] ?? 0) < MOST_COMPARED
    eachMatch(this.needles, readLetters(text), wanted, (match) => {
      const { entry, needle, start, end } = match
      const key = `${entry.needle}/${start}`
      compared[entry.needle] = (compared[entry.needle] ?? 0) + 1
      if (found.has(key) || !isSure(text, match)) return true
      told[entry.needle] = (told[entry.needle] ?? 0) + 1
      found.set(key, { string: needle.text, start, end })
      return true
    })
    return [...found.values()]
  }
}

/** Endings of files whose content shows, sounds or is packed: a search of their bytes says nothing of what they hold. SVG is text. */
const ENDINGS = new Set(
  (
    'aac avi avif bmp flac gif heic ico jpeg jpg m4a m4v mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus pdf png psd svgz tif tiff wav webm webp wma wmv ' +
    '7z apk bz2 docx gz jar lz4 odp ods odt pptx rar tar tbz tgz txz whl xlsx xz zip zst'
  ).split(' '),
)

export function isMediaName(path: string): boolean {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot >= 0 && ENDINGS.has(name.slice(dot + 1).toLowerCase())
}

/** First bytes, from an offset, of pictures, films, sounds and archives, whatever their names are. */
const MAGIC: readonly (readonly [kind: string, offset: number, bytes: string])[] = [
  ['a PNG picture', 0, '\x89PNG'],
  ['a JPEG picture', 0, '\xff\xd8\xff'],
  ['a GIF picture', 0, 'GIF8'],
  ['a BMP picture', 0, 'BM'],
  ['a TIFF picture', 0, 'II*\0'],
  ['a TIFF picture', 0, 'MM\0*'],
  ['an MP4 film or a HEIF picture', 4, 'ftyp'],
  ['a Matroska film', 0, '\x1aE\xdf\xa3'],
  ['a RIFF picture, film or sound', 0, 'RIFF'],
  ['an Ogg film or sound', 0, 'OggS'],
  ['a FLAC sound', 0, 'fLaC'],
  ['an MP3 sound', 0, 'ID3'],
  ['a PDF', 0, '%PDF-'],
  ['a gzip archive', 0, '\x1f\x8b'],
  ['a zip archive', 0, 'PK\x03\x04'],
  ['a bzip2 archive', 4, '1AY&SY'],
  ['an xz archive', 0, '\xfd7zXZ'],
  ['a zstd archive', 0, '\x28\xb5\x2f\xfd'],
  ['a 7z archive', 0, '7z\xbc\xaf'],
  ['a tar archive', 257, 'ustar'],
]

/** Names the kind of medium that the first bytes of a file tell (512 are enough); null: a search can read the file, or try to. */
export function mediaIn(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const found = MAGIC.find(
    ([, offset, start]) => bytes.toString('latin1', offset, offset + start.length) === start && !isText(start, bytes),
  )
  return found?.[0] ?? null
}

/** Marks that a text may begin with, too: there, only a byte that no text has says that it is none. */
const LETTERS = new Set(['GIF8', 'BM', 'ftyp', 'RIFF', 'OggS', 'fLaC', 'ID3', 'ustar'])
const isText = (mark: string, bytes: Buffer): boolean => LETTERS.has(mark) && !bytes.includes(0)
