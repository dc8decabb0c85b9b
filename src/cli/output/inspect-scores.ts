import { InvalidArgumentError } from 'commander'
import { count, decimal } from '../../domain/words.ts'
import type { BatchResult } from '../../schemas/batch.ts'
import { CliError } from '../errors.ts'
import type { OutputTarget } from './output-target.ts'
import { oneLine, present, tally } from './text.ts'

export type LabelValues = ReadonlyMap<string, number>

/**
 * Items by their result. `without_value`: graded, with a label without a number; `other`: without sample and epoch, from no Inspect log;
 * `unread`: with unread records; `texts`: Inspect's own metrics count a value as 0, because it is a text.
 */
const NO_ITEMS = {
  ...{ scored: 0, unverified: 0, failed: 0, cancelled: 0 },
  ...{ without_value: 0, other: 0, unread: 0, texts: false },
}
type InspectTally = typeof NO_ITEMS

/**
 * Writes the input of Inspect's `precomputed_scores()` (inspect_ai 0.3.259, `scorer/_precomputed.py`): a list of `{ id, epoch, value,
 * explanation, metadata }`. The list holds graded items alone: Inspect leaves a sample without a record unscored and out of every metric,
 * and would count a value of 0 or "I" as a wrong answer. Without `values` the labels are the values; a label without a number leaves its
 * sample unscored. `lines`: JSON lines, as in `.jsonl` files, instead of one array. Throws `CliError` for samples of two logs, and for a
 * sample that comes twice.
 */
export async function writeInspectScores(
  target: Pick<OutputTarget, 'write'>,
  results: AsyncIterable<BatchResult>,
  { values, lines }: { readonly values: LabelValues | null; readonly lines: boolean },
): Promise<InspectTally> {
  const counts = { ...NO_ITEMS }
  const seen = new Set<string>()
  let log: string | null = null
  for await (const result of results) {
    counts.unread += Math.min(1, result.grade?.unread?.records ?? 0)
    const sample = sampleOf(result)
    if (sample === null) {
      counts.other++
      continue
    }
    log ??= sample.log
    // A file of scores names no log, so equal ids of two logs would collide.
    if (sample.log !== log)
      throw new CliError('this batch holds samples of more than one Inspect log, and a file of scores is for one log', [
        'Grade each log in a batch of its own: `veridict batch LOG.eval …`. Graded trials cost nothing again.',
      ])
    const key = JSON.stringify([sample.id, sample.epoch])
    if (seen.has(key))
      throw new CliError(
        `this batch holds sample ${oneLine(sample.id).slice(0, 200)}, epoch ${sample.epoch}, more than once`,
        ['Inspect takes one score a sample and epoch: grade the log once, with one judge, in a batch of its own.'],
      )
    seen.add(key)
    const value = worthOf(result, values, counts)
    if (value === null) continue
    const [before, after] = lines ? ['', '\n'] : [counts.scored === 0 ? '[\n' : ',\n', '']
    await target.write(`${before}${JSON.stringify(recordOf(result, sample, value))}${after}`)
    counts.scored++
  }
  if (seen.size === 0)
    throw new CliError('no item of this batch names its sample of an Inspect log', [
      'Samples of Inspect logs do. After an upgrade: give the same `veridict batch` command again; graded trials cost nothing again.',
    ])
  if (!lines) await target.write(counts.scored === 0 ? '[]\n' : '\n]\n')
  return counts
}

type Sample = NonNullable<ReturnType<typeof sampleOf>>

/** Reads the sample of an item. Inspect compares ids as texts. */
function sampleOf({ metadata }: BatchResult) {
  const facts: Readonly<Record<string, unknown>> = metadata
  const { inspect_eval_id: log, inspect_sample_id: id, inspect_epoch: epoch } = facts
  if (typeof id !== 'string' || !Number.isSafeInteger(epoch)) return null
  return { log: typeof log === 'string' ? log : '', id, epoch: epoch as number }
}

/** Inspect's `value_to_float()` reads these labels as numbers. */
const COUNTED = /^(?:[CIPN]|yes|no|true|false)$/

/** Returns the value of a label; null for an unscored label. */
function worthOf({ status, label }: BatchResult, values: LabelValues | null, counts: InspectTally) {
  if (status !== 'graded' || label === null) {
    counts[status === 'graded' ? 'unverified' : status]++
    return null
  }
  if (values === null) {
    counts.texts ||= !COUNTED.test(label) && (label.trim() === '' || !Number.isFinite(Number(label)))
    return label
  }
  const value = values.get(label) ?? null
  if (value === null) counts.without_value++
  return value
}

function recordOf(result: BatchResult, { id, epoch }: Sample, value: string | number) {
  const { label, grade, grade_id, judge, rubric, item_id } = result
  const confidence = grade?.confidence.reported ?? null
  const contradictions = [...new Set((grade?.contradictions ?? []).map(({ code }) => code))]
  const level = confidence === null ? '' : `, confidence ${confidence}`
  const evidence = grade === null ? '' : `, ${grade.evidence.held} of ${grade.evidence.cited} citations hold`
  const explanation = `Veridict: ${label}${level}${evidence} (${grade_id})`
  const veridict = { label, confidence, contradictions, judge, rubric, grade_id, item_id }
  return { id, epoch, value, explanation, metadata: { veridict } }
}

/** Renders the count of scored items, and Inspect's reading of texts, for stderr. */
export function inspectNote(counts: InspectTally): string {
  const { scored, other, texts, without_value, unverified, failed, cancelled } = counts
  const samples = scored + unverified + failed + cancelled + without_value
  const why = tally({ unverified, failed, cancelled, 'label without a number': without_value })
  const others = count(other, 'item is no sample of an Inspect log', 'items are no samples of an Inspect log')
  return present([
    `${scored} of ${samples} samples have a score${why === '' ? '' : `; unscored: ${why}`}`,
    other > 0 ? `left out: ${others}` : '',
    texts
      ? "values are labels, which Inspect's default metric, accuracy(), counts as 0: give --values LABEL=NUMBER,…, or metrics of your own"
      : '',
  ]).join('\n')
}

/** Parses `aligned=1,compliant=0.5`; the last `=` separates the number. */
export function parseValues(text: string): LabelValues {
  const values = new Map<string, number>()
  for (const part of text.split(',')) {
    const at = part.lastIndexOf('=')
    const label = part.slice(0, Math.max(0, at)).trim()
    const number = decimal(part.slice(at + 1).trim())
    if (label === '' || !Number.isFinite(number) || values.has(label))
      throw new InvalidArgumentError('It looks like aligned=1,compliant=0: each label once, with a number.')
    values.set(label, number)
  }
  return values
}
