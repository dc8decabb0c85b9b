import { isAbsent, isRecord, type Json, pointer, type Reading, typeName } from './reading.ts'

/** Where the pieces of a content go. */
export interface ContentSink {
  text(text: string, path: string): void
  media(placeholder: string, path: string, kind: string): void
}

const PART_FIELDS = new Set(['type', 'text', 'source'])
const SOURCE_FIELDS = new Set(['media_type', 'path', 'duration_sec'])
const MAX_MEDIA_PATH = 300

/** What a trimmed corpus leaves of a value: the head of its JSON text. */
export const previewOf = (value: unknown): string | null =>
  isRecord(value) && value['_corpus_truncated'] === true && typeof value['preview'] === 'string'
    ? value['preview']
    : null

/** Shows what the corpus left of a value; false where the value is whole. */
export function readPreview(reading: Reading, value: unknown, path: string, sink: ContentSink): boolean {
  const preview = previewOf(value)
  if (preview === null) return false
  reading.warn(path, 'cut by the corpus that published this file; only the preview is shown')
  sink.text(preview, `${path}/preview`)
  return true
}

/** A message or the content of a result: text, or an array of parts (ATIF 1.6), or nothing. */
export function readContent(reading: Reading, content: unknown, path: string, sink: ContentSink): void {
  if (isAbsent(content)) return
  if (typeof content === 'string') sink.text(content, path)
  else if (Array.isArray(content)) {
    for (const [index, item] of content.entries()) readContentPart(reading, item, pointer(path, index), sink)
  } else if (!readPreview(reading, content, path, sink))
    reading.error(path, `must be text or an array of content parts, not ${typeName(content)}`)
}

function readContentPart(reading: Reading, part: unknown, path: string, sink: ContentSink): void {
  if (typeof part === 'string') {
    reading.warn(path, 'a content part must be an object; read as text')
    sink.text(part, path)
    return
  }
  if (!isRecord(part)) {
    reading.error(path, `a content part must be an object, not ${typeName(part)}`)
    return
  }
  reading.warnUnknown(part, path, PART_FIELDS)
  const { type, text, source } = part
  if (typeof text === 'string') {
    if (type !== 'text') reading.warn(path, 'a content part with text must be of type text; read as text')
    sink.text(text, `${path}/text`)
  } else if (type === 'text') reading.error(`${path}/text`, `must be text, not ${typeName(text)}`)
  if (type !== 'text') readMedia(reading, type, source, path, sink)
}

function readMedia(reading: Reading, type: unknown, source: unknown, path: string, sink: ContentSink): void {
  const kind = typeof type === 'string' ? type : 'part'
  if (kind !== 'image' && kind !== 'audio') reading.warn(`${path}/type`, 'unknown type of content part')
  const file = isRecord(source) ? mediaPath(reading, source, path) : null
  if (file === null) reading.warn(path, 'names no file')
  sink.media(file === null ? `[${kind.slice(0, MAX_MEDIA_PATH).toWellFormed()}]` : `[${kind}: ${file}]`, path, kind)
}

function mediaPath(reading: Reading, source: Json, path: string): string | null {
  reading.warnUnknown(source, `${path}/source`, SOURCE_FIELDS)
  const file = source['path']
  if (typeof file !== 'string' || file === '') return null
  // A data URL would put the whole picture here as base64.
  return file.length > MAX_MEDIA_PATH ? `${file.slice(0, MAX_MEDIA_PATH).toWellFormed()}…` : file
}
