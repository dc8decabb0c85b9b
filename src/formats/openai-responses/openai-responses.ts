import { wordSet } from '../../domain/words.ts'
import { type ItemDialect, readCall, readItem, shownBy } from '../codex/codex-items.ts'
import { idText, isRecord, itemsIn, type Json, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText, Session, settle } from '../common/session.ts'
import { type Format, type ListIn, listIn, type ReadDocument } from '../format.ts'
import { isChat } from '../openai-chat/openai-chat.ts'
import { outcomeOfOutput } from '../openai-chat/openai-chat-sink.ts'
import { COMMON_TOOLS, named, specOf, type ToolSpec, type ToolTable, toolsOf } from '../tools/tool-table.ts'

/** The format of OpenAI's Responses: an answer, a request with its answer, a conversation's items, and what the Agents SDK keeps of them. */
export const OPENAI_RESPONSES: Format = {
  name: 'openai-responses',
  recognizes: (document) => listsIn(document) !== null,
  read: readResponses,
}

/** Argument tables of OpenAI's hosted tools, by item type (openai, resources/responses/responses.d.ts, ResponseItem). */
const HOSTED_TOOLS: ToolTable = {
  local_shell_call: toolsOf('codex')['local_shell_call'] ?? { args: {} },
  shell_call: { args: { commands: 'shell', timeout_ms: 'describes', max_output_length: 'describes' } },
  apply_patch_call: {
    args: { diff: 'patch', path: 'writes', type: 'describes' },
    target: ['path'],
    // The call itself deletes the file.
    by: { argument: 'type', cases: { delete_file: { path: 'executes', type: 'describes' } } },
  },
  computer_call: { args: { type: 'describes' }, rest: 'executes' },
  code_interpreter_call: { args: { code: 'code' } },
  ...named({ args: {}, rest: 'searches' }, 'file_search_call tool_search_call'),
  web_search_call: { args: { type: 'describes' }, rest: 'web' },
}

/** The prefix of the Agents SDK's tools that hand over to another agent (openai-agents-python, src/agents/handoffs). */
const HANDOFF = 'transfer_to_'

/** Returns the argument table of the program's own tool; the session has those of hosted tools. */
const specOfFunction = (tool: string): ToolSpec | undefined =>
  Object.hasOwn(HOSTED_TOOLS, tool) ? undefined : tool.startsWith(HANDOFF) ? COMMON_TOOLS['task'] : specOf(null, tool)

const DIALECT: ItemDialect = {
  speakerOf: (role) => (role === 'user' ? 'user' : 'system'),
  outcomeOf: outcomeOfOutput,
  specOf: specOfFunction,
}

function readResponses(reading: Reading, document: Json): ReadDocument {
  const lists = listsIn(document) ?? []
  const session = new Session(reading, HOSTED_TOOLS)
  const { instructions, input } = document
  session.note('system', instructions, '/instructions', 'instructions')
  if (typeof input === 'string') session.note('user', input, '/input', 'message')
  const items = lists.flatMap(({ list }) => list.map((item) => innerOf(item).item))
  const { answered } = shownBy(items.filter(isRecord))
  const ran = items.map(asRecord).filter(({ type }) => type === 'mcp_call')
  const approved = new Set(ran.map(({ approval_request_id: id }) => idText(id)))
  for (const { list, path } of lists)
    for (const [item, at] of itemsIn(list, path)) readAnyItem(session, item, at, answered, approved)
  const path = lists[0]?.path ?? '/output'
  const agent = { name: asName(document['agent']), model: asText(document['model']) }
  return { format: 'openai-responses', agent, steps: session.finish(path) }
}

type Ids = ReadonlySet<string | null>

/** Reads an item. `answered`: the calls with a result; `approved`: the requests for approval whose calls ran. */
function readAnyItem(session: Session, value: unknown, path: string, answered: Ids, approved: Ids): void {
  const { item, at, waits } = innerOf(value, path)
  if (!isRecord(item)) {
    session.reading.odd(at, 'an object', item)
    return
  }
  const { type, reason, approval_request_id: request } = item
  const id = idText(item['call_id'])
  if (type === 'item_reference') session.reading.unread(at, 'an item that is not in the file; not read', true)
  else if (type === 'mcp_list_tools') session.reading.warnOnce(at, 'descriptions of the tools of a server; not read')
  else if (type === 'mcp_approval_request') {
    // The call that ran shows the request, too.
    if (item['id'] === undefined || !approved.has(idText(item['id'])))
      settle(readCall(session, item, at, type, DIALECT), 'cancelled')
  } else if (type === 'mcp_approval_response') {
    session.note('user', reason, `${at}/reason`, 'approval.reason', asText(item['id']))
    if (item['approve'] === false) session.settle(request, 'rejected')
  }
  // The SDK keeps a call that waits for approval beside the call itself.
  else if (!waits || id === null || !session.hasCall(id)) readItem(session, asMessage(item), at, DIALECT)
  // An item that was cut before its end reached no tool.
  const isCut = waits || item['status'] === 'incomplete'
  if (isCut && id !== null && !answered.has(id)) session.settle(id, 'cancelled')
}

const asMessage = (item: Json): Json =>
  item['type'] === undefined && typeof item['role'] === 'string' ? { ...item, type: 'message' } : item

function innerOf(item: unknown, path = ''): { readonly item: unknown; readonly at: string; readonly waits: boolean } {
  if (!isRecord(item) || !isRecord(item['raw_item'])) return { item, at: path, waits: false }
  return { item: item['raw_item'], at: `${path}/raw_item`, waits: item['type'] === 'tool_approval_item' }
}

/** Types of items that a chat may hold among its messages, as part of the chat. */
const OF_CHATS: ReadonlySet<unknown> = new Set(['message', 'function_call', 'function_call_output', 'reasoning'])
const OWN: ReadonlySet<unknown> = wordSet(`custom_tool_call custom_tool_call_output local_shell_call
  local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output computer_call
  computer_call_output web_search_call file_search_call code_interpreter_call image_generation_call mcp_call
  mcp_approval_request mcp_approval_response mcp_list_tools tool_search_call tool_search_output`)
const WRAPPERS: ReadonlySet<unknown> = new Set(['tool_call_item', 'tool_call_output_item', 'message_output_item'])

const isOwn = (item: unknown): boolean =>
  isRecord(item) && (OWN.has(item['type']) || (WRAPPERS.has(item['type']) && isRecord(item['raw_item'])))

/** Recognizes an item that no chat begins with: without a role, or a message of typed content. */
function isTelling(item: unknown): boolean {
  if (!isRecord(item)) return false
  const { type, call_id: id, content, summary } = item
  if (isOwn(item)) return true
  if (type === 'function_call' || type === 'function_call_output') return typeof id === 'string'
  if (type === 'reasoning') return Array.isArray(summary)
  return type === 'message' && asList(content).some((block) => TYPED.has(asRecord(block)['type']))
}

const TYPED: ReadonlySet<unknown> = new Set(['output_text', 'input_text'])

/** Recognizes a list of items. A list that the chat format reads is left to that format, unless it holds items that no chat has. */
const isList = (list: unknown): list is readonly unknown[] =>
  Array.isArray(list) &&
  list.some(isTelling) &&
  (!isChat(list) || list.some((item) => isOwn(item) && !OF_CHATS.has(asRecord(item)['type'])))

function listsIn(document: Json): readonly ListIn[] | null {
  const { object, output, input, new_items: fresh, data } = document
  if (Array.isArray(document['messages']) || 'run_type' in document) return null
  const sent = Array.isArray(input) ? [{ list: input as readonly unknown[], path: '/input' }] : []
  if (Array.isArray(output) && (object === 'response' || output.some(isTelling) || isList(input)))
    return [...sent, { list: output, path: '/output' }]
  if (Array.isArray(fresh) && fresh.some(isOwn)) return [...sent, { list: fresh, path: '/new_items' }]
  if (object === 'list' && isList(data)) return [{ list: data, path: '/data' }]
  const own = listIn(document, ['records', 'items', 'input', 'history'], isList)
  return own === null ? null : [own]
}
