import { createLane, type Lane, type LaneSettings } from '../asking/lane/lane.ts'
import { createRetryBudget, type RetryBudget } from '../asking/retry.ts'
import type { Config } from '../config/config.ts'
import type { Clock, Judge } from '../ports/ports.ts'

export function openLanes(config: Config, judges: ReadonlyMap<string, Judge>, clock: Clock) {
  const lanes = new Map<string, Lane>()
  for (const [name, judge] of judges) {
    const own = config.judges[name]?.concurrency ?? config.concurrency
    const settings = judge.info.kind === 'lexical' ? LEXICAL_LANE : own
    lanes.set(name, createLane(settings, clock, config.workers.most_in_flight ?? undefined))
  }
  // A judge that is no longer configured is refused before its lane is asked for a turn.
  const unknown = createLane(LEXICAL_LANE, clock)
  return {
    of: (judge: string): Lane => lanes.get(judge) ?? unknown,
    resume() {
      for (const lane of lanes.values()) lane.resume()
    },
  }
}

/** Grading without a model is work of this process; more at once share the commits of the store. */
const LEXICAL_LANE: LaneSettings = { initial: 32, min: 1, max: 32 }

export function perJudge(): (judge: string) => RetryBudget {
  const budgets = new Map<string, RetryBudget>()
  return (judge) => {
    const budget = budgets.get(judge) ?? createRetryBudget()
    budgets.set(judge, budget)
    return budget
  }
}
