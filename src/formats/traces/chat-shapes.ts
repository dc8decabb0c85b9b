import { pushTo } from '../../domain/result.ts'
import { findUnsound, parseJson } from '../../domain/text/json.ts'
import { wordSet } from '../../domain/words.ts'
import { idText, isAbsent, isRecord, type Json } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import { named, own as ownOf } from '../tools/tool-table.ts'
import { contentOf, isBareBlock, Located, messagesOfParts, PLACE, placeMessage, type Tree, textsOf } from './located.ts'

/** The role of a message without a role. */
export type Side = 'user' | 'assistant'

const ROLES: Readonly<Record<string, string>> = {
  ...{ ...named('user', 'user human customer'), ...named('system', 'system instructions developer') },
  ...{ ...named('assistant', 'assistant ai model bot'), tool: 'tool' },
}

const CLASS = /Message(?:Chunk)?$/

/** Returns the role that a type or a class of LangChain names; undefined for other names. */
function roleNamed(name: unknown): string | undefined {
  const own = typeof name === 'string' ? name.replace(CLASS, '') : ''
  const role = own === name ? own : own.toLowerCase()
  return role === 'function' ? 'tool' : ownOf(ROLES, role)
}

/** Reads messages as a chat's: of any provider, the GenAI conventions or LangChain, also as JSON in a string. Null for other values. */
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
  return decoded !== undefined && findUnsound(decoded, 1).length === 0 ? new Located(decoded, `${path}#`) : null
}

/** Returns the object or array in a JSON string; any other value unchanged. */
export const opened = (value: Located): Located => decodeLocated(value) ?? value

function messagesInList(list: Located, side: Side): readonly Tree[] | null {
  const items = list.items()
  const [only] = items
  // LangChain passes batches: a list with one conversation.
  if (items.length === 1 && Array.isArray(only?.value) && !isMessage(only.value)) return messagesInList(only, side)
  if (items.length === 0) return []
  if (items.every(({ value }) => typeof value === 'string' || isBlock(value))) return [{ role: side, content: list }]
  if (items.filter(({ value }) => isMessage(value)).length * 2 >= items.length) return turnsIn(items)
  return items.some(({ value }) => isBlock(value) || isBareBlock(value))
    ? [{ role: side, content: contentOf(list, side === 'assistant') }]
    : null
}

/** Reads the messages of a list; an odd item stays as it is, so that it is unread at its place. */
function turnsIn(items: readonly Located[]): readonly Tree[] {
  const asked = new Map<unknown, Tree[]>()
  return items.flatMap((item): readonly Tree[] => {
    const [name, content] = [item.member('role'), item.member('content')]
    // Langfuse's handlers of LangChain write a definition as a message of the role `tool`, and a tool's answer with the tool's name as the role.
    const isDefinition = 'parameters' in content.member('function').record
    if (name.value === 'tool' && isDefinition && item.member('tool_call_id').value === undefined)
      return [{ role: 'system', content: textsOf(content) }]
    for (const call of callsOf(item, item.member('additional_kwargs'))) {
      const named = isRecord(call.member('function').value) ? call.member('function') : call
      pushTo(asked, asText(named.member('name').value) ?? '', call.member('id'))
    }
    const tool_call_id =
      ownOf(ROLES, asText(name.value) ?? '') === undefined ? asked.get(name.value)?.shift() : undefined
    return tool_call_id === undefined
      ? messageOf(item)
      : [{ [PLACE]: item.path, role: 'tool', name, tool_call_id, content: contentOf(content) }]
  })
}

const ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'function_call_output', 'reasoning', 'message'])

/** A message without its envelope. `role`: undefined for an item of OpenAI's Responses. */
type OpenMessage = { readonly role: string | undefined; readonly body: Located }

/** Opens a message: a provider’s, LangChain’s alone, in an envelope or serialized, or a pair `["human", "…"]`. Null for other values. */
function openMessage(item: Located): OpenMessage | null {
  const { value } = item
  if (Array.isArray(value)) {
    const [role, text] = [roleNamed(value[0]), item.member(1)]
    if (value.length !== 2 || role === undefined || typeof text.value !== 'string') return null
    return { role, body: placeMessage({ content: text }, item.path) ?? item }
  }
  if (!isRecord(value)) return null
  const { type, id, role } = value
  if ('lc' in value && Array.isArray(id)) return openAs(id.at(-1), item.member('kwargs'))
  if (typeof role === 'string' && type !== 'ai' && type !== 'human')
    return { role: ownOf(ROLES, role) ?? role, body: item }
  if (isRecord(value['data']) && typeof type === 'string') return openAs(type, item.member('data'))
  const open = value['content'] === undefined ? null : openAs(type, item)
  return open ?? (ITEMS.has(type) && !isBlock(value) ? { role: undefined, body: item } : null)
}

/** Opens a message by the name of its type; LangChain's `chat` messages hold their role. */
function openAs(name: unknown, body: Located): OpenMessage | null {
  const role = roleNamed(name) ?? (GENERIC.has(name) ? asText(body.record['role']) : null)
  return role === null || !isRecord(body.value) ? null : { role, body }
}

const GENERIC: ReadonlySet<unknown> = wordSet('chat generic ChatMessage ChatMessageChunk')

const isMessage = (value: unknown): boolean => openMessage(new Located(value, '')) !== null

/** Tells whether a tree is an item beside messages that is no message: such an item is unread at its place. */
export const isOdd = (tree: Tree): tree is Located => tree instanceof Located && !isMessage(tree.value)

const BLOCK_TYPES: ReadonlySet<unknown> = wordSet('thinking tool_use tool_result image image_url redacted_thinking')

const isBlock = (value: unknown): boolean =>
  isRecord(value) &&
  value['role'] === undefined &&
  ((value['type'] === 'text' && typeof value['text'] === 'string') || BLOCK_TYPES.has(value['type']))

/** The lists of a model's answers (OpenAI, Gemini, LangChain), and the member of each answer that holds its message. */
const ANSWERS = { choices: 'message', candidates: 'content', generations: 'message' } as const
/** Members of a LangChain state or run that hold a state, or the agent's message. */
export const STATES = ['input', 'output', 'state'] as const

const LISTS = ['messages', 'contents', 'prompts'] as const

function messagesInRecord(value: Located, record: Json, side: Side): readonly Tree[] | null {
  const under = (name: string): readonly Tree[] | null => messagesIn(value.member(name), side)
  const list = LISTS.find((name) => Array.isArray(record[name]))
  if (list !== undefined) {
    const messages = messagesInList(value.member(list), side)
    return messages === null ? null : [...instructionsIn(value), ...messages]
  }
  if (asText(record['contents']) !== null)
    return [...instructionsIn(value), { role: side, content: value.member('contents') }]
  for (const [name, member] of Object.entries(ANSWERS))
    if (Array.isArray(record[name])) return answersIn(value.member(name), member)
  if (Array.isArray(record['output']) && !('role' in record)) return messagesInList(value.member('output'), 'assistant')
  if (isMessage(record) || 'tool_calls' in record || ('content' in record && isContent(record['content'])))
    return messageOf(value, side)
  const inner = STATES.find((name) => isMessage(record[name]) || Array.isArray(asRecord(record[name])['messages']))
  const around = inner ?? (['message', 'content'] as const).find((name) => isRecord(record[name]))
  if (around !== undefined) return under(around)
  // A request of OpenAI's Responses.
  if ('instructions' in record && 'input' in record) return [...instructionsIn(value), ...(under('input') ?? [])]
  return null
}

/** Reads the answers of a model; LangChain has a list for each prompt, and a bare `text` of models without messages. */
function answersIn(list: Located, member: string): readonly Tree[] {
  const answers = list.items().flatMap((answer) => (Array.isArray(answer.value) ? answer.items() : [answer]))
  return answers.flatMap((answer) => {
    const [message, text] = [answer.member(member), answer.member('text')]
    if (list.path.endsWith('/generations') && isAbsent(message.value) && typeof text.value === 'string')
      return [{ role: 'assistant', content: text }]
    return (isAnswer(answer.value, member) ? messagesIn(message, 'assistant') : null) ?? [answer]
  })
}

/** Recognizes an item of a provider's answers: with a message, or ended without any. An item of another form is returned as it stands. */
export const isAnswer = (value: unknown, member: string): boolean =>
  isRecord(value) && (!isAbsent(value[member]) || (!('text' in value) && ENDS.some((name) => !isAbsent(value[name]))))

const ENDS = ['finish_reason', 'finishReason'] as const

const isContent = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.some((item) => isBlock(item) || isBareBlock(item)))

export function instructionsIn(value: Located): readonly Tree[] {
  const members = [value, value.member('config')].flatMap((request) =>
    ['system', 'instructions', 'systemInstruction'].map((name) => request.field(name)),
  )
  return members.flatMap((member) => {
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

/** Reads one message in the form of a chat. `side`: the speaker of a record without a role; where absent, an item that is no message stays as it is. */
export function messageOf(item: Located, side?: Side): readonly Tree[] {
  const { role, body }: OpenMessage = openMessage(item) ?? { role: side, body: item }
  if (role === undefined || !isRecord(body.value)) return [item]
  const { record } = body
  if (Array.isArray(record['parts'])) return messagesOfParts(body, role)
  const extra = body.member('additional_kwargs')
  const [whole, broken] = [callsOf(body, extra), body.member('invalid_tool_calls').items()]
  const shown = new Set([...whole, ...broken].flatMap((call) => idText(idOf(call).value) ?? []))
  const calls = [...whole.map((call) => callTree(call)), ...broken.map(brokenTree)]
  const members = Object.keys(record).filter((name) => !LEFT_OUT.has(name))
  const content = body.member('content')
  const isListOrNone = isAbsent(record['tool_calls']) || Array.isArray(record['tool_calls'])
  const isAgent = role === 'assistant'
  const answered = 'tool_call_id' in record || role !== 'tool' ? 'tool_call_id' : 'name'
  return [
    {
      ...{ [PLACE]: body.path, ...extrasOf(extra) },
      ...Object.fromEntries(members.map((name): [string, Tree] => [name, body.member(name)])),
      role,
      ...(content.value !== undefined && {
        content: typeof content.value === 'object' ? contentOf(content, isAgent, shown) : content,
      }),
      // Calls that are no list are odd.
      tool_calls: calls.length > 0 ? calls : isListOrNone ? undefined : body.member('tool_calls'),
      ...(role === 'tool' && { tool_call_id: body.member(answered) }),
      ...(record['status'] === 'error' && { is_error: true }),
    },
  ]
}

const LEFT_OUT: ReadonlySet<string> = wordSet(`role type content tool_calls additional_kwargs usage_metadata example
  invalid_tool_calls lc_attributes stop_sequence container artifact`)

/** Returns what LangChain keeps of a provider's answer beside its content. */
function extrasOf(extra: Located): { readonly [name: string]: Tree } {
  const summary = extra.member('reasoning').member('summary')
  const kept = ['reasoning_content', 'refusal', 'function_call']
  const given = kept.map((name) => [name, extra.member(name)] as const).filter(([, { value }]) => !isAbsent(value))
  return { ...Object.fromEntries(given), ...(Array.isArray(summary.value) && { thinking_blocks: summary }) }
}

/** Lists the calls of a message: its own, else the provider's that LangChain kept; each may be JSON in a string (verifiers). */
function callsOf(message: Located, extra: Located): readonly Located[] {
  const [direct, kept] = [message, extra].map((of) => of.member('tool_calls').items()) as [Located[], Located[]]
  const streamed = message.member('tool_call_chunks').items()
  const list = direct.length > 0 ? direct : kept.length > 0 ? kept : streamed
  return list.map(opened)
}

/** Returns the id of a call; the calls of LangChain's oldest files are answered by their name. */
const idOf = (call: Located): Located =>
  call.member(['id', 'call_id', 'tool_call_id', 'name'].find((name) => !isAbsent(call.record[name])) ?? 'id')

/** Returns a call as OpenAI writes it; LangChain's have `name` and `args`. */
function callTree(call: Located, more: { readonly [name: string]: Tree } = {}): Tree {
  if (!isRecord(call.value) || 'function' in call.value || 'custom' in call.value) return call
  const args = ['args', 'arguments', 'input'].find((name) => name in call.record) ?? 'args'
  return { id: idOf(call), function: { name: call.member('name'), arguments: call.member(args) }, ...more }
}

const brokenTree = (call: Located): Tree => callTree(call, { parse_error: new Located('broken', call.path) })

export function modelOf({ response_metadata: about }: Json): string | null {
  const { model_name, model, model_id } = asRecord(about)
  return asText(model_name) ?? asText(model) ?? asText(model_id)
}
