import { readFileSync } from 'node:fs'
import { correctedShares, type GradedCount, type ReviewedPair } from '../../src/domain/statistics/corrected-shares.ts'
import { type Interval, wilson } from '../../src/domain/statistics/intervals.ts'
import { at, clusteredVariance, range, sum, type Vector } from '../../src/domain/statistics/weighted-shares.ts'
import { drawsFrom, type Matrix } from '../../test/domain/statistics/oracles.ts'

/** Rows people, columns the judge. */
interface Judge {
  readonly runs: Matrix
  readonly steps: Matrix
}

const { judges } = JSON.parse(readFileSync(new URL('./confusions.json', import.meta.url), 'utf8')) as {
  readonly judges: Readonly<Record<string, Judge>>
}

/** Right, or not: the two other labels as one. */
const rightOrNot = ([wrong = [], neutral = [], right = []]: Matrix): Matrix =>
  [wrong.map((count, k) => count + at(neutral, k)), right].map(([a = 0, b = 0, c = 0]) => [a + b, c])

/** What is counted: the label “neutral” is 2% of the runs and 5% of the steps. */
export const LABEL_SETS = {
  'runs, 3 labels': ({ runs }: Judge) => runs,
  'steps, 3 labels': ({ steps }: Judge) => steps,
  'runs, right or not': ({ runs }: Judge) => rightOrNot(runs),
} as const
export type LabelSet = keyof typeof LABEL_SETS

export const JUDGES: readonly (readonly [name: string, judge: Judge])[] = Object.entries(judges)

/** Graded trials, in tasks where `tasks` > 0: so many of a task’s trials are as its first (both labels), the rest as any. */
export interface Structure {
  readonly name: string
  readonly graded: number
  readonly tasks: number
  readonly alike: number
}

export const STRUCTURES: readonly Structure[] = [
  { name: '1,000 trials, no tasks', graded: 1000, tasks: 0, alike: 0 },
  { name: '40 tasks × 15, intraclass .36', graded: 600, tasks: 40, alike: 0.6 },
  { name: '20 tasks × 15, intraclass .36', graded: 300, tasks: 20, alike: 0.6 },
  { name: '20 tasks × 15, intraclass .64', graded: 300, tasks: 20, alike: 0.8 },
  { name: '10 tasks × 30, intraclass .36', graded: 300, tasks: 10, alike: 0.6 },
]
export const REVIEWS = [30, 60, 120] as const

/** What a simulation draws: an archive graded by a judge with these errors, and a random sample of it reviewed. */
export interface Archive {
  readonly labels: readonly string[]
  readonly truth: readonly number[]
  readonly graded: readonly GradedCount[]
  readonly reviews: readonly ReviewedPair[]
}

/** The same seed gives the same archive. The truth is the population’s share of each label by people. */
export function drawArchive(counts: Matrix, structure: Structure, reviews: number, seed: number): Archive {
  const { uniform, pick } = drawsFrom(seed)
  const size = counts.length
  const total = sum(counts.flat())
  const shares = counts.flat().map((count) => count / total)
  const { graded, tasks, alike } = structure
  const each = tasks > 0 ? graded / tasks : 1
  const cells = new Int32Array(graded)
  const judged = new Int32Array(Math.max(1, tasks) * size)
  const taskOf = (trial: number): number => (tasks > 0 ? Math.floor(trial / each) : 0)
  let usual = 0
  for (let trial = 0; trial < graded; trial++) {
    if (trial % each === 0) usual = pick(shares)
    const cell = tasks > 0 && uniform() < alike ? usual : pick(shares)
    cells[trial] = cell
    const place = taskOf(trial) * size + (cell % size)
    judged[place] = (judged[place] ?? 0) + 1
  }
  const clusterOf = (task: number): string | null => (tasks > 0 ? `${task}` : null)
  return {
    labels: range(size).map((k) => `${k}`),
    truth: counts.map((row) => sum(row) / total),
    graded: [...judged].map((count, place) => ({
      ...{ judge: `${place % size}`, count },
      cluster: clusterOf(Math.floor(place / size)),
    })),
    reviews: sample(graded, reviews, uniform).map((trial) => {
      const cell = cells[trial] ?? 0
      return { human: `${Math.floor(cell / size)}`, judge: `${cell % size}`, cluster: clusterOf(taskOf(trial)) }
    }),
  }
}

/** `count` different places below `size`, all alike likely. */
function sample(size: number, count: number, uniform: () => number): number[] {
  const places = Int32Array.from({ length: size }, (_, place) => place)
  for (let taken = 0; taken < count; taken++) {
    const other = taken + Math.floor(uniform() * (size - taken))
    const place = places[other] ?? 0
    places[other] = places[taken] ?? 0
    places[taken] = place
  }
  return [...places.subarray(0, count)]
}

/** One judge, one way to count labels, one structure, one number of reviews. */
export interface Cell {
  readonly counts: Matrix
  readonly structure: Structure
  readonly reviews: number
  readonly methods: readonly Method[]
  readonly draws: number
  readonly seed: number
}

/** Of one method in one cell; all but the first two are means over draws and labels. */
export interface Outcome {
  /** By label: how often its interval held the truth. An interval that is not there holds nothing. */
  readonly held: readonly number[]
  /** Variance of the share of labels held by a draw, over the draws: for the Monte-Carlo error. */
  readonly variance: number
  readonly width: number
  readonly error: number
  /** Over the draws that have it, which are `told` of all; NaN for none. */
  readonly reviewsToHalve: number
  readonly told: number
}

export function simulate({ counts, structure, reviews, methods, draws, seed }: Cell): Record<string, Outcome> {
  const size = counts.length
  const sums = new Map(
    methods.map((method) => [
      method,
      { held: range(size).map(() => 0), squares: 0, width: 0, error: 0, more: 0, told: 0 },
    ]),
  )
  for (let draw = 0; draw < draws; draw++) {
    const archive = drawArchive(counts, structure, reviews, seed + draw)
    for (const [method, total] of sums) {
      const { shares, ci95, reviewsToHalve = null } = METHODS[method](archive)
      let held = 0
      for (const [k, truth] of archive.truth.entries()) {
        const [low, high] = ci95[k] ?? [1, 0]
        const holds = Number(low <= truth && truth <= high)
        total.held[k] = at(total.held, k) + holds
        held += holds / size
        total.width += Math.max(0, high - low) / size
        total.error += Math.abs(at(shares, k) - truth) / size
      }
      total.squares += held ** 2
      if (reviewsToHalve !== null) {
        total.more += reviewsToHalve
        total.told++
      }
    }
  }
  return Object.fromEntries(
    [...sums].map(([method, { held, squares, width, error, more, told }]) => {
      const shares = held.map((count) => count / draws)
      const variance = squares / draws - meanOf(shares) ** 2
      const outcome: Outcome = {
        held: shares,
        variance: Math.max(0, variance) / draws,
        width: width / draws,
        error: error / draws,
        reviewsToHalve: more / told,
        told: told / draws,
      }
      return [method, outcome]
    }),
  )
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Shares with their intervals, one a label. */
interface Answer {
  readonly shares: Vector
  readonly ci95: readonly (Interval | null)[]
  readonly reviewsToHalve?: number | null
}

/** Takes the judge’s share for the truth, with Wilson’s interval, of the effective size over tasks. */
function raw({ labels, graded }: Archive): Answer {
  const total = sum(graded.map(({ count }) => count))
  const shares = labels.map((label) => sum(graded.map(({ judge, count }) => (judge === label ? count : 0))) / total)
  const contributions = graded.map(({ judge, count, cluster = null }) => ({
    ...{ count, cluster },
    psi: shares.map((share, k) => (Number(labels[k] === judge) - share) / total),
  }))
  const variances = clusteredVariance(contributions, shares.length)
  const ci95 = shares.map((share, k) => {
    const variance = at(variances, k)
    return wilson(share, variance > 0 ? (share * (1 - share)) / variance : total)
  })
  return { shares, ci95 }
}

function asReported(archive: Archive): Answer {
  const { shares, reviews_to_halve } = correctedShares({ ...archive, sampling: 'random' })
  return answerOf(archive, shares, reviews_to_halve)
}

/** The people’s labels without the judge: each review as likely as any other. */
function reviewsAlone(archive: Archive): Answer {
  const weight = sum(archive.graded.map(({ count }) => count)) / archive.reviews.length
  const reviews = archive.reviews.map((review) => ({ ...review, weight }))
  return answerOf(archive, correctedShares({ ...archive, reviews, sampling: 'disagreement' }).shares)
}

const answerOf = (
  { labels }: Archive,
  shares: ReturnType<typeof correctedShares>['shares'],
  reviewsToHalve: number | null = null,
): Answer => ({
  shares: labels.map((label) => shares[label]?.value ?? Number.NaN),
  ci95: range(labels.length).map((k) => shares[labels[k] ?? '']?.ci95 ?? null),
  reviewsToHalve,
})

export const METHODS = {
  'judge’s raw share': raw,
  'reviews alone': reviewsAlone,
  'as reported': asReported,
} as const satisfies Record<string, (archive: Archive) => Answer>

export type Method = keyof typeof METHODS
