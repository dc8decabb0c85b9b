import { parseArgs } from 'node:util'
import { GOOD, REAL, type Result, runPlans, summary } from './judges/cells.ts'
import { METHODS, type Method, REVIEWS, STRUCTURES } from './judges/simulate.ts'

const percent = (share: number, digits = 1): string => (100 * share).toFixed(digits)
const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const HEAD = ['trials', 'reviews', 'judge’s own', 'corrected', 'lowest', 'lowest label', 'width', 'reviews alone']
const ERRORS = ['error, own', 'corrected']

/** Renders coverage, width and error by structure and number of reviews; the lowest is of one judge with one way to count labels. */
function byReviews(results: readonly Result[]): string {
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

/** Counts how often the intervals of shares hold the truth where judges err as 20 real judges do. */
const HELP = `npm run bench:judges -- [--draws 1000] [--seed 1]

Draws archives graded by judges with the errors of bench/judges/confusions.json, has a random sample of each reviewed, and counts
how often the 95% intervals of the shares hold the truth. The same numbers on every machine, whatever its number of cores.
--draws: of each cell, 2 to 100000.`

const { values } = parseArgs({
  options: {
    draws: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const [draws, seed] = [Number(values.draws), Number(values.seed)]
const isUsable = Number.isSafeInteger(draws) && draws > 1 && draws <= 1e5 && Number.isSafeInteger(seed) && seed >= 0
if (values.help || !isUsable) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}
const begun = performance.now()
const methods = Object.keys(METHODS) as Method[]
console.log(
  `${draws} draws of each of ${REAL.length} cells (judge × labels × trials × reviews), seed ${seed}; ± one Monte-Carlo standard error`,
)
console.log(`\n## Twenty real judges\n\n${byReviews(await runPlans(REAL, methods, draws, seed))}`)
console.log(`\n## Judges better than these\n\n${byReviews(await runPlans(GOOD, methods, draws, seed + 1))}`)
console.log(`\n${((performance.now() - begun) / 1000).toFixed(0)} s`)
