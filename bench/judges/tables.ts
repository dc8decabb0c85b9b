import { REVIEWS, STRUCTURES } from './archive.ts'
import { type Result, summary } from './cells.ts'

const percent = (share: number, digits = 1): string => (100 * share).toFixed(digits)
const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const HEAD = ['trials', 'reviews', 'judge’s own', 'corrected', 'lowest', 'lowest label', 'width', 'reviews alone']
const ERRORS = ['error, own', 'corrected']

/** Renders coverage, width and error by structure and number of reviews; the lowest is of one judge with one way to count labels. */
export function byReviews(results: readonly Result[]): string {
  const head = [...HEAD, ...ERRORS]
  const rows = STRUCTURES.flatMap((structure) =>
    REVIEWS.map((reviews) => {
      const own = results.filter((one) => one.structure.name === structure.name && one.reviews === reviews)
      const [raw, now] = [summary(own, 'judge’s raw share'), summary(own, 'as reported')]
      const held = [
        `${percent(now.coverage)} ± ${percent(now.error, 2)}`,
        percent(now.lowest),
        percent(now.lowestLabel),
      ]
      const widths = [now.width, summary(own, 'reviews alone').width, raw.off, now.off].map((width) => width.toFixed(3))
      return [structure.name, reviews, percent(raw.coverage), ...held, ...widths]
    }),
  )
  return [line(head), `|${head.map((_, k) => (k === 0 ? '---|' : '---:|')).join('')}`, ...rows.map(line)].join('\n')
}
