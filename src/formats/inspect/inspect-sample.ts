import { textsIn } from '../common/content.ts'
import { idText, isRecord, type Json } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'
import type { FileRun, OpenedDocument, RunAbout } from '../format.ts'
import { isLog, isSample, keptIn, sampleModelOf } from './inspect.ts'

/** Numbers for the values of Inspect's own scorers (`value_to_float`): correct, incorrect, partial, no answer. */
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
  const spec = isRecord(header?.['eval']) ? header['eval'] : {}
  const model = asText(spec['model']) ?? sampleModelOf(sample)
  const task = [asText(spec['task']), id].filter((part) => part !== null).join('/')
  const instruction = instructionOf(sample)
  const scores = scoresOf(sample)
  const limit = isRecord(sample['limit']) ? asText(sample['limit']['type']) : null
  const end = limit === null ? (isRecord(sample['error']) ? 'error' : null) : `${limit}_limit`
  return {
    ...(task === '' ? {} : { task }),
    ...(model === null ? {} : { model }),
    ...(end === null ? {} : { ended_by: end }),
    // Epochs count from 1; run indexes count from 0.
    ...(run === null ? {} : { run_index: Math.max(0, run - 1) }),
    ...(instruction === null ? {} : { instruction }),
    ...(Object.keys(scores).length === 0 ? {} : { scores }),
    origin: originOf(spec, sample),
  }
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
  for (const text of contents.flatMap((content) =>
    typeof content === 'string' ? [content] : textsIn(asList(content).filter(isText)),
  )) {
    const own = resolved(sample, text)
    length += own.length
    // References to an attachment are short; the joined texts they stand for are not.
    if (typeof input !== 'string' && length > MAX_INSTRUCTION) return null
    texts.push(own)
  }
  return asText(texts.join('\n\n'))
}

const isText = (block: unknown): boolean => asRecord(block)['type'] === 'text'

function resolved(sample: Json, text: string): string {
  const name = text.startsWith('attachment://') ? text.slice('attachment://'.length) : null
  return (name === null ? null : keptIn(sample, ['attachments'], name)) ?? text
}

/** Collects the scores that are numbers, or values that Inspect counts as numbers; a score with several values gives `score.part` each. */
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
  // Not assigned one by one: a score may be named __proto__.
  return Object.fromEntries(numbers)
}

/** Splits a JSON log of Inspect into one document per sample and epoch. The reader reports an invalid sample, which stays unchanged. */
export function splitInspectLog(root: Json): readonly FileRun[] | null {
  if (isSample(root)) return [{ ...openInspectSample(null, root), name: '' }]
  const { samples, ...header } = root
  if (!isLog(root) || !Array.isArray(samples) || samples.length === 0) return null
  return samples.map((sample: unknown, index) => {
    if (isRecord(sample)) return openInspectSample(header, sample)
    return { name: `sample_${index + 1}`, document: { eval: root['eval'], samples: [sample] } }
  })
}
