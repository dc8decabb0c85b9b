import { parseJson } from '../../domain/text/json.ts'
import { wordSet } from '../../domain/words.ts'
import { findUnsound } from '../common/json-tree.ts'
import { isAbsent, isRecord, type Json } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import { named, own } from '../tools/tool-table.ts'
import { contentOf, isConverseBlock, Located, messagesOfParts, type Tree } from './located.ts'

/** The role of a message without a role. */
export type Side = 'user' | 'assistant'

/** Role names of other libraries. */
const ROLES: Readonly<Record<string, string>> = {
  ...{ ...named('user', 'human customer HumanMessage'), ...named('system', 'SystemMessage instructions') },
  ...{ ...named('assistant', 'ai AIMessage model bot AIMessageChunk'), ToolMessage: 'tool' },
}

/**
 * Reads the messages of a traced value in the form of a chat: a text, a message, or a list of messages; the request or answer of a provider
 * (OpenAI's chat and responses, Anthropic, Gemini); the parts of the GenAI conventions; LangChain's messages; each also as JSON in a
 * string. Null for other values.
 */
export function messagesIn(value: Located, side: Side): readonly Tree[] | null {
  const content = value.value
  if (isAbsent(content) || content === '') return []
  if (Array.isArray(content)) return messagesInList(value, side)
  if (isRecord(content)) return messagesInRecord(value, content, side)
  if (typeof content !== 'string') return null
  const decoded = decodeLocated(value)
  const messages = decoded === null ? null : messagesIn(decoded, side)
  return messages ?? [{ role: side, content: value }]
}

/** Reads the messages of a value whose strings are plain text: JSON in them is the speaker's own text, neither a message nor a call. */
export const plainMessagesIn = (value: Located, side: Side): readonly Tree[] | null =>
  asText(value.value) === null ? messagesIn(value, side) : [{ role: side, content: value }]

/** Decodes the object or array in a JSON string; null where the string holds none, or none that can be shown leaf by leaf. */
export function decodeLocated({ value, path }: Located): Located | null {
  if (typeof value !== 'string') return null
  const [first] = value.trimStart()
  if (first !== '{' && first !== '[') return null
  const decoded = parseJson(value)
  return decoded !== undefined && findUnsound(decoded).issues.length === 0 ? new Located(decoded, `${path}#`) : null
}

function messagesInList(list: Located, side: Side): readonly Tree[] | null {
  const items = list.items()
  const [only] = items
  // LangChain passes batches: a list with one conversation.
  if (items.length === 1 && only !== undefined && Array.isArray(only.value)) return messagesInList(only, side)
  if (items.length === 0) return []
  if (items.every(({ value }) => typeof value === 'string' || isBlock(value))) return [{ role: side, content: list }]
  // An odd item among messages is returned as it stands, so that it is unread at its place.
  if (items.filter(({ value }) => isMessage(value)).length * 2 >= items.length)
    return items.flatMap((item) => (isMessage(item.value) ? messageOf(item, side) : [item]))
  return items.some(({ value }) => isBlock(value) || isConverseBlock(value))
    ? [{ role: side, content: contentOf(list, side === 'assistant') }]
    : null
}

const ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'function_call_output', 'reasoning', 'message'])

export const isMessage = (value: unknown): value is Json =>
  isRecord(value) &&
  (typeof value['role'] === 'string' || isNamedRole(value) || (ITEMS.has(value['type']) && !isBlock(value)))

/** Recognizes LangChain's messages, whose type names the role. */
const isNamedRole = ({ type, content }: Json): boolean =>
  content !== undefined &&
  typeof type === 'string' &&
  (Object.hasOwn(ROLES, type) || type === 'system' || type === 'tool')

const BLOCK_TYPES: ReadonlySet<unknown> = wordSet('thinking tool_use tool_result image image_url redacted_thinking')

const isBlock = (value: unknown): boolean =>
  isRecord(value) &&
  value['role'] === undefined &&
  ((value['type'] === 'text' && typeof value['text'] === 'string') || BLOCK_TYPES.has(value['type']))

/** The lists of a provider's answers (OpenAI, Gemini), and the member of each answer that holds its message. */
const ANSWERS = [
  ['choices', 'message'],
  ['candidates', 'content'],
] as const

function messagesInRecord(value: Located, record: Json, side: Side): readonly Tree[] | null {
  const under = (name: string): readonly Tree[] | null => messagesIn(value.member(name), side)
  if (Array.isArray(record['messages']) || Array.isArray(record['contents'])) {
    const name = Array.isArray(record['messages']) ? 'messages' : 'contents'
    const messages = messagesInList(value.member(name), side)
    return messages === null ? null : [...instructionsIn(value), ...messages]
  }
  for (const [list, member] of ANSWERS)
    if (Array.isArray(record[list])) {
      const answers = value.member(list).items()
      return answers.flatMap(
        (answer) =>
          (isAnswer(answer.value, member) ? messagesIn(answer.member(member), 'assistant') : null) ?? [answer],
      )
    }
  if (Array.isArray(record['output']) && !('role' in record)) return messagesInList(value.member('output'), 'assistant')
  if (isMessage(record) || 'tool_calls' in record || ('content' in record && isContent(record['content'])))
    return messageOf(value, side)
  if (isRecord(record['message'])) return under('message')
  // A request of OpenAI's Responses.
  if ('instructions' in record && 'input' in record) return [...instructionsIn(value), ...(under('input') ?? [])]
  return null
}

/** Recognizes an item of a provider's answers: with a message, or ended without any. An item of another form is returned as it stands. */
export const isAnswer = (value: unknown, member: string): boolean =>
  isRecord(value) && (!isAbsent(value[member]) || (!('text' in value) && ENDS.some((name) => !isAbsent(value[name]))))

const ENDS = ['finish_reason', 'finishReason'] as const

const isContent = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.some((item) => isBlock(item) || isConverseBlock(item)))

export function instructionsIn(value: Located): readonly Tree[] {
  return ['system', 'instructions', 'systemInstruction', 'system_instruction'].flatMap((name) => {
    const member = value.member(name)
    const own = isRecord(member.value) && Array.isArray(member.value['parts']) ? member.member('parts') : member
    return Array.isArray(own.value) || typeof own.value === 'string' ? systemMessages(own) : []
  })
}

/** Reads a system prompt: a text, or a list of texts, blocks, or parts of the conventions. */
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

/** Reads one message: unchanged in the form of a chat, else rebuilt in that form. */
function messageOf(item: Located, side: Side): readonly Tree[] {
  const record = item.value as Json
  const speaker = record['role'] ?? (isNamedRole(record) ? record['type'] : undefined)
  const role =
    typeof speaker === 'string' ? (own(ROLES, speaker) ?? speaker) : ITEMS.has(record['type']) ? undefined : side
  if (Array.isArray(record['parts'])) return messagesOfParts(item, role ?? side)
  if (role === undefined) return [item]
  const calls = callsOf(item)
  const shown = new Set(calls.flatMap(({ id }) => (typeof id.value === 'string' ? [id.value] : [])))
  const content = item.member('content')
  const members = Object.keys(record)
    .filter((name) => !LEFT_OUT.has(name))
    .map((name): [string, Tree] => [name, item.member(name)])
  return [
    {
      ...Object.fromEntries(members),
      role,
      ...('content' in record && { content: withoutCalls(content, shown, role === 'assistant') }),
      ...(calls.length > 0 && { tool_calls: calls.map(({ tree }) => tree) }),
    },
  ]
}

/** Members that are rebuilt, and LangChain's notes beside a message. */
const LEFT_OUT: ReadonlySet<string> = wordSet(`role type content tool_calls additional_kwargs response_metadata
  usage_metadata example invalid_tool_calls lc_attributes stop_sequence container`)

/** Lists the calls of a message: OpenAI's (`function: {name, arguments}`), and LangChain's (`name`, `args`). */
function callsOf(message: Located): readonly { readonly id: Located; readonly tree: Tree }[] {
  const direct = message.member('tool_calls')
  const calls = Array.isArray(direct.value) ? direct : message.member('additional_kwargs').member('tool_calls')
  return calls.items().map((call) => {
    const id = call.member('id')
    const record = call.value
    if (!isRecord(record) || 'function' in record || 'custom' in record || typeof record['name'] !== 'string')
      return { id, tree: call }
    const args = ['args', 'arguments', 'input'].find((name) => name in record) ?? 'args'
    return { id, tree: { id, function: { name: call.member('name'), arguments: call.member(args) } } }
  })
}

/** Removes the blocks that repeat calls of the message, so that each call is read once. */
function withoutCalls(content: Located, shown: ReadonlySet<string>, isAgent: boolean): Tree {
  const isShown = ({ value }: Located): boolean => {
    const { id, type } = asRecord(value)
    return typeof id === 'string' && shown.has(id) && asText(type)?.startsWith('tool') === true
  }
  const blocks = content.items()
  return blocks.some(isShown) ? blocks.filter((block) => !isShown(block)) : contentOf(content, isAgent)
}
