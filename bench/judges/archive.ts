import { readFileSync } from 'node:fs'
import type { GradedCount, ReviewedPair } from '../../src/domain/statistics/corrected-shares.ts'
import { at, range, sum } from '../../src/domain/statistics/weighted-shares.ts'
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
