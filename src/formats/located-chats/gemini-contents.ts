import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { isAbsent, isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText, lastName } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import { own } from '../tools/tool-table.ts'
import { instructionsIn, isAnswer, type Side } from '../traces/chat-shapes.ts'
import { Located, messagesOfParts } from '../traces/located.ts'

/** Recognizes a message of Gemini's API by one part without a type, or by an empty list of parts. */
const isContent = (value: unknown): value is Json =>
  isRecord(value) &&
  Array.isArray(value['parts']) &&
  (value['parts'].length === 0 || value['parts'].some((part) => !isRecord(part) || !('type' in part || 'kind' in part)))

const areContents = (list: unknown): boolean => asList(list).some(isContent)

/** The format of Gemini's API (ai.google.dev, GenerateContentRequest): a request, an exchange, or an array of contents. */
export const GEMINI_CONTENTS: Format = {
  name: 'gemini-contents',
  recognizes: ({ contents, request, records }) =>
    areContents(contents) ||
    areContents(asRecord(request)['contents']) ||
    asList(records).some(
      (record) => isContent(record) && record['role'] === 'model' && asList(record['parts']).length > 0,
    ),
  read: readContents,
}

function readContents(reading: Reading, document: Json): ReadDocument {
  const root = new Located(document, '')
  const isExchange = areContents(asRecord(document['request'])['contents'])
  const asked = isExchange ? root.member('request') : root
  const answer = isExchange ? root.member('response') : root
  const list = asked.member(areContents(asRecord(asked.value)['contents']) ? 'contents' : 'records')
  const { modelVersion } = asRecord(answer.value)
  const model = asName(modelVersion) ?? asName(document['modelVersion']) ?? asName(document['model'])
  const about = { name: null, at: null }
  return readLocatedChat(reading, list.path, { name: 'gemini', model }, 'gemini-contents', () => [
    ...instructionsIn(asked).map((tree) => ({ ...about, tree, path: asked.path })),
    ...list.items().flatMap((item) => {
      if (isContent(item.value)) return messagesOfContent(item, 'user', about)
      reading.odd(item.path, 'a content with parts', item.value)
      return []
    }),
    ...answer
      .member('candidates')
      .items()
      .flatMap((candidate) => {
        const content = candidate.member('content')
        const isKnown = isAnswer(candidate.value, 'content') && (isAbsent(content.value) || isRecord(content.value))
        if (isKnown) return messagesOfContent(content, 'assistant', about)
        reading.odd(candidate.path, 'an answer of the model', candidate.value)
        return []
      }),
  ])
}

type About = Pick<LocatedMessage, 'name' | 'at' | 'outcome'>

/** Reads a content into messages. `side`: the speaker of a content without a role; `user`: the true speaker of the user's contents. */
function messagesOfContent(content: Located, side: Side, about: About, user = 'user'): LocatedMessage[] {
  const { role = side } = content.record
  const speaker = role === 'model' ? 'assistant' : typeof role === 'string' ? role : side
  const { path } = content
  return messagesOfParts(content, speaker === 'user' ? user : speaker).map((tree) => ({ ...about, tree, path }))
}

/** The format of Qwen Code's sessions: records with messages of Gemini's API (QwenLM/qwen-code, chatRecordingService.ts). */
export const QWEN_CODE: Format = {
  name: 'qwen-code',
  recognizes: ({ records }) => asList(records).map(asRecord).some(isQwen),
  read: readQwenCode,
}

const isQwen = ({ sessionId, message }: Json): boolean => typeof sessionId === 'string' && isContent(message)

const QWEN_OUTCOMES: Readonly<Record<string, ActOutcome>> = {
  error: 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
}
const EXIT_CODE = '\nExit Code: '

function readQwenCode(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const agent = { name: 'qwen-code', model: lastName(records.map((record) => asRecord(record)['model'])) }
  return readLocatedChat(reading, '/records', agent, 'qwen-code', () =>
    [...itemsIn(records, '/records')].flatMap(([record, path]) => messagesOfRecord(reading, asRecord(record), path)),
  )
}

function messagesOfRecord(reading: Reading, record: Json, path: string): readonly LocatedMessage[] {
  const { type, subtype } = record
  if (type === 'system') {
    if (subtype === 'chat_compression') reading.isCompacted = true
    reading.leaveOut(path)
    return []
  }
  if (!isContent(record['message'])) {
    reading.unreadRecord(path, 'type of record', type, record)
    return []
  }
  const message = new Located(record['message'], `${path}/message`)
  const about = { name: asText(record['uuid']), at: timeOf(record['timestamp']), outcome: outcomeOfResult(record) }
  // Reminders and goals of the harness stand as texts of the user.
  const isOwn = type !== 'user' || (subtype === undefined && OWN.has(record['provenance']))
  const side = type === 'assistant' ? 'assistant' : 'user'
  return messagesOfContent(message, side, about, isOwn ? 'user' : 'system')
}

const OWN: ReadonlySet<unknown> = new Set([undefined, 'real_user'])

function outcomeOfResult({ message, toolCallResult }: Json): ActOutcome | undefined {
  const { status } = asRecord(toolCallResult)
  const told = own(QWEN_OUTCOMES, status)
  return told ?? (asList(asRecord(message)['parts']).some(endsWithFailure) ? 'failed' : undefined)
}

function endsWithFailure(part: unknown): boolean {
  const { output } = asRecord(asRecord(asRecord(part)['functionResponse'])['response'])
  if (typeof output !== 'string') return false
  const at = output.lastIndexOf(EXIT_CODE)
  return at !== -1 && /^[1-9]/u.test(output.slice(at + EXIT_CODE.length))
}
