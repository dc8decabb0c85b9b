import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isAbsent, isRecord, itemsIn, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import {
  addLeaves,
  asList,
  asRecord,
  asText,
  isEmpty,
  mediaText,
  type OpenStep,
  Session,
  settle,
  sinkTo,
} from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { COMMON_TOOLS } from '../tools/common.ts'
import { outcomeOfResult, outcomeWithCode } from '../tools/outcomes.ts'

/**
 * The format of opencode: `opencode export` (`{info, messages: [{info, parts}]}`), the messages of a session alone (`GET
 * /session/{id}/message`), and the output of `opencode run --format json`. Source: sst/opencode,
 * packages/opencode/src/session/message-v2.ts.
 */
export const OPENCODE: Format = {
  name: 'opencode',
  recognizes: (document) => messagesOf(document) !== null || isStream(document),
  read: readOpencode,
  holdsSubagents: true,
}

const isMessage = (value: unknown): value is Json =>
  isRecord(value) &&
  Array.isArray(value['parts']) &&
  isRecord(value['info']) &&
  (value['info']['role'] === 'user' || value['info']['role'] === 'assistant')

const MESSAGE_LISTS = ['messages', 'records', 'data'] as const

const messagesOf = (document: Json) =>
  listIn(document, MESSAGE_LISTS, (list) => list.length > 0 && list.every(isMessage))

const EVENTS: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool_use', 'step_start', 'step_finish', 'error'])

const isEvent = (value: unknown): boolean =>
  isRecord(value) &&
  EVENTS.has(value['type']) &&
  typeof value['sessionID'] === 'string' &&
  ('part' in value || 'error' in value)

const isStream = ({ records }: Json): boolean => Array.isArray(records) && records.length > 0 && records.every(isEvent)

const ROOT_FIELDS: ReadonlySet<string> = new Set(['info', 'messages', 'records', 'data'])
const INFO_FIELDS: ReadonlySet<string> = wordSet(`id sessionID role time agent mode model modelID providerID parentID
  path cost tokens summary system tools format error structured variant finish runtime`)

function readOpencode(reading: Reading, document: Json): ReadDocument {
  reading.warnUnknown(document, '', ROOT_FIELDS)
  const session = new Session(reading, COMMON_TOOLS)
  const messages = messagesOf(document)
  const { list, path } = messages ?? { list: asList(document['records']), path: '/records' }
  for (const [item, at] of itemsIn(list, path))
    if (messages === null) readEvent(session, item, at)
    else readMessage(session, item, at)
  return { format: 'opencode', agent: { name: 'opencode', model: modelOf(list) }, steps: session.finish(path) }
}

/** Returns the model of the last answer. */
function modelOf(list: readonly unknown[]): string | null {
  const last = asRecord(
    asRecord(list.findLast((message) => asText(asRecord(asRecord(message)['info'])['modelID']) !== null))['info'],
  )
  const [provider, model] = [asText(last['providerID']), asText(last['modelID'])]
  return model === null || provider === null ? model : `${provider}/${model}`
}

/** Reads a message. The agent's messages hold one step per request, headed by `step-start`. */
function readMessage(session: Session, message: unknown, path: string): void {
  const { reading } = session
  const { info, parts } = asRecord(message)
  const about = asRecord(info)
  reading.warnUnknownOnce(about, `${path}/info`, INFO_FIELDS)
  session.now = timeOf(asRecord(about['time'])['created'])
  const name = asText(about['id'])
  const isAgent = about['role'] === 'assistant'
  if (!isAgent) session.note('system', about['system'], `${path}/info/system`, 'system', name)
  session.open(isAgent ? 'agent' : 'other', name)
  for (const [part, at] of objectsIn(reading, asList(parts), `${path}/parts`, 'a part')) {
    readPart(session, part, at, name, isAgent)
  }
  const { error } = about
  const words = asRecord(asRecord(error)['data'])['message']
  if (isRecord(error)) session.note('system', words, `${path}/info/error/data/message`, 'error')
}

/** Reads one line of `opencode run --format json`. */
function readEvent(session: Session, event: unknown, path: string): void {
  const { type, part, error, timestamp } = asRecord(event)
  session.now = timeOf(timestamp)
  if (isRecord(part)) {
    // One step holds the agent's parts from one `step_start` to the next.
    if (type === 'step_start' || session.last === undefined) session.open('agent', asText(part['messageID']))
    else readPart(session, part, `${path}/part`, asText(part['messageID']), true)
  } else if (type === 'error')
    session.note('system', asRecord(asRecord(error)['data'])['message'], `${path}/error/data/message`, 'error')
  else session.reading.unreadRecord(path, 'type of event', type, event)
}

/** Types of parts that opencode keeps for itself: marks of requests, states of the folder, retries. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  'step-start',
  'step-finish',
  'snapshot',
  'patch',
  'compaction',
  'agent',
])

const PART_FIELDS: ReadonlySet<string> = wordSet(`id sessionID messageID type text synthetic ignored time metadata
  callID tool state mime filename url source prompt description agent model command attempt error snapshot`)
const STATE_FIELDS: ReadonlySet<string> = wordSet(`status input raw output error title metadata time attachments`)

/** Returns the open step, or a new step where another speaker came in between. */
function stepOf(session: Session, name: string | null, isAgent: boolean): OpenStep {
  const kind = isAgent ? 'agent' : 'other'
  return session.last?.kind === kind ? session.last : session.open(kind, name)
}

/** Reads one part of a message into the open step. */
function readPart(session: Session, part: Json, path: string, name: string | null, isAgent: boolean): void {
  const { reading } = session
  const { type } = part
  if (type === 'step-start' && session.last?.answered === true) session.open('agent', name)
  if (BOOKKEEPING.has(type)) {
    if (type === 'compaction') session.reading.isCompacted = true
    reading.leaveOut(path)
    return
  }
  reading.warnUnknownOnce(part, path, PART_FIELDS)
  const { parts } = stepOf(session, name, isAgent)
  // opencode writes some texts as the user: the contents of mentioned files, reminders.
  const actor: Actor = isAgent ? 'agent_message' : part['synthetic'] === true ? 'system' : 'user'
  if (type === 'tool' && isAgent) readTool(session, part, path, name)
  else if (type === 'text' && part['ignored'] === true) {
    reading.leaveOut(path)
    reading.warnOnce(path, 'texts that are marked as ignored, which no model was sent, are not shown')
  } else if (type === 'text') sayText(session, parts, part, path, actor)
  else if (type === 'reasoning') sayText(session, parts, part, path, 'agent_reasoning')
  else if (type === 'file') readFile(session, parts, part, path, isAgent ? 'agent_message' : 'user')
  else if (type === 'subtask') readSubtask(session, parts, part, path)
  else if (type === 'retry')
    session.note('system', asRecord(asRecord(part['error'])['data'])['message'], `${path}/error/data/message`, 'retry')
  else reading.unreadRecord(path, 'type of part', type, part)
}

function sayText({ reading }: Session, parts: Part[], part: Json, path: string, actor: Actor): void {
  const { text } = part
  if (typeof text === 'string')
    sinkTo(reading, parts, actor, actor === 'agent_reasoning' ? 'reasoning' : 'message').text(text, `${path}/text`)
  else reading.error(`${path}/text`, `must be text`)
}

function readFile({ reading }: Session, parts: Part[], part: Json, path: string, actor: Actor): void {
  const { url, mime, filename } = part
  const isPicture = typeof mime === 'string' && mime.startsWith('image/')
  const text = mediaText(isPicture ? 'image' : 'file', asText(filename) ?? asText(mime) ?? url)
  reading.addMedia(
    parts,
    { actor, text, path, name: 'file' },
    isPicture && String(url).startsWith('data:') ? { url } : undefined,
  )
}

/** Adds a command of the user that goes straight to a subagent. */
function readSubtask({ reading }: Session, parts: Part[], part: Json, path: string): void {
  for (const field of ['command', 'description', 'prompt']) {
    const text = part[field]
    if (typeof text === 'string')
      reading.add(parts, { actor: 'user', text, path: `${path}/${field}`, name: `subtask.${field}` })
  }
}

/** Reads a call with its result, which are one part. */
function readTool(session: Session, part: Json, path: string, name: string | null): void {
  const { reading } = session
  const state = asRecord(part['state'])
  reading.warnUnknownOnce(state, `${path}/state`, STATE_FIELDS)
  const step = stepOf(session, name, true)
  const { input, raw, output, error } = state
  const isBare = isAbsent(input) || (isRecord(input) && isEmpty(input))
  // A call whose arguments were still being written has their text so far.
  const [args, at] = isBare && asText(raw) !== null ? [raw, `${path}/state/raw`] : [input, `${path}/state/input`]
  const words = { id: part['callID'], name: part['tool'], args, path: at, namePath: `${path}/tool` }
  const call = addNamedCall(session, step, words)
  settle(call, outcomeOf(reading, state, `${path}/state`))
  const sink = sinkTo(reading, step.outputs, 'tool_output', call.tool)
  if (typeof output === 'string') sink.text(output, `${path}/state/output`)
  else if (output !== undefined) addLeaves(sink, output, `${path}/state/output`)
  if (typeof error === 'string') sink.text(error, `${path}/state/error`)
  for (const [file, at] of itemsIn(state['attachments'], `${path}/state/attachments`))
    if (isRecord(file)) readFile(session, step.outputs, file, at, 'tool_output')
  step.answered = true
  const { sessionId } = asRecord(state['metadata'])
  if (typeof sessionId === 'string')
    reading.unread(
      `${path}/state/metadata/sessionId`,
      'the subagent ran in a session of its own, which is not in this file',
      true,
    )
}

function outcomeOf(reading: Session['reading'], state: Json, path: string): ActOutcome {
  const { status, error, metadata } = state
  const { exit, interrupted } = asRecord(metadata)
  if (status === 'completed') return outcomeWithCode('ran', typeof exit === 'number' ? exit : null)
  if (status === 'error') {
    if (interrupted === true) return 'interrupted'
    const words = typeof error === 'string' ? error : ''
    return outcomeOfResult('opencode', words.startsWith('Error: ') ? words.slice('Error: '.length) : words, true)
  }
  if (status !== 'pending' && status !== 'running') return 'unknown'
  reading.warnOnce(path, `a call that was ${status} when the session was saved`)
  // A pending call never began.
  return status === 'pending' ? 'cancelled' : 'interrupted'
}
