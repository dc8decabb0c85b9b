import { wordSet } from '../../domain/text/words.ts'
import { objectsIn } from '../common/objects.ts'
import { isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import { Dialogue } from '../dialogue/dialogue.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readUiMessage } from './ui-message.ts'
import { isUiPart } from './ui-parts.ts'

/**
 * Messages of the AI SDK's `useChat` (vercel/ai): `UIMessage` with `parts` (packages/ai/src/ui/ui-messages.ts, versions 5 and 6) and the
 * messages of version 4 with `parts` or `toolInvocations` (packages/ui-utils/src/types.ts there), as `{"messages": […]}`, an array, or a line each.
 */
export const VERCEL_UI: Format = {
  name: 'vercel-ui',
  recognizes: (document) => messagesIn(document) !== null,
  read: readVercelUi,
}

const LISTS = ['messages', 'records', 'initialMessages'] as const
const ROOT_FIELDS: ReadonlySet<string> = wordSet(`id chatId title userId visibility createdAt updatedAt trigger
  messageId model metadata`)
const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'data'])

function messagesIn(document: Json): { readonly list: readonly unknown[]; readonly path: string } | null {
  for (const name of LISTS) {
    const list = document[name]
    if (!Array.isArray(list) || !list.some(isTelling) || !list.every(isRoled)) continue
    return { list, path: `/${name}` }
  }
  return null
}

/** What is no object is an error of the reader's. */
const isRoled = (item: unknown): boolean => !isRecord(item) || ROLES.has(item['role'])

function isTelling(item: unknown): boolean {
  if (!isRecord(item) || !ROLES.has(item['role'])) return false
  const { parts, toolInvocations } = item
  if (Array.isArray(parts) && parts.length > 0) return parts.some(isUiPart)
  return (
    Array.isArray(toolInvocations) &&
    toolInvocations.some((call) => isRecord(call) && typeof call['toolName'] === 'string')
  )
}

function readVercelUi(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const dialogue = new Dialogue(reading)
  reading.warnUnknown(document, '', new Set([...ROOT_FIELDS, path.slice(1)]))
  for (const [message, at] of objectsIn(reading, list, path, 'a message')) {
    dialogue.session.now = timeOf(message['createdAt'])
    readUiMessage(dialogue, message, at)
  }
  const model = asText(document['model'])
  return { format: 'vercel-ui', agent: { name: null, model }, steps: dialogue.session.finish(path) }
}
