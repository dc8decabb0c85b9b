import { wordSet } from '../../domain/text/words.ts'
import { objectsIn } from '../common/objects.ts'
import { isRecord, type Json, pointer, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText, Session, unreadRecord, warnUnknownOnce } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { COMMON_TOOLS } from '../tools/common.ts'
import { readPart } from './opencode-parts.ts'

/**
 * opencode: `opencode export` (`{info, messages: [{info, parts}]}`), the messages of a session alone (`GET /session/{id}/message`), and what
 * `opencode run --format json` prints. Source: sst/opencode, packages/opencode/src/session/message-v2.ts.
 */
export const OPENCODE: Format = {
  name: 'opencode',
  recognizes: (document) => messagesOf(document) !== null || isStream(document),
  read: readOpencode,
}

const isMessage = (value: unknown): value is Json =>
  isRecord(value) &&
  Array.isArray(value['parts']) &&
  isRecord(value['info']) &&
  (value['info']['role'] === 'user' || value['info']['role'] === 'assistant')

const MESSAGE_LISTS = ['messages', 'records', 'data'] as const

/** The member that holds the messages; null where there is none. */
function messagesOf(document: Json): string | null {
  const found = MESSAGE_LISTS.find((name) => {
    const list = document[name]
    return Array.isArray(list) && list.length > 0 && list.every(isMessage)
  })
  return found ?? null
}

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
  const found = messagesOf(document)
  const name = found ?? 'records'
  const list = asList(document[name])
  const path = `/${name}`
  for (const [index, item] of list.entries())
    if (found === null) readEvent(session, item, pointer(path, index))
    else readMessage(session, item, pointer(path, index))
  return { format: 'opencode', agent: { name: 'opencode', model: modelOf(list) }, steps: session.finish(path) }
}

/** The model that answered last. */
function modelOf(list: readonly unknown[]): string | null {
  const last = asRecord(
    asRecord(list.findLast((one) => asText(asRecord(asRecord(one)['info'])['modelID']) !== null))['info'],
  )
  const [provider, model] = [asText(last['providerID']), asText(last['modelID'])]
  return model === null || provider === null ? model : `${provider}/${model}`
}

/** A message of the agent is a step for each of its requests, which `step-start` heads. */
function readMessage(session: Session, message: unknown, path: string): void {
  const { reading } = session
  const { info, parts } = asRecord(message)
  const about = asRecord(info)
  warnUnknownOnce(reading, about, `${path}/info`, INFO_FIELDS)
  session.now = timeOf(asRecord(about['time'])['created'])
  const name = asText(about['id'])
  const isAgent = about['role'] === 'assistant'
  if (!isAgent) session.note('system', about['system'], `${path}/info/system`, 'system', name)
  session.open(isAgent ? 'agent' : 'other', name)
  for (const [part, at] of objectsIn(reading, asList(parts), `${path}/parts`, 'a part')) {
    readPart(session, part, at, { name, isAgent })
  }
  const { error } = about
  const said = asRecord(asRecord(error)['data'])['message']
  if (isRecord(error)) session.note('system', said, `${path}/info/error/data/message`, 'error')
}

/** One line of `opencode run --format json`. */
function readEvent(session: Session, event: unknown, path: string): void {
  const { type, part, error, timestamp } = asRecord(event)
  session.now = timeOf(timestamp)
  if (isRecord(part)) {
    // What the agent does from one `step_start` to the next is one step.
    if (type === 'step_start' || session.last === undefined) session.open('agent', asText(part['messageID']))
    else readPart(session, part, `${path}/part`, { name: asText(part['messageID']), isAgent: true })
  } else if (type === 'error')
    session.note('system', asRecord(asRecord(error)['data'])['message'], `${path}/error/data/message`, 'error')
  else unreadRecord(session.reading, path, 'type of event', type, event)
}
