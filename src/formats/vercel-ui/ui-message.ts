import { wordSet } from '../../domain/text/words.ts'
import type { Part } from '../../domain/trajectory/trajectory.ts'
import { objectsIn } from '../common/objects.ts'
import { isAbsent, isRecord, type Json, typeName } from '../common/reading.ts'
import { asList, asText, warnUnknownOnce } from '../common/session.ts'
import type { Dialogue } from '../dialogue/dialogue.ts'
import { readInvocation } from './ui-calls.ts'
import { addFile, readAgentParts, readOtherParts } from './ui-parts.ts'

const MESSAGE_FIELDS: ReadonlySet<string> = wordSet(`id role parts content metadata createdAt updatedAt annotations
  reasoning status toolInvocations experimental_attachments attachments revisionId chatId data`)

/** One message: of the agent, as many steps as its parts tell apart. */
export function readUiMessage(dialogue: Dialogue, message: Json, path: string): void {
  const { reading, session } = dialogue
  const { role, parts, content } = message
  warnUnknownOnce(reading, message, path, MESSAGE_FIELDS)
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
  // Version 4 has the texts of the parts once more, as one.
  if (list.length > 0 && typeof content === 'string' && content !== '' && !isSaid(list, content))
    reading.warn(`${path}/content`, 'says something else than the parts; the parts are read')
}

function isSaid(parts: readonly unknown[], content: string): boolean {
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
  return texts.join('').replaceAll('\n', '') === content.replaceAll('\n', '') || texts.includes(content)
}

/** Version 4 without parts: calls by their `step`, and all that was said, which stands behind them. */
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

/** Files of version 4: `{name, contentType, url}`. */
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
