import { SAMPLING_DESIGNS } from '../../../schemas/audit/review.ts'
import { isWeight } from './weighted-shares.ts'

/**
 * How the reviewed items were picked; what the estimator turns on. The designs of a stored review (`stratified`: at random
 * within each label of the judge), and two that only a whole set of reviews can have: by the true (human) label, a set number
 * of each; of another archive.
 */
export const SAMPLINGS = [...SAMPLING_DESIGNS, 'stratified_by_human', 'another_archive'] as const
export type Sampling = (typeof SAMPLINGS)[number]

const ESTIMATORS = ['ppi_plus_plus', 'rogan_gladen', 'post_stratified', 'inverse_probability', 'human_only'] as const
export type Estimator = (typeof ESTIMATORS)[number]

interface Choice {
  readonly estimator: Estimator | null
  readonly reason: string
}

/** `weights`: one per review, the inverse of the probability that it was picked; leave out where none is known. */
export interface Design {
  readonly sampling: Sampling
  readonly weights?: readonly (number | null | undefined)[]
}

/**
 * Which estimator a design allows (Lee et al., arXiv 2511.21140 v3, against Chen et al., arXiv 2601.05420). A random sample
 * takes PPI++, the narrower one; a sample by true label or from elsewhere the confusion matrix, which a shift of label shares
 * does not bias (simulated coverage of nominal 95% under such a shift: 95.5%, PPI++ 1.8%); a sample by disagreement is
 * neither, and needs its probabilities. A sample by the judge's label skews P(judge | human), so no confusion matrix there:
 * P(human | judge) is what it shows.
 */
export function chooseEstimator({ sampling, weights = [] }: Design): Choice {
  const known = weights.filter((weight) => weight !== null && weight !== undefined)
  if (sampling === 'another_archive' || sampling === 'stratified' || sampling === 'chosen') return CHOICES[sampling]
  if (known.length === 0) return CHOICES[sampling]
  if (known.length < weights.length) return { estimator: null, reason: 'some reviews have a weight and some have none' }
  if (!weights.every(isWeight)) {
    return { estimator: null, reason: 'a weight is the inverse of a probability: finite and above 0' }
  }
  const even = weights.every((weight) => weight === weights[0])
  if (even && sampling === 'random') return CHOICES.random
  return {
    estimator: 'inverse_probability',
    reason: 'each review was picked with a known probability: weighting by its inverse undoes the selection',
  }
}

const CHOICES: Readonly<Record<Sampling, Choice>> = {
  random: {
    estimator: 'ppi_plus_plus',
    reason: 'the reviews are a random sample of the graded items: PPI++ with one λ for all labels',
  },
  stratified_by_human: {
    estimator: 'rogan_gladen',
    reason:
      'the reviews were drawn by the human label: their label shares say nothing of the archive, the error rates do',
  },
  stratified: {
    estimator: 'post_stratified',
    reason:
      'the reviews were drawn by the judge’s label: each of its labels is weighted back to its share of the archive',
  },
  disagreement: {
    estimator: null,
    reason:
      'the reviews were picked by disagreement: without the probability of each pick they represent neither the archive nor its labels',
  },
  another_archive: {
    estimator: 'rogan_gladen',
    reason: 'the reviews are of another archive: corrected by the judge’s error rates there, if it errs alike here',
  },
  chosen: { estimator: null, reason: 'the reviewed items were chosen by hand: they represent no more than themselves' },
}
