import { wordSet } from '../../domain/words.ts'
import { LONGEST_WORDS } from '../tools/outcomes.ts'
import { named, own } from '../tools/tool-table.ts'
import { decodeObject, type Leaf, leavesOf } from './json-tree.ts'
import { type ContentSink, isAbsent, isRecord, itemsIn, type Json, mayAct } from './reading.ts'
import { addLeaves, asList, asRecord, asText, isEmpty, mediaText } from './session.ts'

/** Returns the head of a value's JSON text, which a trimmed corpus keeps instead of the value. */
export const previewOf = (value: unknown): string | null =>
  isRecord(value) && value['_corpus_truncated'] === true && typeof value['preview'] === 'string'
    ? value['preview']
    : null

/** Shows the preview of a value that the corpus cut; false where the value is whole. `holdsActs`: the cut rest may hold acts. */
export function readPreview(value: unknown, path: string, sink: ContentSink, holdsActs = false): boolean {
  const preview = previewOf(value)
  if (preview === null) return false
  sink.reading.unread(path, 'cut by the corpus that published this file; only the preview is shown', holdsActs)
  sink.text(preview, `${path}/preview`)
  return true
}

/** Reads a block of a format of its own; `readBlock` reads those of the providers. */
type ReadBlock = (block: Json, path: string, sink: ContentSink) => void

/** Reads a content: text, an array of texts and blocks, or nothing. */
export function readContent(content: unknown, path: string, sink: ContentSink, read: ReadBlock = readBlock): void {
  if (isAbsent(content)) return
  if (typeof content === 'string') sink.text(content, path)
  else if (!Array.isArray(content)) sink.reading.odd(path, 'text or an array of content blocks', content)
  else for (const [block, at] of itemsIn(content, path)) readAnyBlock(block, at, sink, read)
}

export function readAnyBlock(block: unknown, path: string, sink: ContentSink, read: ReadBlock = readBlock): void {
  if (typeof block === 'string') sink.text(block, path)
  else if (isRecord(block)) read(block, path, sink)
  else sink.reading.odd(path, 'a content block', block)
}

const TEXTS: ReadonlySet<unknown> = wordSet('text input_text output_text summary_text reasoning_text')
const MEDIA: Readonly<Record<string, string>> = {
  ...{ ...named('image', 'image image_url input_image'), ...named('audio', 'audio input_audio') },
  ...{ ...named('video', 'video video_url'), ...named('file', 'file input_file'), document: 'document' },
}

/** Reads a block of a provider, the AI SDK, Inspect or MCP: a text, media, else its leaves. `mayBeAct`: an unknown block may hold an act. */
export function readBlock(block: Json, path: string, sink: ContentSink, mayBeAct = true): void {
  const { reading } = sink
  const { type, ...rest } = block
  const { text, refusal, tool_name: tool, image_urls: urls } = rest
  const kind = typeof type === 'string' ? own(MEDIA, type) : undefined
  if (typeof text === 'string' && (TEXTS.has(type) || isAbsent(type))) sink.text(text, `${path}/text`)
  else if (TEXTS.has(type)) reading.odd(`${path}/text`, 'text', text)
  else if (typeof refusal === 'string') sink.text(refusal, `${path}/refusal`)
  else if (type === 'tool_reference' && typeof tool === 'string') sink.text(tool, `${path}/tool_name`)
  else if (type === 'encrypted_content') reading.warnOnce(path, 'encrypted content; it cannot be shown')
  else if (Array.isArray(urls) && urls.length > 0)
    for (const [url, at] of itemsIn(urls, `${path}/image_urls`))
      sink.media(mediaText('image', url), at, 'image', { url })
  else if (kind !== undefined) readMedia(block, path, kind, sink)
  else {
    if (mayBeAct && mayAct(block)) reading.countUnread(path, true)
    reading.warnType(path, 'type of content block', type)
    addLeaves(sink, isEmpty(rest) ? block : rest, path)
  }
}

/** Reads media: `source` (Anthropic, ATIF), `image_url` (OpenAI), `image` (Inspect, AI SDK), or `data`: Veridict's copy of a file of ATIF. */
function readMedia(block: Json, path: string, kind: string, sink: ContentSink): void {
  const given = block[`${kind}_url`] ?? block[kind] ?? block['source']
  const source = asRecord(given)
  const media = source['media_type'] ?? block['mimeType'] ?? block['mediaType']
  const link = isRecord(given) ? (given['url'] ?? given['path']) : given
  // The AI SDK's picture is a link or the base64 itself.
  const isData = typeof given === 'string' && !isAbsent(media) && !given.slice(0, MAX_SCHEME).includes(':')
  const data = source['data'] ?? block['data'] ?? (isData ? given : null)
  const inner = source['type'] === 'text' ? 'data' : source['type'] === 'content' ? 'content' : null
  if (inner !== null) readContent(source[inner], `${path}/source/${inner}`, sink)
  else {
    const url = isData || ATTACHED.some((scheme) => asText(link)?.startsWith(scheme)) ? null : asText(link)
    const text = mediaText(kind, url ?? media ?? source['filename'] ?? block['filename'])
    const picture = isAbsent(data) ? { url: link } : { media_type: media, data }
    sink.media(text, path, kind, kind === 'image' ? picture : undefined)
  }
}

const ATTACHED = ['attachment://', 'tc://'] as const
/** Bounds the head of a link that is searched for its scheme, in UTF-16 units. */
const MAX_SCHEME = 40

/** Reads a message or the content of a result of ATIF: text, an array of parts (since 1.6), or the preview of a cut value. */
export function readAtifContent(content: unknown, path: string, sink: ContentSink): void {
  if (!readPreview(content, path, sink)) readContent(content, path, sink)
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

/** Returns the texts of a content: a text, or those of its blocks; none for another value. */
export const textsIn = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : asList(content).flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))

/** Returns the text of a result, or of its first block. */
export const textOf = (content: unknown): string =>
  textsIn(Array.isArray(content) ? content.slice(0, 1) : content)[0] ?? ''
