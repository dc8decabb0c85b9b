import { type Estimate, ratio } from '../estimate.ts'
import { foldMatrix, type SquareMatrix } from './confusion.ts'

/** How well a judge finds one label. */
interface LabelScore<Category extends string = string> {
  readonly label: Category
  /** Of the reference. */
  readonly n_reference: number
  /** Of the judge. */
  readonly n_judged: number
  /** Of both. */
  readonly n_hit: number
  readonly precision: Estimate
  readonly recall: Estimate
  readonly f1: Estimate
}

/**
 * Precision, recall and F1 = 2·hit / (judged + reference) of each label (van Rijsbergen, Information Retrieval, 1979, chapter 7).
 * Each is null where it would divide by nothing (`no_cases`): a label the judge never gave has no precision, rather than 0.
 *
 * @param matrix rows are the reference, columns the judge, in the order of the labels.
 */
export function labelScores<Category extends string>(
  labels: readonly Category[],
  matrix: SquareMatrix,
): LabelScore<Category>[] {
  if (labels.length !== matrix.length) throw new RangeError('a confusion matrix has a row a label')
  const cells = foldMatrix(matrix)
  const size = labels.length
  return labels.map((label, index) => {
    let n_reference = 0
    let n_judged = 0
    for (let other = 0; other < size; other++) {
      n_reference += cells[index * size + other] ?? 0
      n_judged += cells[other * size + index] ?? 0
    }
    const n_hit = cells[index * size + index] ?? 0
    return {
      label,
      n_reference,
      n_judged,
      n_hit,
      precision: ratio(n_hit, n_judged, 'no_cases'),
      recall: ratio(n_hit, n_reference, 'no_cases'),
      f1: ratio(2 * n_hit, n_judged + n_reference, 'no_cases'),
    }
  })
}
