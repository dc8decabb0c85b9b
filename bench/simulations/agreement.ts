import { agreement } from '../../src/domain/statistics/agreement.ts'
import { at, range } from '../../src/domain/statistics/weighted-shares.ts'
import { type Draws, drawsFrom } from '../../test/domain/statistics/oracles.ts'
import { holds, type Setting } from './simulation.ts'

/**
 * Raters who see the true label with the chance `follow` of their task, and else draw one with the same shares: so the chance-corrected
 * agreement of the population is E[follow²], for κ and α alike, whatever the shares are.
 */
interface Raters {
  readonly shares: readonly number[]
  readonly raters: number
  /** Of a task; one of them, each as likely. With one task an item there are no clusters. */
  readonly follow: readonly number[]
  readonly tasks: number
  readonly runs: number
  readonly missing?: number
}

type Name = 'krippendorff_alpha' | 'cohen_kappa' | 'gwet_ac1'

const EVEN = [0.2, 0.2, 0.2, 0.2, 0.2]
const SKEWED = [0.6, 0.2, 0.1, 0.07, 0.03]

const sumOfSquares = (shares: readonly number[]): number => shares.reduce((sum, share) => sum + share * share, 0)
const meanSquare = (follow: readonly number[]): number => sumOfSquares(follow) / follow.length

function truthOf(name: Name, { shares, follow }: Raters): number {
  const beyondChance = meanSquare(follow)
  if (name !== 'gwet_ac1') return beyondChance
  const agreed = beyondChance + (1 - beyondChance) * sumOfSquares(shares)
  const chance = (1 - sumOfSquares(shares)) / (shares.length - 1)
  return (agreed - chance) / (1 - chance)
}

function drawRatings({ shares, raters, follow, tasks, runs, missing = 0 }: Raters, { pick, uniform }: Draws) {
  const likely = follow.map(() => 1 / follow.length)
  return range(tasks).flatMap((task) => {
    const own = at(follow, pick(likely))
    const usual = pick(shares)
    return range(runs).flatMap((run) => {
      const truth = runs > 1 && uniform() < 0.6 ? usual : pick(shares)
      return range(raters).flatMap((rater) => {
        const label = uniform() < own ? truth : pick(shares)
        if (missing > 0 && uniform() < missing) return []
        const cluster = runs > 1 ? { cluster: `${task}` } : {}
        return [{ item: `${task}-${run}`, rater: `${rater}`, label: `${label}`, ...cluster }]
      })
    })
  })
}

const NAMED: Readonly<Record<Name, string>> = {
  krippendorff_alpha: 'Krippendorff’s α, Bayesian bootstrap',
  cohen_kappa: 'Cohen’s κ, Bayesian bootstrap',
  gwet_ac1: 'Gwet’s AC1, Bayesian bootstrap',
}

const settingOf = (name: Name, setting: string, model: Raters): Setting => ({
  what: NAMED[name],
  setting,
  simulations: 1000,
  quick: 40,
  simulate(seed) {
    const answer = agreement({
      ratings: drawRatings(model, drawsFrom(seed)),
      labels: model.shares.map((_, label) => `${label}`),
      bootstrap: { draws: 1000, seed },
    })
    if (!answer.ok) throw new Error(answer.error[0]?.message)
    return [holds(answer.value[name].ci95, truthOf(name, model))]
  },
})

const items = (count: number, follow = 0.8) => ({ tasks: count, runs: 1, follow: [follow] })
const clusters = (tasks: number, runs: number) => ({ tasks, runs, follow: [0.95, 0.6] })

export const AGREEMENT_SETTINGS: readonly Setting[] = [
  settingOf('krippendorff_alpha', '100 items, 3 raters', { ...items(100), shares: EVEN, raters: 3 }),
  settingOf('krippendorff_alpha', '100 items, 3 raters, a fifth missing', {
    ...items(100),
    shares: EVEN,
    raters: 3,
    missing: 0.2,
  }),
  settingOf('krippendorff_alpha', '50 items, 2 disagreements, .60 … .03', {
    ...items(50, 0.97),
    shares: SKEWED,
    raters: 2,
  }),
  settingOf('krippendorff_alpha', '40 tasks × 5, 3 raters', { ...clusters(40, 5), shares: EVEN, raters: 3 }),
  settingOf('krippendorff_alpha', '15 tasks × 5, 3 raters', { ...clusters(15, 5), shares: EVEN, raters: 3 }),
  settingOf('cohen_kappa', '100 items', { ...items(100), shares: EVEN, raters: 2 }),
  settingOf('cohen_kappa', '50 items, 2 disagreements, .60 … .03', { ...items(50, 0.97), shares: SKEWED, raters: 2 }),
  settingOf('cohen_kappa', '40 tasks × 5', { ...clusters(40, 5), shares: EVEN, raters: 2 }),
  settingOf('gwet_ac1', '100 items, 2 raters', { ...items(100), shares: EVEN, raters: 2 }),
  settingOf('gwet_ac1', '50 items, 2 disagreements, .60 … .03', { ...items(50, 0.97), shares: SKEWED, raters: 2 }),
  settingOf('gwet_ac1', '40 tasks × 5, 3 raters', { ...clusters(40, 5), shares: EVEN, raters: 3 }),
]
