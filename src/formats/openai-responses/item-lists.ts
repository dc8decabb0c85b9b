import { wordSet } from '../../domain/text/words.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { isChat } from '../openai-chat/openai-chat.ts'

/** Items in the order of time, and where they stand. */
export interface ItemList {
  readonly list: readonly unknown[]
  readonly path: string
}

/** Items that a chat may hold among its messages, and is read with as one. */
const OF_CHATS: ReadonlySet<unknown> = new Set(['message', 'function_call', 'function_call_output', 'reasoning'])
const OWN: ReadonlySet<unknown> = wordSet(`custom_tool_call custom_tool_call_output local_shell_call
  local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output computer_call
  computer_call_output web_search_call file_search_call code_interpreter_call image_generation_call mcp_call
  mcp_approval_request mcp_approval_response mcp_list_tools tool_search_call tool_search_output`)
const WRAPPERS: ReadonlySet<unknown> = new Set(['tool_call_item', 'tool_call_output_item', 'message_output_item'])

const isOwn = (item: unknown): boolean =>
  isRecord(item) && (OWN.has(item['type']) || (WRAPPERS.has(item['type']) && isRecord(item['raw_item'])))

/** An item that no chat begins with: without a role, or with a message of typed content. */
function isTelling(item: unknown): boolean {
  if (!isRecord(item)) return false
  const { type, call_id: id, content, summary } = item
  if (isOwn(item)) return true
  if (type === 'function_call' || type === 'function_call_output') return typeof id === 'string'
  if (type === 'reasoning') return Array.isArray(summary)
  return type === 'message' && Array.isArray(content) && content.some(isTyped)
}

const isTyped = (block: unknown): boolean =>
  isRecord(block) && (block['type'] === 'output_text' || block['type'] === 'input_text')

const isItem = (item: unknown): boolean =>
  !isRecord(item) || typeof item['type'] === 'string' || typeof item['role'] === 'string'

/** A list that is read as a chat is left to that, but where it holds what a chat cannot. */
const isList = (list: unknown): list is readonly unknown[] =>
  Array.isArray(list) && list.every(isItem) && list.some(isTelling) && (!isChat(list) || list.some(isOther))

const isOther = (item: unknown): boolean => isOwn(item) && isRecord(item) && !OF_CHATS.has(item['type'])

/** The lists of items that a document holds, in their order; null where it is none of Responses. */
export function listsIn(document: Json): readonly ItemList[] | null {
  const { object, output, input, new_items: fresh, data } = document
  const isMessages = Array.isArray(document['messages']) || 'run_type' in document
  if (isMessages) return null
  const sent = Array.isArray(input) ? [{ list: input as readonly unknown[], path: '/input' }] : []
  if (Array.isArray(output) && (object === 'response' || output.some(isTelling) || isList(input)))
    return [...sent, { list: output, path: '/output' }]
  if (Array.isArray(fresh) && fresh.some(isOwn)) return [...sent, { list: fresh, path: '/new_items' }]
  if (object === 'list' && isList(data)) return [{ list: data, path: '/data' }]
  for (const name of ['records', 'items', 'input', 'history'] as const) {
    const list = document[name]
    if (isList(list)) return [{ list, path: `/${name}` }]
  }
  return null
}
