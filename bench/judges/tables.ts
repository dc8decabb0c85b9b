import { REVIEWS, STRUCTURES } from './archive.ts'
import { type Result, summary } from './cells.ts'
import type { Method } from './methods.ts'
import { meanOf } from './simulate.ts'

const percent = (share: number, digits = 1): string => (100 * share).toFixed(digits)
const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [line(head), `|${head.map((_, k) => (k === 0 ? '---|' : '---:|')).join('')}`, ...rows.map(line)].join('\n')

const RAW = 'judge’s raw share'
const ALONE = 'reviews alone'
const NOW = 'as reported'

/** Coverage and width by structure and number of reviews; the lowest is of one judge with one way to count labels. */
export const byReviews = (results: readonly Result[]): string =>
  table(
    [
      ...['trials', 'reviews', 'judge’s own', 'corrected', 'lowest', 'width', 'reviews alone'],
      ...['error, own', 'corrected'],
    ],
    STRUCTURES.flatMap((structure) =>
      REVIEWS.map((reviews) => {
        const own = results.filter((one) => one.structure.name === structure.name && one.reviews === reviews)
        const [raw, now] = [summary(own, RAW), summary(own, NOW)]
        return [
          ...[structure.name, reviews, percent(raw.coverage)],
          ...[`${percent(now.coverage)} ± ${percent(now.error, 2)}`, percent(now.lowest)],
          ...[now.width.toFixed(3), summary(own, ALONE).width.toFixed(3)],
          ...[raw.off.toFixed(3), now.off.toFixed(3)],
        ]
      }),
    ),
  )

export const byLabels = (results: readonly Result[]): string =>
  table(
    ['labels', 'reviews', 'raw share', 'corrected', 'lowest label', 'width'],
    [...new Set(results.map(({ labelSet }) => labelSet))].flatMap((labelSet) =>
      REVIEWS.map((reviews) => {
        const own = results.filter((one) => one.labelSet === labelSet && one.reviews === reviews)
        const [raw, now] = [summary(own, RAW), summary(own, NOW)]
        return [
          ...[labelSet, reviews, percent(raw.coverage)],
          ...[percent(now.coverage), percent(now.lowestLabel), now.width.toFixed(3)],
        ]
      }),
    ),
  )

export const byJudge = (results: readonly Result[]): string =>
  table(
    ['judge', 'raw share: error', 'held', 'corrected by 60: error', '30', '60', '120'],
    [...new Set(results.map(({ judge }) => judge))].map((judge) => {
      const own = results.filter((one) => one.judge === judge)
      const sixty = own.filter(({ reviews }) => reviews === 60)
      const raw = summary(own, RAW)
      return [
        ...[judge, raw.off.toFixed(3), percent(raw.coverage), summary(sixty, NOW).off.toFixed(3)],
        ...REVIEWS.map((reviews) =>
          percent(
            summary(
              own.filter((one) => one.reviews === reviews),
              NOW,
            ).coverage,
          ),
        ),
      ]
    }),
  )

export const byMethod = (results: readonly Result[], methods: readonly Method[]): string =>
  table(
    ['interval', ...REVIEWS.flatMap((reviews) => [`${reviews} reviews`, 'lowest', 'width']), 'lowest label'],
    methods.map((method) => [
      method,
      ...REVIEWS.flatMap((reviews) => {
        const own = summary(
          results.filter((one) => one.reviews === reviews),
          method,
        )
        return [`${percent(own.coverage)} ± ${percent(own.error, 2)}`, percent(own.lowest), own.width.toFixed(3)]
      }),
      percent(summary(results, method).lowestLabel),
    ]),
  )

/** `reviews_to_halve` of the first against the width with so many more reviews, where most draws had such a number. */
export interface Halving {
  readonly first: Result
  readonly after: Result | null
}

export const halving = (all: readonly Halving[]): string =>
  table(
    ['trials', 'reviews', 'number told', 'more reviews', 'width', 'after', 'ratio'],
    STRUCTURES.flatMap((structure) =>
      REVIEWS.map((reviews) => {
        const own = all.filter(({ first }) => first.structure.name === structure.name && first.reviews === reviews)
        const told = `${percent(meanOf(own.map(({ first }) => first.outcomes[NOW]?.told ?? 0)), 0)}%`
        const pairs = own.flatMap(({ first, after }) => (after === null ? [] : [{ first, after }]))
        if (pairs.length * 2 < own.length) return [structure.name, reviews, told, '', '', '', '']
        const widths = [pairs.map((pair) => pair.first), pairs.map((pair) => pair.after)].map(
          (side) => summary(side, NOW).width,
        )
        const [before = 0, after = 0] = widths
        const more = meanOf(pairs.map((pair) => pair.after.reviews - reviews))
        return [
          structure.name,
          reviews,
          told,
          more.toFixed(0),
          before.toFixed(3),
          after.toFixed(3),
          (after / before).toFixed(2),
        ]
      }),
    ),
  )
