import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { textsIn } from '../common/content.ts'
import { cutName, idText, isRecord, type Json, pointer, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText, type Resolve } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type OpenedDocument, type ReadDocument, type RunAbout } from '../format.ts'
import { readTurns } from '../openai-chat/chat-steps.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'
import { Located } from '../traces/located.ts'

/**
 * The format of one sample of an Inspect log: `{"id", "epoch", "input", "messages", …}`, from `samples/` of an `.eval` file or `samples` of
 * a JSON log. A whole log with one sample is read too; `splitInspectLog` splits a log with several.
 */
export const INSPECT: Format = {
  name: 'inspect',
  split: splitInspectLog,
  recognizes: (document) => isSample(document) || isLog(document),
  read(reading, document) {
    if (isSample(document)) return readSample(reading, document, '')
    const samples = Array.isArray(document['samples']) ? document['samples'] : []
    const [only] = samples
    if (samples.length === 1 && isRecord(only)) return readSample(reading, only, pointer('/samples', 0))
    if (samples.length <= 1) reading.refuse('/samples', 'holds no sample')
    return { format: 'inspect', agent: { name: null, model: null }, steps: [] }
  },
}

/** Recognizes the members that every sample has had since the first version. */
const isSample = ({ id, epoch, input, messages }: Json): boolean =>
  (typeof id === 'string' || typeof id === 'number') &&
  typeof epoch === 'number' &&
  (typeof input === 'string' || Array.isArray(input)) &&
  Array.isArray(messages)

const isLog = ({ eval: spec, samples }: Json): boolean =>
  isRecord(spec) && Array.isArray(samples) && ('task' in spec || 'model' in spec)

function readSample(reading: Reading, sample: Json, at: string): ReadDocument {
  const agent = { name: null, model: sampleModelOf(sample) }
  const { messages } = sample
  const path = `${at}/messages`
  if (!Array.isArray(messages)) reading.odd(path, 'an array', messages)
  const list = asList(messages)
  const sink = new ChatSink(reading, 'inspect', { resolve: attachmentsOf(reading, sample, at), isList: true })
  readTurns(sink, new Located(list, path).items())
  warnAboutHiddenCalls(reading, sample, at, list)
  for (const [id, outcome] of turnedDown(reading, sample, at)) sink.answered(id, () => outcome)
  if (isRecord(sample['error'])) reading.warn(`${at}/error`, 'the run ended with an error')
  return { format: 'inspect', agent, steps: sink.finish(path) }
}

/** Returns the model of the last answer in a sample. */
function sampleModelOf({ messages, output }: Json): string | null {
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

/** Returns a function that resolves a reference to an attachment into its text and place; the text is not resolved again, so references cannot loop. */
function attachmentsOf(reading: Reading, sample: Json, at: string): Resolve {
  let unfolded = 0
  return (text, path, isPicture = false) => {
    const reference = SCHEMES.find(({ scheme }) => text.startsWith(scheme))
    if (reference === undefined) return { text, path }
    const name = text.slice(reference.scheme.length)
    const content = keptIn(sample, reference.keep, name)
    if (content === null) {
      // A longer text behind the scheme only talks about an attachment.
      if (name.length <= 64 && !/[ \n]/u.test(name))
        reading.warn(path, 'mentions an attachment that this sample does not hold; shown as it stands')
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

/** Returns a text that a sample keeps below the members `keep`. */
function keptIn(sample: Json, keep: readonly string[], name: string): string | null {
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
  const idsOf = ({ tool_call_id: id, tool_calls: calls }: Json) => [
    id,
    ...asList(calls).map((call) => asRecord(call)['id']),
  ]
  const shown = new Set(messages.map(asRecord).flatMap(idsOf))
  const names = new Map<unknown, unknown>()
  for (const event of eventsOf(sample)) {
    if (event['event'] === 'compaction') reading.isCompacted = true
    const choices = event['event'] === 'model' ? asList(asRecord(event['output'])['choices']) : []
    const asked = choices.flatMap((choice) => asList(asRecord(asRecord(choice)['message'])['tool_calls']))
    for (const { id, function: name } of [...(event['event'] === 'tool' ? [event] : []), ...asked.map(asRecord)])
      if (typeof id !== 'string' || !shown.has(id)) names.set(id ?? {}, name)
  }
  const hidden = names.size
  if (hidden === 0) return
  const told = [...new Set(names.values())].filter((name) => typeof name === 'string').slice(0, 5)
  const list = told.map((name) => JSON.stringify(cutName(name))).join(', ')
  const message = `${hidden} tool calls that are not in the messages are not shown: ${list}`
  reading.addUnread({ records: hidden, actions: hidden })
  reading.warn(eventsPath(sample, at), message)
}

const isNested = ({ transcript }: Json): boolean => Array.isArray(asRecord(transcript)['events'])

/** Returns the path of a sample's events; older logs have a transcript around them. */
const eventsPath = (sample: Json, at: string): string => `${at}${isNested(sample) ? '/transcript' : ''}/events`

/** Yields all events of a sample; older logs nest the events of a tool or subtask below its event. */
function* eventsOf(sample: Json): Generator<Json> {
  const open = [isNested(sample) ? asRecord(sample['transcript'])['events'] : sample['events']]
  while (open.length > 0)
    for (const event of asList(open.pop()).filter(isRecord)) {
      yield event
      if (Array.isArray(event['events'])) open.push(event['events'])
    }
}

/** Outcomes by the decision of Inspect's approvers, which only events tell: UKGovernmentBEIS/inspect_ai, src/inspect_ai/event/_approval.py. */
const DECISIONS: Readonly<Record<string, ActOutcome>> = { reject: 'rejected', terminate: 'rejected' }

/** Returns the calls that an approver rejected, by id. Warns where `modify` changed the arguments of a call after its message. */
export function turnedDown(reading: Reading, sample: Json, at: string): ReadonlyMap<string, ActOutcome> {
  const outcomes = new Map<string, ActOutcome>()
  for (const { event, decision, call } of eventsOf(sample)) {
    const id = isRecord(call) ? call['id'] : null
    if (event !== 'approval' || typeof decision !== 'string' || typeof id !== 'string') continue
    if (Object.hasOwn(DECISIONS, decision)) outcomes.set(id, DECISIONS[decision] ?? 'unknown')
    const warning = 'an approver changed tool calls: what was carried out is not what the messages say'
    if (decision === 'modify') reading.warnOnce(eventsPath(sample, at), warning)
  }
  return outcomes
}

/** Numbers for the values of Inspect's own scorers (`value_to_float`): correct, incorrect, partial, no answer. */
const VALUES: Readonly<Record<string, number>> = { C: 1, I: 0, P: 0.5, N: 0 }

const MAX_INSTRUCTION = 1_000_000

/**
 * Opens one sample of a log as a document: `samples/<id>_epoch_<n>.json` of an `.eval` file, or a member of `samples` of a JSON log. The
 * document is the sample itself, so that both files give the same trajectory. `header` is `header.json`, the log without its samples, or
 * null where the file has no header (an unfinished run): the sample's own members then fill the facts.
 *
 * @example
 * openInspectSample({ eval: { task: 'ctf', model: 'openai/gpt-4o' } }, { id: 15, epoch: 1, input: 'Find the flag', messages: […] })
 * // → { name: '15_epoch_1', document: sample, about: { task: 'ctf/15', model: 'openai/gpt-4o', run_index: 0, … } }
 */
export function openInspectSample(header: Json | null, sample: Json): OpenedDocument {
  const { id, epoch } = sample
  const own = idText(id)
  const run = typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : null
  const name = [own, run === null ? null : `epoch_${run}`].filter((part) => part !== null).join('_')
  return { name, document: { ...sample }, about: aboutOf(header, sample, own, run), warnings: [] }
}

/** Collects the facts of a run. Each sample is a task; the epochs of a sample are the runs of that task. */
function aboutOf(header: Json | null, sample: Json, id: string | null, run: number | null): RunAbout {
  const spec = asRecord(header?.['eval'])
  const model = asText(spec['model']) ?? sampleModelOf(sample)
  const task = [asText(spec['task']), id].filter((part) => part !== null).join('/')
  const instruction = instructionOf(sample)
  const limit = asText(asRecord(sample['limit'])['type'])
  const ended_by = limit === null ? (isRecord(sample['error']) ? 'error' : null) : `${limit}_limit`
  // Epochs count from 1; run indexes count from 0.
  const run_index = run === null ? null : Math.max(0, run - 1)
  const scores = scoresOf(sample)
  return { ...factsOf({ task, model, ended_by, run_index, instruction, scores }), origin: originOf(spec, sample) }
}

/** Bounds an id: a longer text has no place in metadata, and a cut id would name another sample. */
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
  const asked = asList(input).filter((message) => asRecord(message)['role'] === 'user')
  const contents = typeof input === 'string' ? [input] : asked.map((message) => asRecord(message)['content'])
  const texts: string[] = []
  let length = 0
  const isText = (block: unknown): boolean => asRecord(block)['type'] === 'text'
  const textsOf = (content: unknown) => textsIn(Array.isArray(content) ? content.filter(isText) : content)
  for (const text of contents.flatMap(textsOf)) {
    const own = resolved(sample, text)
    length += own.length
    // References to an attachment are short; the joined texts they stand for are not.
    if (typeof input !== 'string' && length > MAX_INSTRUCTION) return null
    texts.push(own)
  }
  return asText(texts.join('\n\n'))
}

function resolved(sample: Json, text: string): string {
  const [{ scheme, keep }] = SCHEMES
  return (text.startsWith(scheme) ? keptIn(sample, keep, text.slice(scheme.length)) : null) ?? text
}

/** Collects the scores that are numbers, or values that Inspect counts as numbers; a score with several values gives `score.part` each. */
function scoresOf(sample: Json): Record<string, number> {
  const { scores } = sample
  const numbers: [string, number][] = []
  const take = (name: string, value: unknown): void => {
    const letter = typeof value === 'string' ? own(VALUES, value) : undefined
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

/** Splits a JSON log of Inspect into one document per sample and epoch. The reader reports an invalid sample, which stays unchanged. */
function splitInspectLog(root: Json): readonly FileRun[] | null {
  if (isSample(root)) return [{ ...openInspectSample(null, root), name: '' }]
  const { samples, ...header } = root
  if (!isLog(root) || !Array.isArray(samples) || samples.length === 0) return null
  return samples.map((sample: unknown, index) => {
    if (isRecord(sample)) return openInspectSample(header, sample)
    return { name: `sample_${index + 1}`, document: { eval: root['eval'], samples: [sample] } }
  })
}
