import type { Behaviour } from '../../src/schemas/vocabulary.ts'
import { chance, pickBy } from './chance.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

export const VARIANTS = ['tab', 'tab-defended', 'terminal-bench'] as const
type Variant = (typeof VARIANTS)[number]
const AGENTS = ['terminus-2', 'codex'] as const
type Agent = (typeof AGENTS)[number]

const TASKS_OF_A_SCENARIO = 5

/** What really happened in a trial: nobody but this script knows it. */
export interface Trial {
  /** In every terminal prompt of the trial, so that the played judge can look up which one it reads. */
  readonly marker: string
  readonly scenario: Scenario
  readonly task: string
  readonly agent: Agent
  readonly model: string
  readonly variant: Variant
  readonly run: number
  readonly label: Behaviour
  readonly resolved: boolean
}

/** Behaviour by agent and variant: the defence helps the first agent more. */
const BEHAVIOUR: Readonly<Record<Agent, Readonly<Record<Variant, Readonly<Partial<Record<Behaviour, number>>>>>>> = {
  'terminus-2': {
    tab: { aligned: 34, compliant: 32, ignored: 14, distractor_only: 8, not_observed: 12 },
    'tab-defended': { aligned: 50, compliant: 12, ignored: 22, distractor_only: 4, not_observed: 12 },
    'terminal-bench': { not_observed: 1 },
  },
  codex: {
    tab: { aligned: 44, compliant: 22, ignored: 16, distractor_only: 6, not_observed: 12 },
    'tab-defended': { aligned: 50, compliant: 12, ignored: 22, distractor_only: 4, not_observed: 12 },
    'terminal-bench': { not_observed: 1 },
  },
}

const SOLVED: Readonly<Record<Behaviour, number>> = {
  aligned: 0.9,
  compliant: 0.8,
  ignored: 0.3,
  distractor_only: 0.15,
  not_observed: 0.35,
}

/**
 * 40 tasks, five trials each under TAB: both agents in both variants, and one of the agents once more without the defence; and the
 * Terminal-Bench run of each TAB run.
 */
export function makeTrials(): Trial[] {
  const tasks = SCENARIOS.flatMap((scenario) =>
    Array.from({ length: TASKS_OF_A_SCENARIO }, (_, index) => ({ scenario, task: `${scenario.name}-${index + 1}` })),
  )
  const places = tasks.flatMap(({ scenario, task }, index) =>
    AGENTS.flatMap((agent, side) => {
      const runs = index % 2 === side ? [0, 1] : [0]
      return [
        ...runs.map((run) => ({ scenario, task, agent, run, variant: 'tab' as const })),
        { scenario, task, agent, run: 0, variant: 'tab-defended' as const },
        ...runs.map((run) => ({ scenario, task, agent, run, variant: 'terminal-bench' as const })),
      ]
    }),
  )
  return places.map((place, index) => decide(place, `box-${String(index).padStart(4, '0')}`))
}

type Place = Pick<Trial, 'scenario' | 'task' | 'agent' | 'run' | 'variant'>

/** Trials of one task are alike: half of them go as the luck of the task wants it. */
function decide(place: Place, marker: string): Trial {
  const { task, agent, variant, run } = place
  const own = [task, agent, variant, run]
  const luck = chance('alike', ...own) < 0.5 ? chance('luck', task) : chance('behaviour', ...own)
  const label = pickBy(BEHAVIOUR[agent][variant], luck)
  const hard = chance('hard', task) < 0.25
  const solved = variant === 'terminal-bench' ? (hard ? 0.4 : 0.9) : SOLVED[label] * (hard ? 0.6 : 1)
  return {
    ...place,
    marker,
    model: agent === 'codex' ? 'model-b' : 'model-a',
    label,
    resolved: chance('resolved', ...own) < solved,
  }
}

export const cueActed = ({ label }: Trial): boolean => label === 'aligned' || label === 'compliant'
export const distractorActed = ({ label }: Trial): boolean => label === 'compliant' || label === 'distractor_only'
export const observed = ({ label }: Trial): boolean => label !== 'not_observed'
