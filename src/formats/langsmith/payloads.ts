import { decodeObject } from '../common/json-tree.ts'
import { isAbsent, isRecord, type Json } from '../common/reading.ts'
import { type OpenMessage, openMessage } from '../langchain/langchain.ts'
import { Located } from '../traces/located.ts'

/** Returns `inputs` or `outputs` of a run; rows of a table hold them as JSON in a string. */
export function payloadOf(run: Json, path: string, side: 'inputs' | 'outputs'): Located | null {
  const value = run[side]
  if (isRecord(value)) return new Located(value, `${path}/${side}`)
  const decoded = typeof value === 'string' ? decodeObject(value) : null
  return decoded === null ? null : new Located(decoded, `${path}/${side}#`)
}

/** A message of a payload; an odd item beside messages as it stands. */
export type PayloadMessage = OpenMessage | Located

/** Opens the messages of a list, of several conversations the first; null where fewer than half of the items are messages. */
function openList(list: Located): PayloadMessage[] | null {
  if (!Array.isArray(list.value)) return null
  const items = list.items()
  const [first] = items
  const isBatch = items.length === 1 && Array.isArray(first?.value) && !isPair(first.value)
  if (isBatch && first !== undefined) return openList(first)
  const open = items.map((item): PayloadMessage => openMessage(item.value, item.path) ?? item)
  return open.filter((message) => message instanceof Located).length * 2 <= items.length ? open : null
}

const isPair = (value: readonly unknown[]): boolean =>
  value.length === 2 && value.every((item) => typeof item === 'string')

/** Returns the conversation in a payload: `messages`, also of a state below `input` or `output`; or a prompt of one text. */
export function messagesOf(payload: Located): PayloadMessage[] | null {
  for (const holder of [payload, payload.member('input'), payload.member('output'), payload.member('state')]) {
    const open = isRecord(holder.value) ? openList(holder.member('messages')) : null
    if (open !== null) return open
  }
  const prompts = payload.member('prompts')
  const texts = prompts.items()
  return Array.isArray(prompts.value) && texts.every(({ value }) => typeof value === 'string')
    ? texts.map((text) => plainMessage('user', text))
    : null
}

const plainMessage = (speaker: OpenMessage['speaker'], { value, path }: Located): OpenMessage => ({
  ...{ speaker, type: speaker, body: {}, path },
  text: { text: String(value), path },
})

/** Returns the answer of a model: LangChain's `generations`, a provider's `choices`, or the message itself. Null for other payloads. */
export function replyOf(payload: Located): OpenMessage | null {
  for (const name of ['generations', 'choices'] as const) {
    const places = payload.member(name)
    if (Array.isArray(places.value)) return replyIn(places.member(0))
  }
  for (const candidate of [payload.member('message'), payload.member('output'), payload]) {
    const open = isRecord(candidate.value) ? openMessage(candidate.value, candidate.path) : null
    if (open?.speaker === 'agent') return open
  }
  const last = payload.member('messages').items().at(-1)
  return last === undefined ? null : openMessage(last.value, last.path)
}

/** Returns the message of a generation, or the bare text of a model without messages. */
function replyIn(generation: Located): OpenMessage | null {
  if (Array.isArray(generation.value)) return replyIn(generation.member(0))
  const [message, text] = [generation.member('message'), generation.member('text')]
  if (!isAbsent(message.value)) return openMessage(message.value, message.path)
  return typeof text.value === 'string' ? plainMessage('agent', text) : null
}
