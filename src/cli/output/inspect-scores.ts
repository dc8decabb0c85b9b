import { InvalidArgumentError } from 'commander'
import { count, decimal } from '../../domain/words.ts'
import type { BatchResult } from '../../schemas/batch.ts'
import { CliError } from '../errors.ts'
import { line, oneLine, type Rows, tally } from './text.ts'

export type LabelValues = ReadonlyMap<string, number>

/**
 * Makes the input of Inspect's `precomputed_scores()` (inspect_ai 0.3.259, `scorer/_precomputed.py`): JSON lines `{ id, epoch, value, explanation,
 * metadata }` of graded items alone. Inspect leaves a sample without a record unscored and out of every metric, and would count a value of 0 or
 * "I" as a wrong answer. Without `values` the labels are the values; a label without a number leaves its sample unscored. Throws `CliError`
 * for samples of two logs, for a sample that comes twice, and where no item names its sample.
 */
export function inspectRows(
  values?: LabelValues,
): Required<Pick<Rows<BatchResult>, 'row' | 'foot'>> & { note(): string } {
  const samples = new Set<string>()
  const logs = new Set<unknown>()
  const unscored: Record<string, number> = {}
  return {
    row(result) {
      const facts: Readonly<Record<string, unknown>> = result.metadata
      const { inspect_eval_id: log = '', inspect_sample_id: id, inspect_epoch: epoch } = facts
      // Inspect compares ids as texts.
      if (typeof id !== 'string' || !Number.isSafeInteger(epoch)) return ''
      const key = JSON.stringify([id, epoch])
      // A file of scores names no log, so equal ids of two logs would collide.
      if (logs.add(log).size > 1 || samples.has(key))
        throw new CliError(`this batch holds sample ${oneLine(id).slice(0, 200)}, epoch ${epoch}, twice, or two logs`, [
          'Inspect takes one score a sample of one log: grade each log once, with one judge, in a batch of its own.',
        ])
      samples.add(key)
      const { status, label } = result
      const value = status !== 'graded' || label === null ? null : values === undefined ? label : values.get(label)
      if (value != null) return line({ id, epoch, value, ...scoreOf(result) })
      const why = value === null ? status : 'label without a number'
      unscored[why] = (unscored[why] ?? 0) + 1
      return ''
    },
    foot() {
      if (samples.size > 0) return ''
      throw new CliError('no item of this batch names its sample of an Inspect log', ['Samples of Inspect logs do.'])
    },
    note: () => `${count(samples.size, 'sample')}; unscored: ${tally(unscored) || 'none'}`,
  }
}

function scoreOf({ label, grade, grade_id, judge, rubric, item_id }: BatchResult) {
  const confidence = grade?.confidence.reported ?? null
  const contradictions = [...new Set((grade?.contradictions ?? []).map(({ code }) => code))]
  const level = confidence === null ? '' : `, confidence ${confidence}`
  const evidence = grade === null ? '' : `, ${grade.evidence.held} of ${grade.evidence.cited} citations hold`
  const explanation = `Veridict: ${label}${level}${evidence} (${grade_id})`
  return {
    explanation,
    metadata: { veridict: { label, confidence, contradictions, judge, rubric, grade_id, item_id } },
  }
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
