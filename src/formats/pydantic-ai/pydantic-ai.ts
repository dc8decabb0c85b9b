import { wordSet } from '../../domain/text/words.ts'
import { objectsIn } from '../common/objects.ts'
import { isRecord, type Json, type Reading, timeOf, typeName } from '../common/reading.ts'
import { asList, asText, warnUnknownOnce } from '../common/session.ts'
import { Dialogue } from '../dialogue/dialogue.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readRequestPart, readResponsePart } from './pydantic-parts.ts'

/**
 * Messages of Pydantic AI, as `ModelMessagesTypeAdapter` and `all_messages_json()` write them (pydantic-ai, pydantic_ai_slim/pydantic_ai/messages.py): an
 * array of requests and responses with their parts, alone or under a name.
 */
export const PYDANTIC_AI: Format = {
  name: 'pydantic-ai',
  recognizes: (document) => messagesIn(document) !== null,
  read: readPydanticAi,
}

const LISTS = ['records', 'messages', 'all_messages', 'new_messages', 'message_history'] as const
const ROOT_FIELDS: ReadonlySet<string> = wordSet(`output usage run_id conversation_id model agent id metadata`)
const MESSAGE_FIELDS: ReadonlySet<string> = wordSet(`kind parts timestamp instructions run_id conversation_id metadata
  state usage model_name provider_name provider_url provider_details provider_response_id finish_reason vendor_details
  vendor_id cost instruction_parts`)

const isMessage = (item: unknown): boolean =>
  isRecord(item) &&
  (item['kind'] === 'request' || item['kind'] === 'response') &&
  Array.isArray(item['parts']) &&
  item['parts'].some((part) => isRecord(part) && typeof part['part_kind'] === 'string')

function messagesIn(document: Json): { readonly list: readonly unknown[]; readonly path: string } | null {
  for (const name of LISTS) {
    const list = document[name]
    if (Array.isArray(list) && list.some(isMessage)) return { list, path: `/${name}` }
  }
  return null
}

function readPydanticAi(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const dialogue = new Dialogue(reading)
  reading.warnUnknown(document, '', new Set([...ROOT_FIELDS, path.slice(1)]))
  let model = asText(document['model'])
  let instructions: unknown
  for (const [message, at] of objectsIn(reading, list, path, 'a message')) {
    warnUnknownOnce(reading, message, at, MESSAGE_FIELDS)
    model ??= asText(message['model_name'])
    dialogue.session.now = timeOf(message['timestamp'])
    // Every request of a run repeats them.
    if (message['instructions'] !== instructions) {
      instructions = message['instructions'] ?? instructions
      dialogue.session.note('system', message['instructions'], `${at}/instructions`, 'instructions')
    }
    readMessage(dialogue, message, at)
  }
  const agent = { name: asText(document['agent']), model }
  return { format: 'pydantic-ai', agent, steps: dialogue.session.finish(path) }
}

function readMessage(dialogue: Dialogue, { kind, parts }: Json, path: string): void {
  const { reading, session } = dialogue
  if (!Array.isArray(parts)) {
    reading.error(`${path}/parts`, `must be an array of parts, not ${typeName(parts)}`)
    return
  }
  if (kind !== 'request' && kind !== 'response') {
    reading.unread(`${path}/kind`, 'neither a request nor a response; not read', true)
    return
  }
  const step = kind === 'response' ? session.open('agent', null) : null
  for (const [part, at] of objectsIn(reading, asList(parts), `${path}/parts`, 'a part')) {
    if (step === null) readRequestPart(dialogue, part, at)
    else readResponsePart(dialogue, step, part, at)
  }
}
