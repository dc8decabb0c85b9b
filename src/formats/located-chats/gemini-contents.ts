import type { ActOutcome } from '../../domain/trajectory/act.ts'
import { isAbsent, isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { messagesIn } from '../traces/chat-shapes.ts'
import { Located } from '../traces/located.ts'
import { type LocatedMessage, readLocatedChat } from './located-chat.ts'

/** Recognizes a message of Gemini's API: parts without a type. */
const isContent = (value: unknown): value is Json =>
  isRecord(value) &&
  Array.isArray(value['parts']) &&
  value['parts'].every((part) => isRecord(part) && !('type' in part) && !('kind' in part))

const areContents = (list: unknown): boolean => Array.isArray(list) && list.length > 0 && list.every(isContent)

/**
 * The format of Gemini's API: a request with its `contents`, an exchange (`{request, response}`, also `candidates` beside the request), or an array of
 * contents. Source: ai.google.dev, GenerateContentRequest and Content.
 */
export const GEMINI_CONTENTS: Format = {
  name: 'gemini-contents',
  recognizes: ({ contents, request, records }) =>
    areContents(contents) ||
    areContents(asRecord(request)['contents']) ||
    (areContents(records) && asList(records).some((record) => asRecord(record)['role'] === 'model')),
  read: readContents,
  asides: new Set(['generationConfig', 'safetySettings', 'usageMetadata', 'tools', 'toolConfig', 'safetyRatings']),
}

function readContents(reading: Reading, document: Json): ReadDocument {
  const root = new Located(document, '')
  const isExchange = areContents(asRecord(document['request'])['contents'])
  const asked = isExchange ? root.member('request') : 'contents' in document ? root : root.member('records')
  const answer = isExchange ? root.member('response') : root
  const model =
    asName(document['modelVersion']) ?? asName(document['model']) ?? asName(asRecord(answer.value)['modelVersion'])
  const trees = [
    ...(messagesIn(asked, 'user') ?? []),
    ...(Array.isArray(asRecord(answer.value)['candidates']) && answer !== asked
      ? (messagesIn(answer, 'assistant') ?? [])
      : root
          .member('candidates')
          .items()
          .flatMap((one) => messagesIn(one.member('content'), 'assistant') ?? [])),
  ]
  const outcomes = outcomesIn(asList(asRecord(asked.value)['contents'] ?? asked.value))
  const list = isExchange ? '/request/contents' : 'contents' in document ? '/contents' : '/records'
  return readLocatedChat(reading, list, { name: 'gemini', model }, 'gemini-contents', () =>
    trees.map((tree): LocatedMessage => ({ tree, path: list, name: null, at: null, outcomes })),
  )
}

/** Reads the calls that failed: their answers hold an `error` and no output. */
function outcomesIn(contents: readonly unknown[]): Record<string, ActOutcome> {
  const parts = contents.flatMap((content) => asList(asRecord(content)['parts']))
  return Object.fromEntries(
    parts.flatMap((part): [string, ActOutcome][] => {
      const { id, response } = asRecord(asRecord(part)['functionResponse'])
      const { error, output } = asRecord(response)
      return typeof id === 'string' && !isAbsent(error) && isAbsent(output) ? [[id, 'failed']] : []
    }),
  )
}

/**
 * The format of Qwen Code's sessions (`~/.qwen/projects/*\/chats/*.jsonl`): records with messages of Gemini's API. Source: QwenLM/qwen-code,
 * packages/core/src/services/chatRecordingService.ts.
 */
export const QWEN_CODE: Format = {
  name: 'qwen-code',
  recognizes: ({ records }) =>
    asList(records).some((record) => isOfSession(record) && isContent(asRecord(record)['message'])),
  read: readQwenCode,
  // The harness's own copies of results, notes for its screen, and settings.
  asides: new Set(['toolCallResult', 'systemPayload', 'usageMetadata', 'cwd', 'gitBranch']),
}

const isOfSession = (record: unknown): boolean => typeof asRecord(record)['sessionId'] === 'string'

const QWEN_OUTCOMES: Readonly<Record<string, ActOutcome>> = {
  error: 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
}
/** The line by which the shell tool tells the end of a command. */
const EXIT_CODE = /^Exit Code: [1-9]/mu
const LONGEST_END = 500

function readQwenCode(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const model = records.map((record) => asName(asRecord(record)['model'])).findLast((name) => name !== null) ?? null
  const agent = { name: 'qwen-code', model }
  return readLocatedChat(reading, '/records', agent, 'qwen-code', () =>
    [...itemsIn(records, '/records')].flatMap(([record, path]) => messagesOfRecord(reading, asRecord(record), path)),
  )
}

function messagesOfRecord(reading: Reading, record: Json, path: string): readonly LocatedMessage[] {
  const { type, subtype } = record
  const message = new Located(record['message'], `${path}/message`)
  if (type === 'system') {
    if (subtype === 'chat_compression') reading.isCompacted = true
    reading.leaveOut(path)
    return []
  }
  // Reminders and goals of the harness stand as texts of the user.
  const isOwn = type !== 'user' || (record['subtype'] === undefined && OWN.has(record['provenance']))
  const trees = isContent(message.value) ? messagesIn(message, type === 'assistant' ? 'assistant' : 'user') : null
  if (trees === null) reading.unreadRecord(path, 'type of record', type, record)
  const about = { path: message.path, name: asText(record['uuid']), at: timeOf(record['timestamp']) }
  return (trees ?? []).map((tree) => ({
    ...about,
    tree,
    ...(!isOwn && { role: 'system' }),
    outcomes: outcomesOfResult(record),
  }))
}

const OWN: ReadonlySet<unknown> = new Set([undefined, 'real_user'])

function outcomesOfResult({ message, toolCallResult }: Json): Record<string, ActOutcome> {
  const { callId, status } = asRecord(toolCallResult)
  const answers = asList(asRecord(message)['parts']).map((part) => asRecord(asRecord(part)['functionResponse']))
  const isFailed = answers.some(({ response }) => {
    const { output } = asRecord(response)
    return typeof output === 'string' && EXIT_CODE.test(output.slice(-LONGEST_END))
  })
  const outcome = typeof status === 'string' ? (QWEN_OUTCOMES[status] ?? (isFailed ? 'failed' : undefined)) : undefined
  return typeof callId === 'string' && outcome !== undefined ? { [callId]: outcome } : {}
}
