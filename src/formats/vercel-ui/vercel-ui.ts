import type { Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { textsIn } from '../common/content.ts'
import { isAbsent, isRecord, type Json, objectsIn, type Reading, timeOf, typeName } from '../common/reading.ts'
import { asList, asText } from '../common/session.ts'
import { Dialogue } from '../dialogue/dialogue.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { addFile, isUiPart, readAgentParts, readInvocation, readOtherParts } from './ui-parts.ts'

/**
 * The format of the AI SDK's `useChat` (vercel/ai): `UIMessage` with `parts` (packages/ai/src/ui/ui-messages.ts, versions 5 and 6) and the
 * messages of version 4 with `parts` or `toolInvocations` (packages/ui-utils/src/types.ts there), as `{"messages": […]}`, an array, or a
 * line each.
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

const messagesIn = (document: Json) => listIn(document, LISTS, (list) => list.some(isTelling))

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
    if (ROLES.has(message['role'])) readUiMessage(dialogue, message, at)
    else reading.unreadRecord(at, 'role of a message', message['role'], message)
  }
  const model = asText(document['model'])
  return { format: 'vercel-ui', agent: { name: null, model }, steps: dialogue.session.finish(path) }
}

const MESSAGE_FIELDS: ReadonlySet<string> = wordSet(`id role parts content metadata createdAt updatedAt annotations
  reasoning status toolInvocations experimental_attachments attachments revisionId chatId data`)

/** Reads one message; a reply of the agent gives as many steps as its parts show. */
function readUiMessage(dialogue: Dialogue, message: Json, path: string): void {
  const { reading, session } = dialogue
  const { role, parts, content } = message
  reading.warnUnknownOnce(message, path, MESSAGE_FIELDS)
  if (!isAbsent(parts) && !Array.isArray(parts))
    reading.error(`${path}/parts`, `must be an array of parts, not ${typeName(parts)}`)
  const list = asList(parts)
  const id = asText(message['id'])
  if (!isAbsent(message['data'])) reading.unread(`${path}/data`, 'data for the page; not read', false)
  if (role === 'assistant') {
    if (list.length > 0) readAgentParts(dialogue, list, `${path}/parts`, id)
    else readOldReply(dialogue, message, path, id)
  } else {
    const step = session.open('other', id)
    if (list.length > 0) readOtherParts(dialogue, list, `${path}/parts`, step, role === 'user' ? 'user' : 'system')
    else dialogue.content(step.parts, role === 'user' ? 'user' : 'system', content, `${path}/content`, 'message')
    readAttachments(dialogue, message, path, step.parts, role === 'user' ? 'user' : 'system')
  }
  // Version 4 repeats the texts of the parts as one content.
  if (list.length > 0 && typeof content === 'string' && content !== '' && !isRepeated(list, content))
    reading.warn(`${path}/content`, 'says something else than the parts; the parts are read')
}

function isRepeated(parts: readonly unknown[], content: string): boolean {
  const texts = textsIn(parts)
  return texts.join('').replaceAll('\n', '') === content.replaceAll('\n', '') || texts.includes(content)
}

/** Reads a reply of version 4 without parts: calls by their `step`, then the content behind them. */
function readOldReply(dialogue: Dialogue, message: Json, path: string, id: string | null): void {
  const { session } = dialogue
  const { reasoning, content, toolInvocations } = message
  const calls = asList(toolInvocations)
  let step = session.open('agent', id)
  if (typeof reasoning === 'string')
    dialogue.content(step.parts, 'agent_reasoning', reasoning, `${path}/reasoning`, 'reasoning')
  let last: unknown
  for (const [call, at, index] of objectsIn(dialogue.reading, calls, `${path}/toolInvocations`, 'a tool invocation')) {
    if (index > 0 && call['step'] !== last) step = session.open('agent', id)
    last = call['step']
    readInvocation(dialogue, step, call, at)
  }
  if (calls.length > 0 && !isAbsent(content) && content !== '') {
    step = session.open('agent', id)
    dialogue.reading.warnOnce(
      `${path}/content`,
      'a message without parts does not say whether its text stands before or behind its calls; shown behind them',
    )
  }
  dialogue.content(step.parts, 'agent_message', content, `${path}/content`, 'message')
}

/** Reads the attached files of version 4: `{name, contentType, url}`. */
function readAttachments(
  dialogue: Dialogue,
  message: Json,
  path: string,
  parts: Part[],
  actor: 'user' | 'system',
): void {
  for (const field of ['experimental_attachments', 'attachments'] as const)
    for (const [file, at] of objectsIn(dialogue.reading, asList(message[field]), `${path}/${field}`, 'an attachment')) {
      addFile(dialogue, parts, actor, { ...file, mediaType: file['contentType'] ?? file['mediaType'] }, at)
    }
}
