import { leavesOf } from '../common/json-tree.ts'
import { isAbsent, isRecord, type Json, type Place, pointer } from '../common/reading.ts'
import { tellsFault } from '../tools/outcomes.ts'

/** A value and its path in the document; behind `#` inside of JSON in a string. A value assembled from pieces has a `place` for each path. */
export class Located {
  readonly value: unknown
  readonly #at: string
  readonly #place: Place | null

  constructor(value: unknown, path: string, place: Place | null = null) {
    this.value = value
    this.#at = path
    this.#place = place
  }

  get path(): string {
    return this.pathOf('')
  }

  /** Returns the path of what stands below the value, by its pointer there. */
  pathOf(pointer: string): string {
    const path = this.#at + pointer
    return this.#place === null ? path : this.#place(path)
  }

  member(key: string | number): Located {
    const record = this.value
    const own = typeof record === 'object' && record !== null && Object.hasOwn(record, key)
    const value = own ? (record as Record<string | number, unknown>)[key] : undefined
    return new Located(value, pointer(this.#at, key), this.#place)
  }

  /** Returns a member by its name in camel case, or in snake case, as Python's programs write it. */
  field(name: string): Located {
    const own = this.member(name)
    return own.value === undefined ? this.member(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) : own
  }

  /** Lists the items of an array; an empty list for other values. */
  items(): Located[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.member(index)) : []
  }
}

/** The member of a tree's object with the object's own path. */
export const PLACE = Symbol('place')

/** A message in the form of a chat, assembled from located pieces: an object, an array, or one piece. */
export type Tree = Located | string | boolean | null | undefined | readonly Tree[] | TreeRecord
interface TreeRecord {
  readonly [name: string]: Tree
  readonly [PLACE]?: string
}

/** A message of a chat, and a map from its paths to paths in the document. */
export interface PlacedMessage {
  readonly message: Json
  readonly place: Place
}

/** Builds the message of a tree; null for a tree that is no object. `path`: the place of pieces without a place of their own. */
export function placeMessage(tree: Tree, path: string): PlacedMessage | null {
  const places = new Map([['', new Located(undefined, path)]])
  const build = (node: Tree, at: string): unknown => {
    if (node instanceof Located) {
      places.set(at, node)
      return node.value
    }
    if (Array.isArray(node)) return node.map((item: Tree, index) => build(item, pointer(at, index)))
    if (typeof node !== 'object' || node === null) return node
    const own = (node as TreeRecord)[PLACE]
    if (own !== undefined) places.set(at, new Located(undefined, own))
    const members = Object.entries(node).filter(([, member]) => member !== undefined)
    return Object.fromEntries(members.map(([name, member]) => [name, build(member, pointer(at, name))]))
  }
  const message = build(tree, '')
  return isRecord(message) ? { message, place: placeIn(places) } : null
}

/** Maps a path in an assembled value to a path in the document, by the nearest piece above it. */
const placeIn =
  (places: ReadonlyMap<string, Located>): Place =>
  (path) => {
    const hash = path.indexOf('#')
    let head = hash === -1 ? path : path.slice(0, hash)
    for (;;) {
      const piece = places.get(head)
      if (piece !== undefined) return piece.pathOf(path.slice(head.length))
      head = head.slice(0, Math.max(0, head.lastIndexOf('/')))
    }
  }

/** Returns a content in the form of a chat; other values give one text per leaf. `isAgent`: the content is the agent's. */
export function contentOf(value: Located, isAgent = false): Tree {
  const content = value.value
  if (isAbsent(content) || typeof content === 'string') return value
  if (Array.isArray(content) && content.every((item) => typeof item === 'string' || isTyped(item))) return value
  if (Array.isArray(content) && content.some((item) => isConverseBlock(item) || (isAgent && isTyped(item))))
    return value.items().flatMap((item): readonly Tree[] => {
      if (isAgent && isTyped(item.value)) return [item]
      const block = isConverseBlock(item.value) ? converseBlock(item, isAgent, contentOf) : null
      return block === null ? textsOf(item) : [block]
    })
  return textsOf(value)
}

export const isTyped = (item: unknown): boolean => isRecord(item) && typeof item['type'] === 'string'

/** Returns a block of text for each leaf of a value. */
export const textsOf = (value: Located): readonly Tree[] =>
  leavesOf(value.value).map(
    ({ text, pointer }): Tree => ({ type: 'text', text: new Located(text, value.pathOf(pointer)) }),
  )

type Three = [Located, Located, Located]
const MARKS = ['toolUse', 'toolResult', 'reasoningContent'] as const

/** Recognizes a block of Bedrock's Converse (@aws-sdk/client-bedrock-runtime, ContentBlock): one named member, no type. */
export const isConverseBlock = (value: unknown): boolean =>
  isRecord(value) &&
  !('type' in value) &&
  !('role' in value) &&
  (typeof value['text'] === 'string' || MARKS.some((name) => isRecord(value[name])))

/** Converts a block of Converse to a chat's block; null for the agent's blocks in another speaker's message. */
function converseBlock(block: Located, isAgent: boolean, contentOf: (value: Located) => Tree): Tree | null {
  const [use, result, thought] = MARKS.map((name) => block.member(name)) as Three
  if (isRecord(result.value))
    return {
      type: 'tool_result',
      tool_use_id: result.member('toolUseId'),
      content: contentOf(result.member('content')),
      ...(result.value['status'] === 'error' && { is_error: true }),
    }
  const text = block.member('text')
  if (typeof text.value === 'string') return { type: 'text', text }
  if (!isAgent) return null
  if (isRecord(use.value))
    return { type: 'tool_use', id: use.member('toolUseId'), name: use.member('name'), input: use.member('input') }
  const thinking = thought.member('reasoningText').member('text')
  return typeof thinking.value === 'string' ? { type: 'reasoning', reasoning: thinking } : { type: 'redacted_thinking' }
}

/**
 * Reads a message with `parts`, in the form of the GenAI conventions (open-telemetry/semantic-conventions-genai,
 * docs/gen-ai/gen-ai-input-messages.json) or of Gemini's API. Each tool result becomes a message of its own.
 */
export function messagesOfParts(message: Located, role: string): readonly Tree[] {
  const blocks: Tree[] = []
  const results: Tree[] = []
  for (const part of message.member('parts').items()) {
    const result = resultOf(part)
    if (result === null) blocks.push(role !== 'assistant' && isAgentsOwn(part) ? part : blockOf(part))
    else results.push(result)
  }
  const words: Tree[] = blocks.length === 0 && results.length > 0 ? [] : [{ role, content: blocks }]
  return role === 'assistant' ? [...words, ...results] : [...results, ...words]
}

const AGENTS_OWN: ReadonlySet<unknown> = new Set(['tool_call', 'server_tool_call', 'reasoning', 'thinking'])

/** Recognizes parts that only an agent writes: another speaker's message shows them unchanged. */
const isAgentsOwn = (part: Located): boolean =>
  AGENTS_OWN.has(part.member('type').value) ||
  isRecord(part.field('functionCall').value) ||
  part.member('thought').value === true

/** Returns the id of a call; a list of ids, as Microsoft's Agent Framework writes it, is one id. */
const idOf = (part: Located): Tree => {
  const id = part.member('id')
  return Array.isArray(id.value) ? id.value.join(' ') : id
}

function resultOf(part: Located): Tree | null {
  const { value } = part
  if (!isRecord(value)) return null
  const type = value['type']
  if (type === 'tool_call_response' || type === 'server_tool_call_response') {
    // The schema has `response`; its examples have `result`.
    const name = ['response', 'result', 'server_tool_call_response'].find((member) => member in value) ?? 'response'
    return { role: 'tool', tool_call_id: idOf(part), content: contentOf(part.member(name)) }
  }
  const [answer, ran] = [part.field('functionResponse'), part.field('codeExecutionResult')]
  const isFailed = isRecord(ran.value) ? isFailedCode(ran.value) : isFailure(answer.member('response').value)
  const role = { role: 'function', ...(isFailed && { is_error: true }) }
  if (isRecord(ran.value)) return { ...role, name: GEMINI_CODE, content: contentOf(ran.member('output')) }
  if (!isRecord(answer.value)) return null
  const [name, tool_call_id] = [answer.member('name'), answer.member('id')]
  return { ...role, name, tool_call_id, content: contentOf(answer.member('response')) }
}

const isFailedCode = ({ outcome }: Json): boolean => outcome !== undefined && outcome !== 'OUTCOME_OK'

/** Tells whether the answer of a function holds an error and no output. */
const isFailure = (response: unknown): boolean =>
  isRecord(response) && (tellsFault(response) || (!isAbsent(response['error']) && isAbsent(response['output'])))

function blockOf(part: Located): Tree {
  const { value } = part
  if (!isRecord(value)) return part
  const content = part.member('content')
  const mime = part.member('mime_type')
  switch (value['type']) {
    case 'text':
      return typeof value['content'] === 'string' ? { type: 'text', text: content } : part
    case 'reasoning':
    case 'thinking':
      return typeof value['content'] === 'string' ? { type: 'reasoning', reasoning: content } : part
    case 'tool_call':
      return { type: 'tool_use', id: idOf(part), name: part.member('name'), input: part.member('arguments') }
    case 'server_tool_call':
      return {
        type: 'server_tool_use',
        id: part.member('id'),
        name: part.member('name'),
        input: part.member('server_tool_call'),
      }
    case 'blob':
      return { type: mediaOf(value['modality']), source: { media_type: mime, data: content } }
    case 'uri':
      return { type: mediaOf(value['modality']), source: { url: part.member('uri') } }
    case 'file':
      return { type: 'file', file: { filename: part.member('file_id') } }
    case 'Microsoft.Extensions.AI.TextReasoningContent':
      return { type: 'reasoning', reasoning: content.member('text') }
    default:
      return value['type'] === undefined ? geminiBlock(part) : part
  }
}

const mediaOf = (modality: unknown): string => ['image', 'audio', 'video'].find((kind) => kind === modality) ?? 'file'

/** The tool of the code that Gemini’s API runs itself. */
const GEMINI_CODE = 'code_execution'

function geminiBlock(part: Located): Tree {
  const text = part.member('text')
  const [call, code, data] = ['functionCall', 'executableCode', 'inlineData'].map((name) => part.field(name)) as Three
  if (isRecord(code.value)) return { type: 'tool_use', name: GEMINI_CODE, input: code }
  if (isRecord(call.value))
    return { type: 'tool_use', id: call.member('id'), name: call.member('name'), input: call.member('args') }
  if (typeof text.value === 'string') {
    const isThought = part.member('thought').value === true
    return isThought ? { type: 'reasoning', reasoning: text } : { type: 'text', text }
  }
  if (isRecord(data.value))
    return { type: 'image', source: { media_type: data.field('mimeType'), data: data.member('data') } }
  return part
}
