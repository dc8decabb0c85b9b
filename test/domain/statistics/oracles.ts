import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Rating } from '../../../src/schemas/audit/agreement.ts'

const FILE = resolve(import.meta.dirname, '../../../../shared/oracles/statistics.json')
export const hasOracles = existsSync(FILE)
if (!hasOracles) console.warn(`skipped: no oracle numbers at ${FILE}`)

/** The parts of the oracle file that tests here run over. */
export interface Oracles {
  readonly cohen_kappa: readonly {
    readonly table?: number[][]
    readonly y1?: (string | number)[]
    readonly y2?: (string | number)[]
    readonly kappa: number | null
    readonly po?: number
    readonly ac1?: number
    readonly src: string
  }[]
  readonly fleiss: readonly { readonly table: number[][]; readonly kappa: number; readonly tol?: number }[]
  readonly krippendorff: readonly {
    readonly data: (number | null)[][]
    readonly nominal: number
    readonly irrCAC?: { readonly pa: number; readonly ac1: number }
  }[]
  readonly mcnemar: readonly {
    readonly table?: [[number, number], [number, number]]
    readonly b?: number
    readonly c?: number
    readonly exact: number
    readonly midp?: number
  }[]
  readonly wilson95: readonly [number, number, number, number][]
  readonly clopper_pearson95: readonly [number, number, number, number][]
  readonly cp_upper_one_sided95: readonly [number, number, number][]
  readonly clustered_se: {
    readonly s: number[]
    readonly cluster: number[]
    readonly mean: number
    readonly se_clt_ddof0: number
    readonly se_clustered: number
  }
  readonly calibration: {
    readonly conf: number[]
    readonly correct: number[]
    readonly ece10: number
    readonly brier: number
  }
}

export const readOracles = (): Oracles => JSON.parse(readFileSync(FILE, 'utf8')) as Oracles

type Given = string | number | null

/** Ratings from rows of raters: `rows[r][i]` is what rater r gave item i, null where nothing. */
export const ratingsOf = (rows: readonly (readonly Given[])[]): Rating[] =>
  rows.flatMap((row, rater) =>
    row.flatMap((label, item) =>
      label === null ? [] : [{ item: `item ${item}`, rater: `rater ${rater}`, label: String(label) }],
    ),
  )

/** Ratings of two raters that make the confusion matrix. */
export const ratingsOfMatrix = (matrix: readonly (readonly number[])[]): Rating[] => {
  const pairs = matrix.flatMap((row, a) =>
    row.flatMap((count, b) => Array.from({ length: count }, () => [a, b] as const)),
  )
  return ratingsOf([pairs.map(([a]) => a), pairs.map(([, b]) => b)])
}

/** Ratings that make the table of counts: the raters of an item are interchangeable. */
export const ratingsOfCounts = (table: readonly (readonly number[])[]): Rating[] =>
  table.flatMap((row, item) =>
    row
      .flatMap((count, label) => Array.from({ length: count }, () => label))
      .map((label, rater) => ({ item: `item ${item}`, rater: `rater ${rater}`, label: String(label) })),
  )
