import { wordSet } from '../../domain/words.ts'
import { leavesOf } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, type Place, pointer } from '../common/reading.ts'
import { isEmpty } from '../common/session.ts'
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

  /** The value as an object; an empty one for other values. */
  get record(): Json {
    return isRecord(this.value) ? this.value : {}
  }

  get isAssembled(): boolean {
    return this.#place !== null
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

  items(): Located[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.member(index)) : []
  }
}

/** The member of a tree's object with the object's own path. */
export const PLACE = Symbol('place')

/** A message in the form of a chat, assembled from located pieces: an object, an array, or one piece. */
export type Tree = Located | string | boolean | null | undefined | readonly Tree[] | TreeRecord
export type TreeRecord = { readonly [name: string]: Tree; readonly [PLACE]?: string }

/** Builds the message of a tree; null for a tree that is no object. `path`: the place of pieces without a place of their own. */
export function placeMessage(tree: Tree, path: string): Located | null {
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
  return isRecord(message) ? new Located(message, '', placeIn(places)) : null
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

/** Returns a content in the blocks of a chat. `isAgent`: the content is the agent's. `shown`: ids of calls beside it, whose blocks are left out. */
export function contentOf(value: Located, isAgent = false, shown?: ReadonlySet<string>): Tree {
  const items = value.items()
  if (isAbsent(value.value) || typeof value.value === 'string' || (Array.isArray(value.value) && items.length === 0))
    return value
  if (!items.some((item) => typeof item.value === 'string' || isTyped(item.value) || isBareBlock(item.value)))
    return textsOf(value)
  return items.flatMap((item) => {
    // Beside blocks, a text is a block: a list of both would be read member by member.
    if (typeof item.value === 'string') return [{ type: 'text', text: item }]
    if (shown !== undefined && !isRecord(item.value)) return [item]
    const blocks = blocksOf(item, isAgent, shown)
    return blocks[0] === item && !isAgent && !isTyped(item.value) ? textsOf(item) : blocks
  })
}

const isTyped = (item: unknown): boolean => isRecord(item) && typeof item['type'] === 'string'

export const textsOf = (value: Located): readonly Tree[] =>
  leavesOf(value.value).map(
    ({ text, pointer }): Tree => ({ type: 'text', text: new Located(text, value.pathOf(pointer)) }),
  )

/** Types of the blocks that have none, by their one named member: of Bedrock's Converse (ContentBlock), and of Gemini's API (Part). */
const BARE: Readonly<Record<string, string>> = {
  ...{ toolUse: 'tool_call', toolResult: 'tool_call_response', reasoningContent: 'reasoningContent' },
  ...{ functionCall: 'tool_call', functionResponse: 'functionResponse', inlineData: 'image' },
  ...{ executableCode: 'executableCode', codeExecutionResult: 'codeExecutionResult' },
}
const BARE_NAMES = Object.keys(BARE)

/** Recognizes a block without a type: one named member, or a text. */
export const isBareBlock = (value: unknown): boolean =>
  isRecord(value) &&
  !('type' in value) &&
  !('role' in value) &&
  (typeof value['text'] === 'string' || BARE_NAMES.some((name) => isRecord(new Located(value, '').field(name).value)))

/** Types of blocks with calls, or with fragments of a call that stands whole beside the content. */
const CALLS: ReadonlySet<unknown> = wordSet(`tool_use tool_call server_tool_use server_tool_call mcp_tool_use
  function_call tool-call tool_call_chunk server_tool_call_chunk input_json_delta invalid_tool_call`)

const AGENTS: ReadonlySet<unknown> = wordSet(
  'reasoningContent Microsoft.Extensions.AI.TextReasoningContent executableCode',
)

/** Returns the blocks of a chat for a block of any library; a block that only an agent writes is shown as it is in another speaker's message. */
function blocksOf(block: Located, isAgent: boolean, shown?: ReadonlySet<string>): readonly Tree[] {
  const value = block.record
  const bare = 'type' in value ? undefined : BARE_NAMES.find((name) => isRecord(block.field(name).value))
  const [type, inner] = bare === undefined ? [value['type'], block] : [BARE[bare], block.field(bare)]
  const isCall = CALLS.has(type)
  const id = isCall ? idText(firstOf(inner, 'call_id id toolCallId').value) : null
  if (isAgent && id !== null && shown?.has(id)) return []
  const read = !isAgent && (isCall || AGENTS.has(type)) ? null : blockOf(inner, type, isAgent)
  // A text beside the named member is a block of its own.
  const words = bare === undefined || read === null ? null : blockOf(block, undefined, isAgent)
  return [...(words === null ? [] : [words]), read ?? block]
}

/** Returns the block of a chat for a block of a type that chats lack; null for all other blocks. */
function blockOf(block: Located, type: unknown, isAgent: boolean): Tree | null {
  const [text, content] = [block.member('text'), block.member('content')]
  const isFailed = block.member('status').value === 'error'
  switch (type) {
    case undefined: {
      const isThought = block.member('thought').value === true
      if (typeof text.value !== 'string' || (isThought && !isAgent)) return null
      return isThought ? { type: 'reasoning', reasoning: text } : { type: 'text', text }
    }
    case 'text':
      return typeof content.value === 'string' ? { type: 'text', text: content } : null
    case 'reasoningContent': {
      const reasoning = block.member('reasoningText').member('text')
      return typeof reasoning.value === 'string' ? { type: 'reasoning', reasoning } : { type: 'redacted_thinking' }
    }
    case 'Microsoft.Extensions.AI.TextReasoningContent':
      return { type: 'reasoning', reasoning: content.member('text') }
    case 'tool_call':
    case 'server_tool_call':
    case 'function_call':
      return {
        ...{ type: type === 'server_tool_call' ? 'server_tool_use' : 'tool_use', id: idOf(block) },
        ...{ name: block.member('name'), input: firstOf(block, 'args arguments input server_tool_call') },
      }
    case 'executableCode':
      return isEmpty(block.value) ? null : { type: 'tool_use', name: GEMINI_CODE, input: block }
    case 'functionResponse':
      return resultOf(block, isFailure(block.member('response').value), { name: block.member('name') })
    case 'codeExecutionResult':
      return resultOf(block, !GEMINI_ENDS.has(block.member('outcome').value), { name: GEMINI_CODE })
    // The schema of the GenAI conventions has `response`; its examples have `result`.
    case 'tool_call_response':
    case 'server_tool_call_response':
    case 'server_tool_call_result':
      return resultOf(block, isFailed)
    case 'blob':
    case 'uri':
      return mediaOf(block, MEDIA.find((kind) => kind === block.member('modality').value) ?? 'file')
    default:
      return MEDIA.some((kind) => kind === type) ? mediaOf(block, String(type)) : null
  }
}

/** The tool of the code that Gemini’s API runs itself, and the ends of code that ran. */
const GEMINI_CODE = 'code_execution'
const GEMINI_ENDS: ReadonlySet<unknown> = new Set([undefined, 'OUTCOME_OK'])

/** Tells whether the answer of a function holds an error and no output. */
const isFailure = (response: unknown): boolean =>
  isRecord(response) && (tellsFault(response) || (!isAbsent(response['error']) && isAbsent(response['output'])))

/** Returns the first present member of several names, separated by blanks; the last where none is present. */
function firstOf(block: Located, names: string): Located {
  const members = names.split(' ').map((name) => block.member(name))
  return members.find(({ value }) => !isAbsent(value)) ?? (members.at(-1) as Located)
}

/** Returns the id of a call; a list of ids, as Microsoft's Agent Framework writes it, is one id. */
function idOf(block: Located): Tree {
  const id = firstOf(block, 'call_id tool_call_id toolUseId id')
  return Array.isArray(id.value) ? id.value.flatMap((item) => idText(item) ?? []).join(' ') : id
}

const resultOf = (block: Located, isFailed: boolean, named: TreeRecord = {}): TreeRecord => ({
  ...{ type: 'tool_result', tool_use_id: idOf(block), ...named },
  content: contentOf(firstOf(block, 'response result server_tool_call_response output content')),
  ...(isFailed && { is_error: true }),
})

const MEDIA = ['image', 'audio', 'video', 'file'] as const

/** Converts media with the data or the link in the block itself (langchain_core/messages/content.py); null for the form of a provider. */
function mediaOf(block: Located, type: string): Tree | null {
  const isOf = (name: string): boolean => typeof block.member(name).value === 'string'
  const [data, url] = [['base64', 'data', 'content'].find(isOf), ['url', 'uri', 'file_id'].find(isOf)]
  if (PROVIDERS.some((name) => !isAbsent(block.member(name).value))) return null
  if (data !== undefined) return { type, source: { media_type: block.field('mimeType'), data: block.member(data) } }
  // A picture whose bytes were left out, or stand as a list of numbers, is a picture that nobody was shown.
  return { type, source: url === undefined ? { media_type: block.field('mimeType') } : { url: block.member(url) } }
}

const PROVIDERS = ['source', 'image', 'file'] as const

/** Reads a message with `parts` of the GenAI conventions or Gemini's API. Each tool result becomes a message of its own. */
export function messagesOfParts(message: Located, role: string): readonly Tree[] {
  const isAgent = role === 'assistant'
  const parts = message.member('parts').items()
  const all = parts.flatMap((part) => blocksOf(part, isAgent))
  const results = all.filter(isResult).map(({ type: _, tool_use_id, ...result }): Tree => {
    return { role: 'name' in result ? 'function' : 'tool', tool_call_id: tool_use_id, ...result }
  })
  const content = all.filter((block) => !isResult(block))
  const words: Tree[] = content.length === 0 && results.length > 0 ? [] : [{ role, content }]
  return isAgent ? [...words, ...results] : [...results, ...words]
}

const isResult = (tree: Tree): tree is TreeRecord =>
  isRecord(tree) && !(tree instanceof Located) && tree['type'] === 'tool_result'
