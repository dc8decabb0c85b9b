import type { Matrix } from '../../test/domain/statistics/oracles.ts'
import { runEach } from '../simulations/simulation.ts'
import {
  type Cell,
  JUDGES,
  LABEL_SETS,
  type LabelSet,
  type Method,
  meanOf,
  type Outcome,
  REVIEWS,
  STRUCTURES,
  type Structure,
} from './simulate.ts'

/** A cell by the names of what it is of, with what came out. */
export interface Named {
  readonly judge: string
  readonly labelSet: string
  readonly structure: Structure
  readonly reviews: number
}
export interface Result extends Named {
  readonly outcomes: Readonly<Record<string, Outcome>>
}

export interface Plan extends Named {
  readonly counts: Matrix
}

/** Every judge with every way to count labels, structure and number of reviews. */
export const REAL: readonly Plan[] = Object.keys(LABEL_SETS).flatMap((labelSet) =>
  JUDGES.flatMap(([judge, confusion]) =>
    STRUCTURES.flatMap((structure) =>
      REVIEWS.map((reviews) => ({
        ...{ judge, labelSet, structure, reviews },
        counts: LABEL_SETS[labelSet as LabelSet](confusion),
      })),
    ),
  ),
)

const SHARES = [0.4, 0.3, 0.15, 0.1, 0.05]
const spread = (right: number): Matrix =>
  SHARES.map((share, k) => SHARES.map((_, j) => 1e4 * share * (j === k ? right : (1 - right) / 4)))
/** What is not right gets the first label. */
const leaning = (right: number): Matrix =>
  SHARES.map((share, k) =>
    SHARES.map((_, j) => 1e4 * share * (j === k ? (k === 0 ? 1 : right) : j === 0 ? 1 - right : 0)),
  )

/** Judges better than those 20: with 30 reviews most of them show no error at all. Five labels, shares .40 to .05. */
export const GOOD: readonly Plan[] = [0.85, 0.9, 0.94, 0.97, 0.99, 1].flatMap((right) =>
  (
    [
      ['errors to any label', spread],
      ['errors to the first', leaning],
    ] as const
  ).flatMap(([labelSet, errors]) =>
    STRUCTURES.flatMap((structure) =>
      REVIEWS.map((reviews) => ({
        judge: `right in ${100 * right}%`,
        labelSet,
        structure,
        reviews,
        counts: errors(right),
      })),
    ),
  ),
)

/** The same seed gives the same results, whatever the number of cores. */
export async function runPlans(
  plans: readonly Plan[],
  methods: readonly Method[],
  draws: number,
  seed: number,
): Promise<Result[]> {
  const cells = plans.map(
    ({ counts, structure, reviews }, place): Cell => ({
      ...{ counts, structure, reviews, methods, draws },
      seed: seed * 1e9 + place * 1e5,
    }),
  )
  const outcomes = await runEach<Cell, Result['outcomes']>(new URL('./simulate.ts', import.meta.url), 'simulate', cells)
  return plans.map(({ counts: _counts, ...named }, place) => ({ ...named, outcomes: outcomes[place] ?? {} }))
}

/** Several cells as one number each: means over them, each cell counting alike. */
export function summary(results: readonly Result[], method: Method) {
  const outcomes = results.map((result) => result.outcomes[method]).filter((one) => one !== undefined)
  const coverages = outcomes.map(({ held }) => meanOf(held))
  return {
    coverage: meanOf(coverages),
    /** Monte-Carlo standard error of `coverage`. */
    error: Math.sqrt(outcomes.reduce((sum, { variance }) => sum + variance, 0)) / outcomes.length,
    lowest: Math.min(...coverages),
    lowestLabel: Math.min(...outcomes.flatMap(({ held }) => held)),
    width: meanOf(outcomes.map(({ width }) => width)),
    off: meanOf(outcomes.map(({ error }) => error)),
  }
}
