import { isRecord, type Json, type Reading } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readLocatedChat } from '../openai-chat/chat-steps.ts'
import { messageOf } from '../traces/chat-shapes.ts'
import { Located } from '../traces/located.ts'

/**
 * The format of LangChain's messages and LangGraph's states: `{"messages": […]}`, the same under `values`, `state` or `output`, or an
 * array. Each message may have any of its written forms (traces/chat-shapes.ts).
 */
export const LANGCHAIN: Format = {
  name: 'langchain',
  recognizes: (document) => listOf(document) !== null,
  read: readLangChain,
}

const STATES = ['values', 'state', 'output', 'outputs', 'channel_values'] as const

function listOf(document: Json): Located | null {
  const root = new Located(document, '')
  const lists = [root, ...STATES.map((name) => root.member(name))].map((state) => state.member('messages'))
  const isOwn = (list: Located): boolean => list.items().some(({ value }) => isOwnMessage(value))
  return [...lists, root.member('records')].find(isOwn) ?? null
}

function readLangChain(reading: Reading, document: Json): ReadDocument {
  const list = listOf(document) ?? new Located([], '/messages')
  const agent = { name: null, model: asText(document['model']) }
  return readLocatedChat(reading, list.path, agent, 'langchain', () =>
    list
      .items()
      .flatMap((item) => messageOf(item))
      .map((tree) => ({ tree })),
  )
}

const OWN_TYPES: ReadonlySet<unknown> = new Set(['ai', 'human', 'AIMessageChunk', 'HumanMessageChunk'])

/** Tells whether only LangChain can have written a message. */
function isOwnMessage(message: unknown): boolean {
  if (!isRecord(message) || 'role' in message) return false
  const { type, id, data } = message
  if (message['lc'] === 1 && Array.isArray(id))
    return type === 'constructor' && id.includes('messages') && isRecord(message['kwargs'])
  return OWN_TYPES.has(type) && ('content' in message || 'content' in asRecord(data))
}
