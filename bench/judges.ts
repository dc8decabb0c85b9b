import { parseArgs } from 'node:util'
import { GOOD, REAL, type Result, runPlans } from './judges/cells.ts'
import { METHODS, type Method } from './judges/methods.ts'
import { byJudge, byLabels, byMethod, byReviews, type Halving, halving } from './judges/tables.ts'

/** How often the intervals of shares hold the truth where judges err as 20 real ones do. */
const { values } = parseArgs({
  options: {
    draws: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const draws = Number(values.draws)
const seed = Number(values.seed)
if (
  values.help ||
  !(Number.isSafeInteger(draws) && draws > 1 && draws <= 1e5 && Number.isSafeInteger(seed) && seed >= 0)
) {
  console.log(
    [
      'npm run bench:judges -- [--draws 1000] [--seed 1]',
      '',
      'Draws archives graded by judges with the errors of bench/judges/confusions.json, has a random sample of each reviewed, and counts',
      'how often the 95% intervals of the shares hold the truth. The same numbers on every machine, whatever its number of cores.',
      '--draws: of each cell, 2 to 100000.',
    ].join('\n'),
  )
  process.exit(values.help ? 0 : 2)
}
const begun = performance.now()
const say = (title: string, text: string): void => console.log(`\n## ${title}\n\n${text}`)
console.log(
  `${draws} draws of each of ${REAL.length} cells (judge × labels × trials × reviews), seed ${seed}; ± one Monte-Carlo standard error`,
)

const reported = Object.keys(METHODS) as Method[]
const results = await runPlans(REAL, reported, draws, seed)
say('By number of reviews', byReviews(results))
say('By labels', byLabels(results))
say('By judge', byJudge(results))
say('Judges better than these 20', byMethod(await runPlans(GOOD, reported, draws, seed + 1), reported))
say('Reviews to halve', halving(await halvings(results)))
console.log(`\n${((performance.now() - begun) / 1000).toFixed(0)} s`)

/** Each cell once more with as many reviews added as the mean of `reviews_to_halve` says, where half of the draws had one. */
async function halvings(results: readonly Result[]): Promise<Halving[]> {
  const plans = results.flatMap(({ outcomes, reviews, structure }, place) => {
    const { reviewsToHalve = 0, told = 0 } = outcomes['as reported'] ?? {}
    const [plan, wanted] = [REAL[place], reviews + Math.round(reviewsToHalve)]
    return plan !== undefined && told >= 0.5 && wanted < structure.graded
      ? [{ place, plan: { ...plan, reviews: wanted } }]
      : []
  })
  const repeats = Math.max(2, Math.round(draws / 5))
  const after = await runPlans(
    plans.map(({ plan }) => plan),
    ['as reported'],
    repeats,
    seed + 2,
  )
  const found = new Map(plans.map(({ place }, index) => [place, after[index] ?? null]))
  return results.map((first, place) => ({ first, after: found.get(place) ?? null }))
}
