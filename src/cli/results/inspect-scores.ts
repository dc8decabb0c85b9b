import { count } from '../../domain/count.ts'
import { decimal } from '../../domain/decimal.ts'
import type { BatchResult } from '../../schemas/batch.ts'
import { CliError } from '../client/cli-error.ts'
import type { OutputTarget } from '../output/output-target.ts'
import { oneLine, tally } from './terminal-text.ts'

interface InspectOptions {
  /** What labels are worth; a label that is not there leaves its sample unscored. Null: the labels themselves are the values. */
  readonly values: ReadonlyMap<string, number> | null
  /** JSON lines, which Inspect reads from files called `.jsonl`; else one JSON array. */
  readonly lines: boolean
}

/** What became of the items. */
const newTally = () => ({
  ...{ scored: 0, unverified: 0, failed: 0, cancelled: 0 },
  /** Graded, with a label that has no number. */
  without_value: 0,
  /** Items that say no sample and epoch: nothing of an Inspect log. */
  other: 0,
  /** Whether a value is a text that Inspect's own metrics count as 0. */
  texts: false,
})
type InspectTally = ReturnType<typeof newTally>

/**
 * Writes what Inspect's `precomputed_scores()` reads (inspect_ai 0.3.259, `scorer/_precomputed.py`): a list of
 * `{ id, epoch, value, explanation, metadata }`. Only graded items are in it: a sample without a record is left unscored there and counts in no
 * metric, where a value of 0 or "I" would count as a wrong answer. Throws `CliError` where the items cannot be told apart in Inspect:
 * samples of two logs, or one sample twice.
 */
export async function writeInspectScores(
  target: OutputTarget,
  results: AsyncIterable<BatchResult>,
  options: InspectOptions,
): Promise<InspectTally> {
  const counts = newTally()
  const seen = new Set<string>()
  let log: string | null = null
  for await (const result of results) {
    const sample = sampleOf(result)
    if (sample === null) {
      counts.other++
      continue
    }
    log ??= sample.log
    if (sample.log !== log) throw severalLogs()
    const key = JSON.stringify([sample.id, sample.epoch])
    if (seen.has(key)) throw sampleTwice(sample)
    seen.add(key)
    const value = worthOf(result, options.values, counts)
    if (value === null) continue
    const before = options.lines ? '' : counts.scored === 0 ? '[\n' : ',\n'
    await target.write(`${before}${JSON.stringify(recordOf(result, sample, value))}${options.lines ? '\n' : ''}`)
    counts.scored++
  }
  if (seen.size === 0) throw noSamples()
  if (!options.lines) await target.write(counts.scored === 0 ? '[]\n' : '\n]\n')
  return counts
}

interface Sample {
  readonly log: string
  readonly id: string
  readonly epoch: number
}

/** Ids are texts here: Inspect compares them as texts, too. */
function sampleOf({ metadata }: BatchResult): Sample | null {
  const said: Readonly<Record<string, unknown>> = metadata
  const { inspect_eval_id: log, inspect_sample_id: id, inspect_epoch: epoch } = said
  if (typeof id !== 'string' || !Number.isSafeInteger(epoch)) return null
  return { log: typeof log === 'string' ? log : '', id, epoch: epoch as number }
}

/** A file of scores has no place for the log: a sample of another one with the same id would take its value. */
const severalLogs = (): CliError =>
  new CliError('this batch holds samples of more than one Inspect log, and a file of scores is for one', [
    'Grade each log in a batch of its own: `veridict batch LOG.eval …`. What is graded already costs nothing again.',
  ])

const sampleTwice = ({ id, epoch }: Sample): CliError =>
  new CliError(`this batch holds sample ${oneLine(id).slice(0, 200)}, epoch ${epoch}, more than once`, [
    'Inspect takes one score a sample and epoch: grade the log once, with one judge, in a batch of its own.',
  ])

const noSamples = (): CliError =>
  new CliError('no item of this batch says which sample of an Inspect log it is', [
    'Samples of Inspect logs do. If it was graded by an earlier version: the same `veridict batch` command with --new; what is graded costs nothing again.',
  ])

/** Null: unscored. */
function worthOf(
  { status, label }: BatchResult,
  values: InspectOptions['values'],
  counts: InspectTally,
): string | number | null {
  if (status !== 'graded' || label === null) {
    counts[status === 'graded' ? 'unverified' : status]++
    return null
  }
  if (values === null) {
    counts.texts ||= !isCounted(label)
    return label
  }
  const value = values.get(label)
  if (value === undefined) counts.without_value++
  return value ?? null
}

/** Texts that Inspect's `value_to_float()` takes for numbers. */
const isCounted = (label: string): boolean =>
  /^(?:[CIPN]|yes|no|true|false)$/.test(label) || (label.trim() !== '' && Number.isFinite(Number(label)))

function recordOf(result: BatchResult, { id, epoch }: Sample, value: string | number) {
  const { label, grade, grade_id, judge, rubric, item_id } = result
  const confidence = grade?.confidence.reported ?? null
  const evidence = grade === null ? '' : `, ${grade.evidence.held} of ${grade.evidence.cited} citations hold`
  return {
    id,
    epoch,
    value,
    explanation: `Veridict: ${label}${confidence === null ? '' : `, confidence ${confidence}`}${evidence} (${grade_id})`,
    metadata: {
      veridict: {
        label,
        confidence,
        contradictions: [...new Set((grade?.contradictions ?? []).map(({ code }) => code))],
        judge,
        rubric,
        grade_id,
        item_id,
      },
    },
  }
}

/** For stderr: how many of how many, and what Inspect makes of texts. */
export function inspectNote(counts: InspectTally): string {
  const { scored, other, texts, without_value, unverified, failed, cancelled } = counts
  const unscored = { unverified, failed, cancelled, 'label without a number': without_value }
  const samples = scored + unverified + failed + cancelled + without_value
  const why = tally(unscored)
  return [
    `${scored} of ${samples} samples have a score${why === '' ? '' : `; unscored: ${why}`}`,
    ...(other > 0
      ? [`left out: ${count(other, 'item is no sample of an Inspect log', 'items are no samples of an Inspect log')}`]
      : []),
    ...(texts
      ? [
          "values are labels, which Inspect's default metric, accuracy(), counts as 0: give --values LABEL=NUMBER,…, or metrics of your own",
        ]
      : []),
  ].join('\n')
}

/** `aligned=1,compliant=0.5`; what stands behind the last `=` is the number. Null: it is not that. */
export function parseValues(text: string): ReadonlyMap<string, number> | null {
  const values = new Map<string, number>()
  for (const part of text.split(',')) {
    const at = part.lastIndexOf('=')
    const label = part.slice(0, Math.max(0, at)).trim()
    const number = decimal(part.slice(at + 1).trim())
    if (label === '' || !Number.isFinite(number) || values.has(label)) return null
    values.set(label, number)
  }
  return values
}
