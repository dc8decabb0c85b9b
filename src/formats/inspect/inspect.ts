import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { textsIn } from '../common/content.ts'
import { cutName, idText, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText, type Resolve } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type OpenedDocument, type ReadDocument } from '../format.ts'
import { readTurns } from '../openai-chat/chat-steps.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'
import { Located } from '../traces/located.ts'

/** The format of one sample of an Inspect log (`samples/` of an `.eval` file, or `samples` of a JSON log), or of a whole log with one sample. */
export const INSPECT: Format = {
  name: 'inspect',
  split: splitInspectLog,
  recognizes: (document) => isSample(document) || isLog(document),
  read(reading, document) {
    const root = new Located(document, '')
    if (isSample(document)) return readSample(reading, root)
    const samples = root.member('samples').items()
    const [only] = samples
    if (samples.length === 1 && isRecord(only?.value)) return readSample(reading, only)
    if (samples.length <= 1) reading.refuse('/samples', 'holds no sample')
    return { format: 'inspect', agent: { name: null, model: null }, steps: [] }
  },
}

const isSample = ({ id, epoch, input, messages }: Json): boolean =>
  (typeof id === 'string' || typeof id === 'number') &&
  typeof epoch === 'number' &&
  (typeof input === 'string' || Array.isArray(input)) &&
  Array.isArray(messages)

const isLog = ({ eval: spec, samples }: Json): boolean =>
  isRecord(spec) && Array.isArray(samples) && ('task' in spec || 'model' in spec)

function readSample(reading: Reading, sample: Located): ReadDocument {
  const agent = { name: null, model: sampleModelOf(sample.record) }
  const messages = sample.member('messages')
  if (!Array.isArray(messages.value)) reading.odd(messages.path, 'an array', messages.value)
  const sink = new ChatSink(reading, 'inspect', true)
  sink.locate = attachmentsOf(reading, sample)
  readTurns(sink, messages.items())
  warnAboutHiddenCalls(reading, sample)
  for (const [id, outcome] of turnedDown(reading, sample)) sink.answered(id, () => outcome)
  const error = sample.member('error')
  if (isRecord(error.value)) reading.warn(error.path, 'the run ended with an error')
  return { format: 'inspect', agent, steps: sink.finish(messages.path) }
}

function sampleModelOf({ messages, output }: Json): string | null {
  const answered = asList(messages).findLast((message) => typeof asRecord(message)['model'] === 'string')
  return asName(asRecord(answered ?? output)['model'])
}

/** Schemes of references, and the member of a sample that holds their texts. Only the first logs use `tc`. */
const SCHEMES = [
  ['attachment://', ['attachments']],
  ['tc://', ['transcript', 'content']],
] as const

/** Bounds the characters of all resolved references: a reference is short and its text long, so a small file could unfold to any size. */
const MAX_UNFOLDED = 50_000_000

/** Returns the name in a reference, and the value that a sample keeps under it; null for a text that is no reference. */
function keptIn(sample: Located, text: string): { readonly name: string; readonly kept: Located } | null {
  const [scheme, members] = SCHEMES.find(([start]) => text.startsWith(start)) ?? []
  if (scheme === undefined) return null
  const name = text.slice(scheme.length)
  return { name, kept: [...members, name].reduce((holder, member) => holder.member(member), sample) }
}

/** Returns a function that resolves a reference to an attachment, once: the text is not resolved again, so references cannot loop. */
function attachmentsOf(reading: Reading, sample: Located): Resolve {
  let unfolded = 0
  return (text, path, isPicture = false) => {
    const reference = keptIn(sample, text)
    if (reference === null) return { text, path }
    const { name, kept } = reference
    if (typeof kept.value !== 'string') {
      // A longer text behind the scheme only talks about an attachment.
      if (name.length <= 64 && !/[ \n]/u.test(name))
        reading.warn(path, 'mentions an attachment that this sample does not hold; shown as it stands')
      return { text, path }
    }
    if (!isPicture) unfolded += kept.value.length
    if (unfolded <= MAX_UNFOLDED) return { text: kept.value, path: kept.path }
    reading.refuse(path, `attachments unfold to more than the ${MAX_UNFOLDED} characters that are accepted`)
    return { text: '', path }
  }
}

function eventsIn(sample: Located): Located {
  const nested = sample.member('transcript').member('events')
  return Array.isArray(nested.value) ? nested : sample.member('events')
}

/** Yields all events; older logs nest the events of a tool or subtask below its event. */
function* eventsOf(sample: Located): Generator<Json> {
  const open = [eventsIn(sample).value]
  while (open.length > 0)
    for (const event of asList(open.pop()).filter(isRecord)) {
      yield event
      if (Array.isArray(event['events'])) open.push(event['events'])
    }
}

/** Warns of calls that only the events hold. Other events repeat the messages, or the model never saw them. */
function warnAboutHiddenCalls(reading: Reading, sample: Located): void {
  const messages = sample.member('messages').items()
  const shown = new Set(
    messages.flatMap(({ record }) => [record['tool_call_id'], ...callsIn(record).map(({ id }) => id)]),
  )
  const names = new Map<unknown, unknown>()
  for (const event of eventsOf(sample)) {
    const { event: kind, output } = event
    if (kind === 'compaction') reading.isCompacted = true
    const choices = kind === 'model' ? asList(asRecord(output)['choices']) : []
    const asked = choices.flatMap((choice) => callsIn(asRecord(asRecord(choice)['message'])))
    for (const { id, function: name } of kind === 'tool' ? [event] : asked)
      if (typeof id !== 'string' || !shown.has(id)) names.set(id ?? {}, name)
  }
  const hidden = names.size
  if (hidden === 0) return
  const told = [...new Set(names.values())].filter((name) => typeof name === 'string').slice(0, 5)
  const list = told.map((name) => JSON.stringify(cutName(name))).join(', ')
  reading.addUnread({ records: hidden, actions: hidden })
  reading.warn(eventsIn(sample).path, `${hidden} tool calls that are not in the messages are not shown: ${list}`)
}

const callsIn = (message: Json): readonly Json[] => asList(message['tool_calls']).map(asRecord)

/** Returns the calls that an approver rejected, by id, and warns of changed calls (inspect_ai, event/_approval.py). */
export function turnedDown(reading: Reading, sample: Located): ReadonlyMap<string, ActOutcome> {
  const outcomes = new Map<string, ActOutcome>()
  for (const { event, decision, call } of eventsOf(sample)) {
    const { id } = asRecord(call)
    if (event !== 'approval' || typeof id !== 'string') continue
    if (decision === 'reject' || decision === 'terminate') outcomes.set(id, 'rejected')
    const warning = 'an approver changed tool calls: what was carried out is not what the messages say'
    if (decision === 'modify') reading.warnOnce(eventsIn(sample).path, warning)
  }
  return outcomes
}

/** Numbers for the values of Inspect's own scorers (`value_to_float`): correct, incorrect, partial, no answer. */
const VALUES: Readonly<Record<string, number>> = { C: 1, I: 0, P: 0.5, N: 0 }

const MAX_INSTRUCTION = 1_000_000

/**
 * Opens one sample of a log as a document, which is the sample itself, so that an `.eval` file and a JSON log give the same trajectory. `header`:
 * `header.json`, the log without its samples, or null for an unfinished run: the sample's own members then fill the facts.
 *
 * @example
 * openInspectSample({ eval: { task: 'ctf', model: 'openai/gpt-4o' } }, { id: 15, epoch: 1, input: 'Find the flag', messages: […] })
 * // → { name: '15_epoch_1', document: sample, about: { task: 'ctf/15', model: 'openai/gpt-4o', run_index: 0, … } }
 */
export function openInspectSample(header: Json | null, sample: Json): OpenedDocument {
  const id = idText(sample['id'])
  const { epoch } = sample
  const run = typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : null
  const name = [id, run === null ? null : `epoch_${run}`].filter((part) => part !== null).join('_')
  const spec = asRecord(header?.['eval'])
  const model = asText(spec['model']) ?? sampleModelOf(sample)
  // Each sample is a task; the epochs of a sample are the runs of that task.
  const task = [asText(spec['task']), id].filter((part) => part !== null).join('/')
  const instruction = instructionOf(sample)
  const limit = asText(asRecord(sample['limit'])['type'])
  const ended_by = limit === null ? (isRecord(sample['error']) ? 'error' : null) : `${limit}_limit`
  // Epochs count from 1; run indexes count from 0.
  const run_index = run === null ? null : Math.max(0, run - 1)
  const scores = scoresOf(sample)
  const facts = factsOf({ task, model, ended_by, run_index, instruction, scores })
  return { name, document: { ...sample }, about: { ...facts, origin: originOf(spec, sample) }, warnings: [] }
}

/** Bounds an id in metadata: a cut id would name another sample. */
const MAX_ID = 2000

/** Returns log, sample and epoch, by which Inspect finds the sample (`precomputed_scores`), without an id that JSON cannot hold exactly. */
function originOf(spec: Json, { id, epoch }: Json): Record<string, string | number> {
  const sample = typeof id === 'string' ? id : Number.isSafeInteger(id) ? String(id) : ''
  // Older logs have no id of their own, and one run has a log per task.
  const older = [asText(spec['run_id']), asText(spec['task_id'])].filter((part) => part !== null).join('/')
  const log = asText(spec['eval_id']) ?? asText(older)
  return {
    ...(log !== null && log.length <= MAX_ID && { inspect_eval_id: log }),
    ...(sample !== '' && sample.length <= MAX_ID && { inspect_sample_id: sample }),
    ...(Number.isSafeInteger(epoch) && { inspect_epoch: epoch as number }),
  }
}

/** Returns the instruction from the sample's input: a text, or the user's messages among those that the run began with. */
function instructionOf(sample: Json): string | null {
  const { input } = sample
  const asked = typeof input === 'string' ? [{ role: 'user', content: input }] : asList(input).map(asRecord)
  const isText = (block: unknown): boolean => asRecord(block)['type'] === 'text'
  const texts = asked.flatMap(({ role, content }) =>
    role === 'user' ? textsIn(Array.isArray(content) ? content.filter(isText) : content) : [],
  )
  let length = 0
  const resolved: string[] = []
  for (const text of texts) {
    const kept = keptIn(new Located(sample, ''), text)?.kept.value
    const own = typeof kept === 'string' ? kept : text
    length += own.length
    // References to an attachment are short; the joined texts they stand for are not.
    if (typeof input !== 'string' && length > MAX_INSTRUCTION) return null
    resolved.push(own)
  }
  return asText(resolved.join('\n\n'))
}

function scoresOf(sample: Json): Record<string, number> {
  const { scores } = sample
  const numbers: [string, number][] = []
  const take = (name: string, value: unknown): void => {
    const letter = own(VALUES, value)
    const number = typeof value === 'number' || typeof value === 'boolean' ? Number(value) : letter
    if (number !== undefined && Number.isFinite(number)) numbers.push([name, number])
  }
  for (const [name, score] of isRecord(scores) ? Object.entries(scores) : []) {
    const value = isRecord(score) ? score['value'] : score
    if (isRecord(value)) for (const [part, inner] of Object.entries(value)) take(`${name}.${part}`, inner)
    else take(name, value)
  }
  // Not assigned one by one: a score may be named __proto__.
  return Object.fromEntries(numbers)
}

/** Splits a JSON log into one document per sample and epoch. The reader reports an invalid sample, which stays unchanged. */
function splitInspectLog(root: Json): readonly FileRun[] | null {
  if (isSample(root)) return [{ ...openInspectSample(null, root), name: '' }]
  const { samples, ...header } = root
  if (!isLog(root) || !Array.isArray(samples) || samples.length === 0) return null
  return samples.map((sample: unknown, index) => {
    if (isRecord(sample)) return openInspectSample(header, sample)
    return { name: `sample_${index + 1}`, document: { eval: root['eval'], samples: [sample] } }
  })
}
