import { isRecord, type Json } from '../common/reading.ts'
import { asText } from '../common/session.ts'

/** The role of a message's author. */
type Speaker = 'agent' | 'user' | 'system' | 'tool' | 'unknown'

/** A message without its envelope. */
export interface OpenMessage {
  readonly speaker: Speaker
  /** The role or type in the file. */
  readonly type: string
  readonly body: Json
  readonly path: string
  /** The text and its path, where the body does not hold it. */
  readonly text?: { readonly text: string; readonly path: string }
}

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  ...{ ai: 'agent', assistant: 'agent', human: 'user', user: 'user', system: 'system', developer: 'system' },
  ...{ tool: 'tool', function: 'tool' },
}

const speakerOf = (name: string): Speaker => {
  const plain = name.replace(/Message(?:Chunk)?$/, '').toLowerCase()
  return Object.hasOwn(SPEAKERS, plain) ? (SPEAKERS[plain] ?? 'unknown') : 'unknown'
}

/**
 * Opens a message in any of its forms: plain (`{"type": "ai", "content"}`, langchain-core's `model_dump`), in an envelope (`{"type":
 * "human", "data": {…}}`, `messages_to_dict` and JavaScript's `toDict`), serialized (`{"lc": 1, "type": "constructor", "id": […,
 * "HumanMessage"], "kwargs"}`), in a provider's form (`{"role", "content"}`), or a pair `["human", "…"]`. Null for other values.
 */
export function openMessage(message: unknown, path: string): OpenMessage | null {
  if (Array.isArray(message)) return openPair(message, path)
  if (!isRecord(message)) return null
  const { type, data, id, kwargs, role } = message
  if ('lc' in message && Array.isArray(id)) {
    const last: unknown = id.at(-1)
    const name = typeof last === 'string' ? last : ''
    const body = isRecord(kwargs) ? kwargs : {}
    return open(
      name === 'ChatMessage' && typeof body['role'] === 'string' ? body['role'] : name,
      body,
      `${path}/kwargs`,
    )
  }
  if (isRecord(data) && typeof type === 'string') return open(ofChat(type, data), data, `${path}/data`)
  if (typeof role === 'string' && type !== 'ai' && type !== 'human') return open(role, message, path)
  return typeof type === 'string' ? open(ofChat(type, message), message, path) : null
}

/** Returns the model that a reply names. */
export function modelOfMessage({ speaker, body }: OpenMessage): string | null {
  const { response_metadata: about } = body
  if (speaker !== 'agent' || !isRecord(about)) return null
  return asText(about['model_name']) ?? asText(about['model']) ?? asText(about['model_id'])
}

/** Returns the type of a message; a message of LangChain's `chat` type has its role in a member of its own. */
const ofChat = (type: string, { role }: Json): string =>
  (type === 'chat' || type === 'generic') && typeof role === 'string' ? role : type

const open = (type: string, body: Json, path: string): OpenMessage => ({ speaker: speakerOf(type), type, body, path })

function openPair(pair: readonly unknown[], path: string): OpenMessage | null {
  const [role, content] = pair
  return pair.length === 2 && typeof role === 'string' && typeof content === 'string'
    ? { speaker: speakerOf(role), type: role, body: {}, path, text: { text: content, path: `${path}/1` } }
    : null
}

const OWN_TYPES: ReadonlySet<unknown> = new Set(['ai', 'human', 'AIMessageChunk', 'HumanMessageChunk'])

/** Tells whether only LangChain can have written a message. */
export function isOwnMessage(message: unknown): boolean {
  if (!isRecord(message) || 'role' in message) return false
  const { type, id, data } = message
  if (message['lc'] === 1 && Array.isArray(id)) return id.some((name) => name === 'messages') && isConstructor(message)
  return OWN_TYPES.has(type) && ('content' in message || (isRecord(data) && 'content' in data))
}

const isConstructor = ({ type, kwargs }: Json): boolean => type === 'constructor' && isRecord(kwargs)
