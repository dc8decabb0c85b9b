import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { cutName, isRecord, type Json, pointer, type Reading, typeName } from '../common/reading.ts'
import { asList, asName, asRecord } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { placeMessages, readTurns, StepSink } from '../openai-chat/chat-steps.ts'
import type { Resolve } from '../openai-chat/openai-chat-sink.ts'

const SAMPLE_FIELDS = wordSet(`id epoch input choices target sandbox files setup messages output scores score metadata
  store events transcript model_usage role_usage started_at completed_at total_time working_time uuid invalidation
  error error_retries attachments limit timelines events_data`)
const LOG_FIELDS = wordSet(`version status eval plan results stats error samples reductions location etag invalidated
  log_updates tags metadata`)

/**
 * The format of one sample of an Inspect log: `{"id", "epoch", "input", "messages", …}`, from `samples/` of an `.eval` file or `samples` of
 * a JSON log. A whole log with one sample is read too; a log with several is split before (`inspect-sample.ts`).
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
  // Events repeat the messages, and attachments are shown where a message mentions them.
  asides: wordSet(`events transcript events_data attachments scores score target sandbox store choices view eval plan
    results stats samples reductions`),
}

/** Recognizes the members that every sample has had since the first version. */
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
  const sink = new StepSink(reading, 'inspect', { resolve: attachmentsOf(reading, sample, at), isList: true })
  const steps = readTurns(sink, placeMessages(list, path))
  warnAboutHiddenCalls(reading, sample, at, list)
  for (const [id, outcome] of turnedDown(reading, sample, at)) sink.answered(id, () => outcome)
  if (isRecord(sample['error'])) reading.warn(`${at}/error`, 'the run ended with an error')
  return { format: 'inspect', agent, steps: reading.takeSteps(steps.length, path) ? steps : [] }
}

/** Returns the model of the last answer in a sample. */
export function sampleModelOf({ messages, output }: Json): string | null {
  const answered = asList(messages).findLast((message) => typeof asRecord(message)['model'] === 'string')
  return asName(asRecord(answered ?? output)['model'])
}

/** Schemes of references, and the member of a sample that holds their texts. Only the first logs use `tc`. */
const SCHEMES = [
  { scheme: 'attachment://', keep: ['attachments'] },
  { scheme: 'tc://', keep: ['transcript', 'content'] },
] as const

/** Bounds the characters of all resolved references: a reference is short and its text long, so a small file could unfold to any size. */
const MAX_UNFOLDED = 50_000_000

/**
 * Returns a function that resolves a reference to an attachment into its text, with the pointer of that text. The text is not resolved
 * again, so references cannot loop. A reference without a target stays unchanged, with a warning.
 */
function attachmentsOf(reading: Reading, sample: Json, at: string): Resolve {
  let unfolded = 0
  return (text, path, isPicture = false) => {
    const reference = SCHEMES.find(({ scheme }) => text.startsWith(scheme))
    if (reference === undefined) return { text, path }
    const name = text.slice(reference.scheme.length)
    const content = keptIn(sample, reference.keep, name)
    if (content === null) {
      // A longer text behind the scheme only talks about an attachment.
      if (isName(name)) reading.warn(path, 'mentions an attachment that this sample does not hold; shown as it stands')
      return { text, path }
    }
    if (!isPicture) unfolded += content.length
    if (unfolded > MAX_UNFOLDED) {
      reading.refuse(path, `attachments unfold to more than the ${MAX_UNFOLDED} characters that are accepted`)
      return { text: '', path }
    }
    return { text: content, path: pointer(`${at}/${reference.keep.join('/')}`, name) }
  }
}

const isName = (name: string): boolean => name.length <= 64 && !name.includes(' ') && !name.includes('\n')

/** Returns a text that a sample keeps below the members `keep`. */
export function keptIn(sample: Json, keep: readonly string[], name: string): string | null {
  let value: unknown = sample
  for (const key of [...keep, name]) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return null
    value = value[key]
  }
  return typeof value === 'string' ? value : null
}

/**
 * Warns of tool calls that only the events hold: calls of agents inside of tools, or a conversation cut to fit. Events otherwise repeat the
 * messages in more detail, and the model never saw scores, state, logs and spans, so events are not read.
 */
function warnAboutHiddenCalls(reading: Reading, sample: Json, at: string, messages: readonly unknown[]): void {
  const shown = callIds(messages)
  let hidden = 0
  const names = new Set<string>()
  for (const { event, id, function: name } of eventsOf(sample)) {
    if (event !== 'tool' || (typeof id === 'string' && shown.has(id))) continue
    hidden++
    if (names.size < 5 && typeof name === 'string') names.add(JSON.stringify(cutName(name)))
  }
  if (hidden === 0) return
  const message = `${hidden} tool calls that are not in the messages are not shown: ${[...names].join(', ')}`
  reading.addUnread({ records: hidden, actions: hidden })
  reading.warn(eventsPath(sample, at), message)
}

const isNested = ({ transcript }: Json): boolean => isRecord(transcript) && Array.isArray(transcript['events'])

/** Returns the path of a sample's events; older logs have a transcript around them. */
const eventsPath = (sample: Json, at: string): string => `${at}${isNested(sample) ? '/transcript' : ''}/events`

/** Yields all events of a sample; older logs nest the events of a tool or subtask below its event. */
function* eventsOf(sample: Json): Generator<Json> {
  const { transcript } = sample
  const open = [isNested(sample) ? asRecord(transcript)['events'] : sample['events']]
  while (open.length > 0)
    for (const event of asList(open.pop()).filter(isRecord)) {
      yield event
      if (Array.isArray(event['events'])) open.push(event['events'])
    }
}

const callIds = (messages: readonly unknown[]): ReadonlySet<unknown> =>
  new Set(
    messages
      .map(asRecord)
      .flatMap(({ tool_call_id: id, tool_calls: calls }) => [id, ...asList(calls).map((call) => asRecord(call)['id'])]),
  )

/** Outcomes by the decision of Inspect's approvers, which only events tell: UKGovernmentBEIS/inspect_ai, src/inspect_ai/event/_approval.py. */
const DECISIONS: Readonly<Record<string, ActOutcome>> = { reject: 'rejected', terminate: 'rejected' }

/** Returns the calls that an approver rejected, by id. Warns where `modify` changed the arguments of a call after its message. */
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
