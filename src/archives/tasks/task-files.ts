import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { SearchedFile } from '../../domain/markers/check-task.ts'
import { codeOf, type Place } from '../unpack/place.ts'

/** Matches a path against a glob: `*`, `?` within a name, `**` for folders; brackets and braces are letters. Costs at most the product of lengths. */
export function matchesGlob(glob: string, path: string): boolean {
  const wanted = namesOf(glob)
  const names = namesOf(path)
  // reached[n]: the globs up to here match the first n names.
  let reached = new Uint8Array(names.length + 1)
  reached[0] = 1
  for (const segment of wanted) {
    const next = new Uint8Array(names.length + 1)
    for (let at = 0; at <= names.length; at++) {
      if (segment === '**') next[at] = (reached[at] ?? 0) | (at > 0 ? (next[at - 1] ?? 0) : 0)
      else if (at > 0 && reached[at - 1] === 1 && matchesName(segment, names[at - 1] ?? '')) next[at] = 1
    }
    reached = next
  }
  return reached[names.length] === 1
}

/** Matches one name against `*` and `?`. After a mismatch the last star absorbs one more character, so no alignment is tried twice. */
export function matchesName(glob: string, name: string): boolean {
  let at = 0
  let wanted = 0
  let star = -1
  let absorbed = 0
  while (at < name.length) {
    if (glob[wanted] === '*') {
      star = wanted++
      absorbed = at
    } else if (wanted < glob.length && (glob[wanted] === '?' || glob[wanted] === name[at])) {
      wanted++
      at++
    } else if (star !== -1) {
      wanted = star + 1
      at = ++absorbed
    } else return false
  }
  while (glob[wanted] === '*') wanted++
  return wanted === glob.length
}

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.')

/** A window of a file's text. A match belongs to the window in whose own range it begins, so that each match is reported once. */
interface TextWindow {
  readonly text: string
  /** The own range, as offsets in `text`. */
  readonly own: { readonly start: number; readonly end: number }
  /** The line of the first character of `text`, from 1. */
  readonly line: number
}

/** Units before the own range of a window: more than the marks of a line. */
const BEFORE = 2048
const WINDOW = 1024 * 1024
const CHUNK_BYTES = 256 * 1024
const HEAD_BYTES = 8192

interface ReadFileOptions {
  /** Greatest length of a match in UTF-16 units. */
  readonly reach: number
  readonly max_bytes: number
  readonly abort: AbortSignal | undefined
  readonly visit: (window: TextWindow) => void
}

type ReadFile = Pick<SearchedFile, 'unsearched' | 'isBinary'> & { readonly bytes: number }

/** Reads a file as UTF-8, or UTF-16 with a mark, in overlapping windows, one in memory at a time. No PDF is read, and no link is followed. */
export async function readWindows({ path }: Place, options: ReadFileOptions): Promise<ReadFile> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: unknown) => codeOf(error))
  const none = { isBinary: false, bytes: 0 }
  if (typeof file === 'string') return { unsearched: `cannot be opened (${file})`, ...none }
  try {
    const stat = await file.stat()
    if (!stat.isFile()) return { unsearched: 'is no file', ...none }
    if (stat.size > options.max_bytes)
      return { unsearched: `has ${stat.size} bytes, more than the ${options.max_bytes} that are searched`, ...none }
    return await readOpened(file, options)
  } catch (error) {
    options.abort?.throwIfAborted()
    return { unsearched: `cannot be read (${codeOf(error)})`, ...none }
  } finally {
    await file.close()
  }
}

async function readOpened(file: FileHandle, { reach, max_bytes, abort, visit }: ReadFileOptions): Promise<ReadFile> {
  const head = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
  const start = head.subarray(0, bytesRead)
  if (start.toString('latin1', 0, 5) === '%PDF-') return { unsearched: 'is a PDF', isBinary: true, bytes: 0 }
  const mark = start.toString('hex', 0, 2)
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  const decoder = new TextDecoder(encoding)
  const windows = new Windows(reach, visit)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let bytes = 0
  for (;;) {
    abort?.throwIfAborted()
    const { bytesRead: read } = await file.read(chunk, 0, CHUNK_BYTES, bytes)
    if (read === 0) break
    bytes += read
    if (bytes > max_bytes) return { unsearched: 'grew while it was searched', isBinary: false, bytes }
    windows.add(decoder.decode(chunk.subarray(0, read), { stream: true }))
  }
  windows.end(decoder.decode())
  return { unsearched: null, isBinary: encoding === 'utf-8' && start.includes(0), bytes }
}

/** Cuts a text that arrives in pieces into windows. */
class Windows {
  readonly #reach: number
  readonly #visit: ReadFileOptions['visit']
  #text = ''
  #ownStart = 0
  #line = 1

  constructor(reach: number, visit: ReadFileOptions['visit']) {
    this.#reach = reach
    this.#visit = visit
  }

  add(piece: string): void {
    this.#text += piece
    while (this.#text.length >= this.#ownStart + WINDOW + this.#reach) this.#show(this.#ownStart + WINDOW)
  }

  end(piece: string): void {
    this.add(piece)
    this.#show(this.#text.length)
  }

  #show(end: number): void {
    this.#visit({ text: this.#text.slice(0, end + this.#reach), own: { start: this.#ownStart, end }, line: this.#line })
    const drop = Math.max(0, end - BEFORE)
    this.#line += newlines(this.#text, 0, drop)
    this.#text = this.#text.slice(drop)
    this.#ownStart = end - drop
  }
}

export function newlines(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
