import { idText, isRecord, type Json } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import type { FoundRun, OpenedDocument, RunAbout } from '../format.ts'
import { isLog, isSample, sampleModelOf } from './inspect.ts'

/** What Inspect's own scorers mean by their letters (`value_to_float`): correct, incorrect, partial, no answer. */
const LETTERS: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ['C', 1],
  ['I', 0],
  ['P', 0.5],
  ['N', 0],
  [true, 1],
  [false, 0],
])

const MAX_INSTRUCTION = 1_000_000

/**
 * One sample of a log (`samples/<id>_epoch_<n>.json` of an `.eval` file, or a member of `samples` of a JSON log) as a document.
 * The document is the sample itself, so that both ways give one trajectory. `header` is `header.json`, or the log without its
 * samples, or null where the file has none (a run that is still going on); then the sample itself says what it can.
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

/** A sample is a task of its own: the runs of one task are the epochs of one sample. */
function aboutOf(header: Json | null, sample: Json, id: string | null, run: number | null): RunAbout {
  const spec = isRecord(header?.['eval']) ? header['eval'] : {}
  const model = asText(spec['model']) ?? sampleModelOf(sample)
  const task = [asText(spec['task']), id].filter((part) => part !== null).join('/')
  const instruction = instructionOf(sample)
  const scores = scoresOf(sample)
  return {
    ...(task === '' ? {} : { task }),
    ...(model === null ? {} : { model }),
    // Epochs count from 1, runs everywhere else from 0.
    ...(run === null ? {} : { run_index: Math.max(0, run - 1) }),
    ...(instruction === null ? {} : { instruction }),
    ...(Object.keys(scores).length === 0 ? {} : { scores }),
    origin: originOf(spec, sample),
  }
}

/** Longer texts have no place in metadata, and half of an id would be that of another sample. */
const MAX_ID = 2000

/** Log, sample and epoch, by which Inspect finds the sample again (`precomputed_scores`). An id that JSON cannot hold exactly is none. */
function originOf(spec: Json, { id, epoch }: Json): Record<string, string | number> {
  const sample = typeof id === 'string' ? id : Number.isSafeInteger(id) ? String(id) : ''
  // Older logs have no id of their own, and one run has a log a task.
  const older = [asText(spec['run_id']), asText(spec['task_id'])].filter((part) => part !== null).join('/')
  const log = asText(spec['eval_id']) ?? asText(older)
  return {
    ...(log !== null && log.length <= MAX_ID && { inspect_eval_id: log }),
    ...(sample !== '' && sample.length <= MAX_ID && { inspect_sample_id: sample }),
    ...(Number.isSafeInteger(epoch) && { inspect_epoch: epoch as number }),
  }
}

/** The input: a text, or the messages that the run began with, of which a user's are what was asked. */
function instructionOf(sample: Json): string | null {
  const { input } = sample
  if (typeof input === 'string') return asText(resolved(sample, input))
  if (!Array.isArray(input)) return null
  const asked = input.filter((message) => isRecord(message) && message['role'] === 'user')
  const texts: string[] = []
  let length = 0
  for (const text of asked.flatMap((message) => textsOf(sample, message))) {
    length += text.length
    // Mentions of one attachment cost nothing; what they unfold to, joined, would.
    if (length > MAX_INSTRUCTION) return null
    texts.push(text)
  }
  return asText(texts.join('\n\n'))
}

function textsOf(sample: Json, message: Json): string[] {
  const { content } = message
  if (typeof content === 'string') return [resolved(sample, content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((block) =>
    isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string'
      ? [resolved(sample, block['text'])]
      : [],
  )
}

function resolved({ attachments }: Json, text: string): string {
  const name = text.startsWith('attachment://') ? text.slice('attachment://'.length) : null
  if (name === null || !isRecord(attachments) || !Object.hasOwn(attachments, name)) return text
  const held = attachments[name]
  return typeof held === 'string' ? held : text
}

/** Scores that are numbers, or letters or truth values that Inspect counts as numbers; those of a score with many are `score.part`. */
function scoresOf(sample: Json): Record<string, number> {
  const { scores } = sample
  const numbers: [string, number][] = []
  const take = (name: string, value: unknown): void => {
    const number = typeof value === 'number' ? value : LETTERS.get(value)
    if (number !== undefined && Number.isFinite(number)) numbers.push([name, number])
  }
  for (const [name, score] of isRecord(scores) ? Object.entries(scores) : []) {
    const value = isRecord(score) ? score['value'] : score
    if (isRecord(value)) for (const [part, inner] of Object.entries(value)) take(`${name}.${part}`, inner)
    else take(name, value)
  }
  // Not assigned one by one: a score may be called __proto__.
  return Object.fromEntries(numbers)
}

/** A JSON log of Inspect: one document a sample and epoch. A sample that is none stays as it is, for the reader to complain about. */
export function splitInspectLog(root: Json): readonly FoundRun[] | null {
  if (isSample(root)) return [{ ...openInspectSample(null, root), name: '' }]
  const { samples, ...header } = root
  if (!isLog(root) || !Array.isArray(samples) || samples.length === 0) return null
  return samples.map((sample: unknown, index) => {
    if (isRecord(sample)) return openInspectSample(header, sample)
    return { name: `sample_${index + 1}`, document: { eval: root['eval'], samples: [sample] } }
  })
}
