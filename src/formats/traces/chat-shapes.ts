import { parseJson } from '../../domain/text/exact-json.ts'
import { wordSet } from '../../domain/text/words.ts'
import { findUnsound } from '../common/json-tree.ts'
import { isAbsent, isRecord, type Json } from '../common/reading.ts'
import { own } from '../tools/tool-table.ts'
import { contentOf, isConverseBlock, Located, messagesOfParts, type Tree } from './located.ts'

/** Who speaks where a value does not say. */
export type Side = 'user' | 'assistant'

/** What other libraries call the roles of a chat. */
const ROLES: Readonly<Record<string, string>> = {
  ...{
    human: 'user',
    customer: 'user',
    HumanMessage: 'user',
    ai: 'assistant',
    AIMessage: 'assistant',
    model: 'assistant',
  },
  ...{
    bot: 'assistant',
    AIMessageChunk: 'assistant',
    SystemMessage: 'system',
    instructions: 'system',
    ToolMessage: 'tool',
  },
}

/**
 * The messages that a value of a trace holds, in the form of a chat: a text; a message; a list of them; the request or the answer of a
 * provider (OpenAI's chat and responses, Anthropic, Gemini); the parts of the GenAI conventions; LangChain's messages; each also as JSON in
 * a string. Null where the value is none of these.
 */
export function messagesIn(value: Located, side: Side): readonly Tree[] | null {
  const held = value.value
  if (isAbsent(held)) return []
  if (typeof held === 'string') return messagesInText(value, held, side)
  if (Array.isArray(held)) return messagesInList(value, side)
  return isRecord(held) ? messagesInRecord(value, held, side) : null
}

function messagesInText(value: Located, text: string, side: Side): readonly Tree[] | null {
  if (text === '') return []
  const decoded = decodeLocated(value)
  const messages = decoded === null ? null : messagesIn(decoded, side)
  return messages ?? [{ role: side, content: value }]
}

/** The same for a value of which a string is only words: JSON in them is what a speaker wrote, and neither a message nor a call. */
export const messagesAsSaid = (value: Located, side: Side): readonly Tree[] | null =>
  typeof value.value === 'string'
    ? value.value === ''
      ? []
      : [{ role: side, content: value }]
    : messagesIn(value, side)

/** The object or the array that a string holds as JSON; null where it holds none that could be shown piece by piece. */
export function decodeLocated({ value, path }: Located): Located | null {
  if (typeof value !== 'string') return null
  const [first] = value.trimStart()
  if (first !== '{' && first !== '[') return null
  const held = parseJson(value)
  return held !== undefined && findUnsound(held).issues.length === 0 ? new Located(held, `${path}#`) : null
}

function messagesInList(list: Located, side: Side): readonly Tree[] | null {
  const items = list.items()
  const [only] = items
  // LangChain hands over batches: a list of conversations, in which there is one.
  if (items.length === 1 && only !== undefined && Array.isArray(only.value)) return messagesInList(only, side)
  if (items.length > 0 && items.every(({ value }) => isMessage(value)))
    return items.flatMap((item) => messageOf(item, side))
  if (items.every(({ value }) => typeof value === 'string' || isBlock(value)) && items.length > 0)
    return [{ role: side, content: list }]
  if (items.length > 0 && items.every(({ value }) => isConverseBlock(value)))
    return [{ role: side, content: contentOf(list, side === 'assistant') }]
  return items.length === 0 ? [] : null
}

const ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'function_call_output', 'reasoning', 'message'])

const isMessage = (value: unknown): value is Json =>
  isRecord(value) &&
  (typeof value['role'] === 'string' || isNamedRole(value) || (ITEMS.has(value['type']) && !isBlock(value)))

/** LangChain names the role by the type. */
const isNamedRole = ({ type, content }: Json): boolean =>
  content !== undefined &&
  typeof type === 'string' &&
  (Object.hasOwn(ROLES, type) || type === 'system' || type === 'tool')

const isBlock = (value: unknown): boolean =>
  isRecord(value) &&
  value['role'] === undefined &&
  ((value['type'] === 'text' && typeof value['text'] === 'string') ||
    ['thinking', 'tool_use', 'tool_result', 'image', 'image_url', 'redacted_thinking'].includes(String(value['type'])))

function messagesInRecord(value: Located, held: Json, side: Side): readonly Tree[] | null {
  const under = (name: string): readonly Tree[] | null => messagesIn(value.member(name), side)
  if (Array.isArray(held['messages']) || Array.isArray(held['contents'])) {
    const name = Array.isArray(held['messages']) ? 'messages' : 'contents'
    const messages = messagesInList(value.member(name), side)
    return messages === null ? null : [...instructionsIn(value), ...messages]
  }
  if (Array.isArray(held['choices']))
    return value
      .member('choices')
      .items()
      .flatMap((choice) => messagesIn(choice.member('message'), 'assistant') ?? [])
  if (Array.isArray(held['candidates']))
    return value
      .member('candidates')
      .items()
      .flatMap((one) => messagesIn(one.member('content'), 'assistant') ?? [])
  if (Array.isArray(held['output']) && !('role' in held)) return messagesInList(value.member('output'), 'assistant')
  if (isMessage(held) || 'tool_calls' in held || ('content' in held && isContent(held['content'])))
    return messageOf(value, side)
  if (isRecord(held['message'])) return under('message')
  // A request of OpenAI's Responses.
  if ('instructions' in held && 'input' in held) return [...instructionsIn(value), ...(under('input') ?? [])]
  return null
}

const isContent = (value: unknown): boolean =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length > 0 && value.every((one) => isBlock(one) || isConverseBlock(one)))

function instructionsIn(value: Located): readonly Tree[] {
  return ['system', 'instructions', 'systemInstruction', 'system_instruction'].flatMap((name) => {
    const found = value.member(name)
    const own = isRecord(found.value) && Array.isArray(found.value['parts']) ? found.member('parts') : found
    return Array.isArray(own.value) || typeof own.value === 'string' ? systemMessages(own) : []
  })
}

/** A system prompt: a text, or a list of texts, of blocks, of the conventions' parts. */
export function systemMessages(value: Located): readonly Tree[] {
  const decoded = decodeLocated(value)
  if (decoded !== null && Array.isArray(decoded.value)) return systemMessages(decoded)
  if (!Array.isArray(value.value)) return isAbsent(value.value) ? [] : [{ role: 'system', content: contentOf(value) }]
  const blocks = value.items().map((item): Tree => {
    const text = item.member('text')
    const own = typeof text.value === 'string' ? text : item.member('content')
    return typeof own.value === 'string' ? { type: 'text', text: own } : item
  })
  return [{ role: 'system', content: blocks }]
}

/** One message: as it stands where chats have it so, else put together anew. */
function messageOf(item: Located, side: Side): readonly Tree[] {
  const held = item.value as Json
  const named = held['role'] ?? (isNamedRole(held) ? held['type'] : undefined)
  const role = typeof named === 'string' ? (own(ROLES, named) ?? named) : ITEMS.has(held['type']) ? undefined : side
  if (Array.isArray(held['parts'])) return messagesOfParts(item, role ?? side)
  if (role === undefined) return [item]
  const calls = callsOf(item)
  const told = new Set(calls.flatMap(({ id }) => (typeof id.value === 'string' ? [id.value] : [])))
  const content = item.member('content')
  const members = Object.keys(held)
    .filter((name) => !LEFT_OUT.has(name))
    .map((name): [string, Tree] => [name, item.member(name)])
  return [
    {
      ...Object.fromEntries(members),
      role,
      ...('content' in held && { content: withoutCalls(content, told, role === 'assistant') }),
      ...(calls.length > 0 && { tool_calls: calls.map(({ tree }) => tree) }),
    },
  ]
}

/** What LangChain and others note beside a message, and what is put together anew. */
const LEFT_OUT: ReadonlySet<string> = wordSet(`role type content tool_calls additional_kwargs response_metadata
  usage_metadata example invalid_tool_calls lc_attributes stop_sequence container`)

/** OpenAI's calls (`function: {name, arguments}`), and LangChain's (`name`, `args`). */
function callsOf(message: Located): readonly { readonly id: Located; readonly tree: Tree }[] {
  const direct = message.member('tool_calls')
  const calls = Array.isArray(direct.value) ? direct : message.member('additional_kwargs').member('tool_calls')
  return calls.items().map((call) => {
    const id = call.member('id')
    const held = call.value
    if (!isRecord(held) || 'function' in held || 'custom' in held || typeof held['name'] !== 'string')
      return { id, tree: call }
    const args = ['args', 'arguments', 'input'].find((name) => name in held) ?? 'args'
    return { id, tree: { id, function: { name: call.member('name'), arguments: call.member(args) } } }
  })
}

/** Where a message tells its calls twice, among its blocks too, they are read once. */
function withoutCalls(content: Located, told: ReadonlySet<string>, isAgent: boolean): Tree {
  const isTold = ({ value }: Located): boolean =>
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    told.has(value['id']) &&
    String(value['type']).startsWith('tool')
  if (!Array.isArray(content.value)) return contentOf(content, isAgent)
  return content.items().some(isTold) ? content.items().filter((block) => !isTold(block)) : contentOf(content, isAgent)
}
