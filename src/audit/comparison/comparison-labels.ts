import { type Rubrics, rubricOf } from '../../domain/rubric/said-claims.ts'
import type { Scale } from '../../schemas/audit/agreement.ts'
import type { Label } from '../../schemas/vocabulary.ts'

/** More make no matrix that anybody reads. */
export const MOST_LABELS = 100

export interface ComparedLabels {
  readonly labels: readonly Label[]
  readonly scale: Scale
}

/**
 * The labels of a comparison in their order: those of the rubrics, then what occurs beyond them. Of sums those that occur, as numbers.
 *
 * @param names of the rubrics of both sides: versions of one rubric.
 */
export function comparedLabels(rubrics: Rubrics, names: Iterable<string>, occurring: Iterable<Label>): ComparedLabels {
  const known = [...new Set(names)].flatMap((name) => rubricOf(rubrics, name)?.outcome ?? [])
  const given = [...new Set(occurring)]
  const isSum = known.some(({ kind }) => kind === 'sum')
  if (isSum && given.every((label) => Number.isFinite(Number(label))))
    return { labels: given.sort((a, b) => Number(a) - Number(b)), scale: 'interval' }
  const labels = [...new Set([...known.flatMap((one) => one.labels), ...given.sort()])]
  const isOrdinal = known.length > 0 && known.every(({ scale }) => scale === 'ordinal')
  return { labels, scale: isOrdinal ? 'ordinal' : 'nominal' }
}
