import { wordSet } from '../../domain/text/words.ts'
import type { ActOutcome } from '../../domain/trajectory/act.ts'
import { cutName, isRecord, type Json, pointer, type Reading, typeName } from '../common/reading.ts'
import { asList, asName, asRecord } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { ChatSink, type Resolve } from '../openai-chat/openai-chat-sink.ts'
import { placeMessages, readTurns } from '../openai-chat/openai-chat-turns.ts'

const SAMPLE_FIELDS = wordSet(`id epoch input choices target sandbox files setup messages output scores score metadata
  store events transcript model_usage role_usage started_at completed_at total_time working_time uuid invalidation
  error error_retries attachments limit timelines events_data`)
const LOG_FIELDS = wordSet(`version status eval plan results stats error samples reductions location etag invalidated
  log_updates tags metadata`)

/**
 * One sample of an Inspect log: `{"id", "epoch", "input", "messages", …}`, as it stands in `samples/` of an `.eval` file and in
 * `samples` of a JSON log. A whole log with one sample is read too; one with many is taken apart before (`inspect-sample.ts`).
 */
export const INSPECT: Format = {
  name: 'inspect',
  recognizes: (document) => isSample(document) || isLog(document),
  read(reading, document) {
    if (isSample(document)) return readSample(reading, document, '')
    reading.warnUnknown(document, '', LOG_FIELDS)
    const samples = Array.isArray(document['samples']) ? document['samples'] : []
    const [only] = samples
    if (samples.length === 1 && isRecord(only)) return readSample(reading, only, pointer('/samples', 0))
    const message =
      samples.length === 0 ? 'holds no samples' : `holds ${samples.length} samples: send the one to read by itself`
    reading.error('/samples', samples.length === 1 ? 'a sample must be an object' : message)
    return { format: 'inspect', agent: { name: null, model: null }, steps: [] }
  },
}

/** The members that every sample has had since the first version. */
export const isSample = ({ id, epoch, input, messages }: Json): boolean =>
  (typeof id === 'string' || typeof id === 'number') &&
  typeof epoch === 'number' &&
  (typeof input === 'string' || Array.isArray(input)) &&
  Array.isArray(messages)

export const isLog = ({ eval: spec, samples }: Json): boolean =>
  isRecord(spec) && Array.isArray(samples) && ('task' in spec || 'model' in spec)

function readSample(reading: Reading, sample: Json, at: string): ReadDocument {
  reading.warnUnknown(sample, at, SAMPLE_FIELDS)
  const agent = { name: null, model: sampleModelOf(sample) }
  const { messages } = sample
  const path = `${at}/messages`
  if (!Array.isArray(messages)) reading.error(path, `must be an array of messages, not ${typeName(messages)}`)
  const list = asList(messages)
  if (Array.isArray(messages) && list.length === 0) reading.error(path, 'holds no messages')
  const sink = new ChatSink(reading, attachmentsOf(reading, sample, at), 'inspect')
  const steps = readTurns(sink, placeMessages(list, path))
  warnAboutHiddenCalls(reading, sample, at, list)
  for (const [id, outcome] of turnedDown(reading, sample, at)) sink.answered(id, () => outcome)
  if (isRecord(sample['error'])) reading.warn(`${at}/error`, 'the run ended with an error')
  return { format: 'inspect', agent, steps: reading.takeSteps(steps.length, path) ? steps : [] }
}

/** The model that answered last in this sample. */
export function sampleModelOf({ messages, output }: Json): string | null {
  const answered = asList(messages).findLast((one) => typeof asRecord(one)['model'] === 'string')
  return asName(asRecord(answered ?? output)['model'])
}

/** The schemes of mentions, and where a sample keeps what they mention. `tc` is of the first logs. */
const SCHEMES = [
  { scheme: 'attachment://', keep: ['attachments'] },
  { scheme: 'tc://', keep: ['transcript', 'content'] },
] as const

/**
 * Mentions cost a few characters and stand for whole texts, so a small file could unfold to any size. A log of real work repeats
 * little of what it keeps.
 */
const MAX_UNFOLDED = 50_000_000

/**
 * Resolves a string that is a mention of an attachment to the text it stands for, under the pointer of that. Once only: what an
 * attachment says is text, so mentions cannot go in a circle. One that leads nowhere stays as it stands, with a warning.
 */
function attachmentsOf(reading: Reading, sample: Json, at: string): Resolve {
  let unfolded = 0
  return (text, path, isPicture = false) => {
    const known = SCHEMES.find(({ scheme }) => text.startsWith(scheme))
    if (known === undefined) return { text, path }
    const name = text.slice(known.scheme.length)
    const held = keptIn(sample, known.keep, name)
    if (held === null) {
      // A text that goes on behind the name is words about an attachment.
      if (isName(name)) reading.warn(path, 'mentions an attachment that this sample does not hold; shown as it stands')
      return { text, path }
    }
    if (!isPicture) unfolded += held.length
    if (unfolded > MAX_UNFOLDED) {
      reading.error(path, `attachments unfold to more than the ${MAX_UNFOLDED} characters that are accepted`)
      return { text: '', path }
    }
    return { text: held, path: pointer(`${at}/${known.keep.join('/')}`, name) }
  }
}

const isName = (name: string): boolean => name.length <= 64 && !name.includes(' ') && !name.includes('\n')

function keptIn(sample: Json, keep: readonly string[], name: string): string | null {
  let value: unknown = sample
  for (const key of [...keep, name]) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return null
    value = value[key]
  }
  return typeof value === 'string' ? value : null
}

/**
 * The events of a sample say once more, in more detail, what its messages say; scores, state, logs and spans the model never saw,
 * so none of them is read. But tools that ran outside of the messages (agents inside of tools, a conversation that was cut to fit)
 * must not go unsaid.
 */
function warnAboutHiddenCalls(reading: Reading, sample: Json, at: string, messages: readonly unknown[]): void {
  const known = callIds(messages)
  let hidden = 0
  const names = new Set<string>()
  for (const { event, id, function: name } of eventsOf(sample)) {
    if (event !== 'tool' || (typeof id === 'string' && known.has(id))) continue
    hidden++
    if (names.size < 5 && typeof name === 'string') names.add(JSON.stringify(cutName(name)))
  }
  if (hidden === 0) return
  const told = `${hidden} tool calls that are not in the messages are not shown: ${[...names].join(', ')}`
  reading.addUnread({ records: hidden, actions: hidden })
  reading.warn(eventsPath(sample, at), told)
}

const isNested = ({ transcript }: Json): boolean => isRecord(transcript) && Array.isArray(transcript['events'])

/** Where a sample keeps its events; older logs have a transcript around them. */
const eventsPath = (sample: Json, at: string): string => `${at}${isNested(sample) ? '/transcript' : ''}/events`

/** All events of a sample, those inside of others too. */
function eventsOf(sample: Json): Generator<Json> {
  const { transcript } = sample
  return eventsUnder(isNested(sample) && isRecord(transcript) ? transcript['events'] : sample['events'])
}

/** The events and those inside of them: older logs put what a tool or a subtask did under its event. */
function* eventsUnder(events: unknown): Generator<Json> {
  const open: unknown[] = [events]
  while (open.length > 0) {
    const list = open.pop()
    for (const event of Array.isArray(list) ? list : []) {
      if (!isRecord(event)) continue
      yield event
      if (Array.isArray(event['events'])) open.push(event['events'])
    }
  }
}

function callIds(messages: readonly unknown[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const message of messages) {
    if (!isRecord(message)) continue
    if (typeof message['tool_call_id'] === 'string') ids.add(message['tool_call_id'])
    for (const call of asList(message['tool_calls']))
      if (isRecord(call) && typeof call['id'] === 'string') ids.add(call['id'])
  }
  return ids
}

/** What Inspect's approvers did to calls that the messages do not tell: UKGovernmentBEIS/inspect_ai, src/inspect_ai/event/_approval.py. */
const DECISIONS: Readonly<Record<string, ActOutcome>> = { reject: 'rejected', terminate: 'rejected' }

/**
 * The calls that an approver turned down, by id. A call that was `modified` ran with other arguments than the messages have: that is
 * warned about.
 */
export function turnedDown(reading: Reading, sample: Json, at: string): ReadonlyMap<string, ActOutcome> {
  const outcomes = new Map<string, ActOutcome>()
  for (const { event, decision, call } of eventsOf(sample)) {
    const id = isRecord(call) ? call['id'] : null
    if (event !== 'approval' || typeof decision !== 'string' || typeof id !== 'string') continue
    if (Object.hasOwn(DECISIONS, decision)) outcomes.set(id, DECISIONS[decision] ?? 'unknown')
    if (decision === 'modify')
      reading.warnOnce(
        eventsPath(sample, at),
        'an approver changed tool calls: what was carried out is not what the messages say',
      )
  }
  return outcomes
}
