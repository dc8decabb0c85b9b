import { agreement, MAX_RESAMPLED_ITEMS } from '../../domain/statistics/agreement/agreement.ts'
import { BOOTSTRAP, type BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import { bowker, comparePairs } from '../../domain/statistics/paired.ts'
import type { Scale, UndefinedReason } from '../../schemas/audit/agreement.ts'
import type { ComparisonAgreement, ComparisonTests } from '../../schemas/regrade.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import { countPairs } from './comparison-labels.ts'
import { type RepeatedPair, repeatNoise } from './comparison-noise.ts'

/** The pairs of a comparison, small and fit to be sent to another thread, with all labels that they can have, in order. */
export interface ComparedPairs {
  readonly pairs: readonly RepeatedPair[]
  readonly labels: readonly Label[]
  readonly scale: Scale
}

/** Agreement, tests and repeat noise of the pairs of a comparison. Pure: the same pairs give the same numbers. */
export function comparisonStatistics({ pairs, labels, scale }: ComparedPairs) {
  const settings = settingsFor(pairs.length)
  return {
    agreement: agreementOf({ pairs, labels, scale }, settings),
    tests: testsOf(pairs, labels, settings),
    repeat_noise: repeatNoise(pairs, settings),
  }
}
export type ComparisonStatistics = ReturnType<typeof comparisonStatistics>

/** Fewer draws for very many pairs, whose intervals are narrow anyway; the answer says how many. */
const settingsFor = (pairs: number): BootstrapSettings => ({
  ...BOOTSTRAP,
  draws: Math.max(100, Math.min(BOOTSTRAP.draws, Math.floor(MAX_RESAMPLED_ITEMS / Math.max(1, pairs)))),
})

function agreementOf({ pairs, labels, scale }: ComparedPairs, settings: BootstrapSettings): ComparisonAgreement {
  const ratings = pairs.flatMap(({ base, head, cluster }, index) => {
    const common = { item: String(index), ...(cluster !== null && { cluster }) }
    return [
      { ...common, rater: 'base', label: base },
      { ...common, rater: 'head', label: head },
    ]
  })
  const answered = agreement({ ratings, labels: [...labels], scale, bootstrap: settings })
  if (!answered.ok) throw new RangeError(`the pairs make no ratings: ${answered.error[0]?.message}`)
  const { raw_agreement, cohen_kappa, krippendorff_alpha, gwet_ac1, weighted, bootstrap } = answered.value
  return { raw_agreement, cohen_kappa, krippendorff_alpha, gwet_ac1, ...(weighted && { weighted }), bootstrap }
}

function testsOf(
  pairs: readonly RepeatedPair[],
  labels: readonly Label[],
  settings: BootstrapSettings,
): ComparisonTests {
  const matrix = countPairs(pairs, labels)
  const tested = labels.map((label) => {
    const ofLabel = pairs.map(({ cluster, ...pair }) => ({
      cluster,
      base: pair.base === label,
      head: pair.head === label,
    }))
    const { base, head, value, ci95, reason, base_only, head_only, mcnemar_p } = comparePairs(ofLabel, settings)
    return {
      label,
      base_only,
      head_only,
      mcnemar_p,
      base_share: base,
      head_share: head,
      difference: { value, ci95, reason },
      reason: reasonOf(pairs.length, base_only + head_only),
    }
  })
  const adjusted = holm(tested.map(({ mcnemar_p }) => mcnemar_p))
  return {
    bowker: bowker(matrix),
    labels: tested.map((one, index) => ({ ...one, holm_p: adjusted[index] ?? null })),
    notes: testNotes(pairs, labels.length),
  }
}

const reasonOf = (pairs: number, discordant: number): UndefinedReason | null =>
  pairs === 0 ? 'no_pairs' : discordant === 0 ? 'no_discordant_pairs' : null

/**
 * Holm’s step-down adjustment: the i-th smallest of m p-values times m − i + 1, never less than the one before, 1 at most. Holm, "A simple
 * sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979). What is null stays null and is no test.
 */
export function holm(values: readonly (number | null)[]): (number | null)[] {
  const sorted = values.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((a, b) => a.p - b.p)
  const adjusted: (number | null)[] = values.map(() => null)
  let most = 0
  for (const [rank, { p, index }] of sorted.entries()) {
    most = Math.max(most, Math.min(1, p * (sorted.length - rank)))
    adjusted[index] = most
  }
  return adjusted
}

function testNotes(pairs: readonly RepeatedPair[], labels: number): string[] {
  const clusters = pairs.flatMap(({ cluster }) => cluster ?? [])
  const n = labels === 5 ? 'five' : labels
  return [
    `${n} tests, one a label: read Holm p, which allows for that; the labels exclude each other, so they are no ${n} independent findings`,
    ...(new Set(clusters).size < clusters.length
      ? [
          'trials of one task, or of one run where no task is named, are not independent, as the p-values take them to be: the intervals of the differences do allow for it',
        ]
      : []),
  ]
}
