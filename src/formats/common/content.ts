import { wordSet } from '../../domain/words.ts'
import { LONGEST_WORDS } from '../tools/outcomes.ts'
import { decodeObject, type Leaf, leavesOf } from './json-tree.ts'
import { type ContentSink, isAbsent, isRecord, itemsIn, type Json, type Reading } from './reading.ts'
import { addLeaves, asRecord, asText, mediaText } from './session.ts'
import { mayAct } from './unread-acts.ts'

/** Returns the head of a value's JSON text, which a trimmed corpus keeps instead of the value. */
export const previewOf = (value: unknown): string | null =>
  isRecord(value) && value['_corpus_truncated'] === true && typeof value['preview'] === 'string'
    ? value['preview']
    : null

/** Shows the preview of a value that the corpus cut; false where the value is whole. `holdsActs`: the cut rest may hold acts. */
export function readPreview(
  reading: Reading,
  value: unknown,
  path: string,
  sink: ContentSink,
  holdsActs = false,
): boolean {
  const preview = previewOf(value)
  if (preview === null) return false
  reading.unread(path, 'cut by the corpus that published this file; only the preview is shown', holdsActs)
  sink.text(preview, `${path}/preview`)
  return true
}

/** Reads a block of a format of its own; `readBlock` reads those of the providers. */
export type ReadBlock = (reading: Reading, block: Json, path: string, sink: ContentSink) => void

/** Reads a content: text, an array of texts and blocks, or nothing. */
export function readContent(
  reading: Reading,
  content: unknown,
  path: string,
  sink: ContentSink,
  read: ReadBlock = readBlock,
): void {
  if (isAbsent(content)) return
  if (typeof content === 'string') sink.text(content, path)
  else if (!Array.isArray(content)) reading.odd(path, 'text or an array of content blocks', content)
  else for (const [block, at] of itemsIn(content, path)) readAnyBlock(reading, block, at, sink, read)
}

export function readAnyBlock(
  reading: Reading,
  block: unknown,
  path: string,
  sink: ContentSink,
  read: ReadBlock = readBlock,
): void {
  if (typeof block === 'string') sink.text(block, path)
  else if (isRecord(block)) read(reading, block, path, sink)
  else reading.odd(path, 'a content block', block)
}

const TEXTS: ReadonlySet<unknown> = wordSet('text input_text output_text summary_text reasoning_text')
/** Kinds of media, as the types of blocks name them: `input_image`, `document`. */
const KINDS = ['image', 'audio', 'video', 'document', 'file'] as const

/** Reads a block as Anthropic, OpenAI and MCP write it: a text, or media; the leaves of any other block are shown. */
export function readBlock(reading: Reading, block: Json, path: string, sink: ContentSink): void {
  const { type, text, refusal, tool_name: tool, image_urls: urls, ...rest } = block
  const kind = typeof type === 'string' ? KINDS.find((name) => type.includes(name)) : undefined
  if (typeof text === 'string' && (TEXTS.has(type) || type === undefined)) sink.text(text, `${path}/text`)
  else if (type === 'text') reading.odd(`${path}/text`, 'text', text)
  else if (typeof refusal === 'string') sink.text(refusal, `${path}/refusal`)
  else if (type === 'tool_reference' && typeof tool === 'string') sink.text(tool, `${path}/tool_name`)
  else if (type === 'encrypted_content') reading.warnOnce(path, 'encrypted content; it cannot be shown')
  else if (Array.isArray(urls) && urls.length > 0)
    for (const [url, at] of itemsIn(urls, `${path}/image_urls`))
      sink.media(mediaText('image', url), at, 'image', { url })
  else if (kind !== undefined) readSource(block, path, kind, sink)
  else {
    if (mayAct(block)) reading.countUnread(path, true)
    reading.warnType(path, 'type of content block', type)
    addLeaves(sink, { ...(text !== undefined && { text }), ...rest }, path)
  }
}

/**
 * Reads media: `source` of Anthropic, `image_url` of OpenAI, or `data` with its `mimeType`. ATIF's `source` has the path of a file; its `data`
 * is Veridict's own: the base64 of that file, so that the picture travels along.
 */
function readSource(block: Json, path: string, kind: string, sink: ContentSink): void {
  const { source, image_url: image, mimeType, filename } = block
  const { type, data = block['data'], url: link, path: file, media_type: media = mimeType, content } = asRecord(source)
  const url = link ?? (isRecord(image) ? image['url'] : image)
  if (type === 'text' && typeof data === 'string') sink.text(data, `${path}/source/data`)
  else if (type === 'content' && typeof content === 'string') sink.text(content, `${path}/source/content`)
  else {
    const picture = isAbsent(data) ? { url: url ?? file } : { media_type: media, data }
    const text = mediaText(kind, asText(url) ?? asText(file) ?? media ?? filename)
    sink.media(text, path, kind, kind === 'image' ? picture : undefined)
  }
}

/** Reads a message or the content of a result of ATIF: text, an array of parts (since 1.6), or the preview of a cut value. */
export function readAtifContent(reading: Reading, content: unknown, path: string, sink: ContentSink): void {
  if (!readPreview(reading, content, path, sink)) readContent(reading, content, path, sink)
}

/** Members of the JSON envelope that mini-swe-agent, predev and similar harnesses put around a command's output. */
const ENVELOPE = wordSet(`output stdout stderr error exception_info exception returncode return_code exit_code signal
  success timed_out truncated interrupted duration duration_ms`)
const OUTPUTS = ['output', 'stdout', 'stderr', 'error'] as const
const MCP_ENVELOPE = new Set(['content', 'structuredContent', 'isError', 'meta', '_meta'])

const hasOnly = (record: Json, names: ReadonlySet<string>): boolean =>
  Object.keys(record).every((key) => names.has(key))

/** Returns the leaves of a tool output in a known envelope, with inner pointers; null for any other text, also for JSON that a command printed. */
export function openEnvelope(text: string): readonly Leaf[] | null {
  const envelope = decodeObject(text)
  if (envelope === null) return null
  if (OUTPUTS.some((key) => Object.hasOwn(envelope, key)) && hasOnly(envelope, ENVELOPE))
    return Object.entries(envelope).flatMap(([key, value]) => (value === null ? [] : leavesOf(value, `/${key}`, key)))
  const content = envelope['content']
  if (Array.isArray(content) && 'isError' in envelope && hasOnly(envelope, MCP_ENVELOPE))
    return mcpLeaves(envelope, content)
  return null
}

/** Returns the leaves of an MCP result: the texts, then every other member that is not null. */
function mcpLeaves(envelope: Json, content: readonly unknown[]): Leaf[] {
  const texts = content.flatMap((item, index) =>
    isRecord(item) && item['type'] === 'text' && typeof item['text'] === 'string'
      ? [{ pointer: `/content/${index}/text`, name: '', text: item['text'] }]
      : leavesOf(item, `/content/${index}`, `content.${index}`),
  )
  const rest = Object.entries(envelope).filter(([key, value]) => key !== 'content' && value !== null)
  // `structuredContent` repeats the texts as data: its leaves would outnumber them, so it is one leaf.
  return [...texts, ...rest.map(([key, value]) => ({ pointer: `/${key}`, name: key, text: JSON.stringify(value) }))]
}

/** Returns the words that tell a result's outcome: all texts, one a line; only those of the first block where all are too long for a harness. */
export function wordsOf(content: unknown): string {
  if (isAbsent(content)) return ''
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? content.map((block: unknown) => textOf([block])) : []
  const texts = blocks.some((text) => text !== '') ? blocks : leavesOf(content).map(({ text }) => text)
  const words = texts.join('\n')
  return words.length > LONGEST_WORDS ? textOf(content) : words
}

/** Returns the texts of the blocks of a content; none where the content is no array. */
export const textsIn = (content: unknown): string[] =>
  Array.isArray(content)
    ? content.flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    : []

/** Returns the text of a result, or of its first block. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const [first] = Array.isArray(content) ? content : []
  return isRecord(first) && typeof first['text'] === 'string' ? first['text'] : ''
}
