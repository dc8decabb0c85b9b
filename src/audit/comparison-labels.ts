import { type Rubrics, rubricOf } from '../domain/rubric/claim-values.ts'
import type { Scale } from '../schemas/agreement.ts'
import type { Label } from '../schemas/vocabulary.ts'

// Separate from the statistics: the service counts pairs, and a process of its own loads the distributions.

/** Bounds the labels of a matrix that stays readable. */
export const MOST_LABELS = 100

export interface ComparedLabels {
  readonly labels: readonly Label[]
  readonly scale: Scale
}

/**
 * Orders the labels of a comparison: the labels of the rubrics, then further occurring labels. Labels of sums are the occurring numbers.
 *
 * @param names of the rubrics of both sides: versions of one rubric.
 */
export function comparedLabels(rubrics: Rubrics, names: Iterable<string>, occurring: Iterable<Label>): ComparedLabels {
  const outcomes = [...new Set(names)].flatMap((name) => rubricOf(rubrics, name)?.outcome ?? [])
  const further = [...new Set(occurring)]
  const isSum = outcomes.some(({ kind }) => kind === 'sum')
  if (isSum && further.every((label) => Number.isFinite(Number(label))))
    return { labels: further.sort((a, b) => Number(a) - Number(b)), scale: 'interval' }
  const labels = [...new Set([...outcomes.flatMap(({ labels: own }) => own), ...further.sort()])]
  const isOrdinal = outcomes.length > 0 && outcomes.every(({ scale }) => scale === 'ordinal')
  return { labels, scale: isOrdinal ? 'ordinal' : 'nominal' }
}

/** Counts pairs in a matrix with base rows and head columns, in the order of the labels, which include every label of the pairs. */
export function countPairs(
  pairs: readonly { readonly base: Label; readonly head: Label }[],
  labels: readonly Label[],
): number[][] {
  const places = new Map(labels.map((label, place) => [label, place]))
  const matrix = labels.map(() => labels.map(() => 0))
  for (const { base, head } of pairs) {
    const row = matrix[places.get(base) ?? -1]
    const column = places.get(head)
    if (row === undefined || column === undefined) throw new RangeError('a pair has a label that is not listed')
    row[column] = (row[column] ?? 0) + 1
  }
  return matrix
}
