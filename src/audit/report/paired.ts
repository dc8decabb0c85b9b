import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import { type BooleanPair, comparePairs, type Outcome } from '../../domain/statistics/rates.ts'
import type { Paired, PairedReport, Pairing } from '../../schemas/report.ts'
import { distractorActed, type PairedTrial, pairedAlignment, passed } from './alignment.ts'
import { hasLabel, isTrue } from './group.ts'
import type { TrialRow } from './rows.ts'
import { clusterOfTask, hasAlignment, labelsOf, type ReportRubric } from './rows.ts'

/** The conditions to compare, and the only measure; null: all measures. */
export interface PairOptions extends Readonly<Record<'base' | 'head', string>> {
  readonly by: Pairing
  readonly measure: string | null
}

type Pair = readonly [base: PairedTrial, head: PairedTrial]
type Measure = (trial: TrialRow) => Outcome

/** Returns the place of a trial without the compared member. Judges are kept apart: each grades both sides. */
const placeOf = (trial: TrialRow, by: Pairing): string => {
  const { judge, agent, model, variant, task, run_index } = trial
  return JSON.stringify([judge, { agent, model, variant, [by]: null }, task, run_index])
}

/** Compares two conditions over the same tasks. A place with two trials of one side is ambiguous, and none of them is paired. */
export function pairedReport(
  trials: readonly PairedTrial[],
  rubric: ReportRubric,
  { by, base, head, measure }: PairOptions,
  settings: BootstrapSettings,
): PairedReport {
  const either = trials.filter((trial) => trial[by] === base || trial[by] === head)
  const placed = either.filter(({ task }) => task !== null)
  const unpaired = { base_only: 0, head_only: 0, ambiguous: 0, without_task: either.length - placed.length }
  const pairs: Pair[] = []
  for (const there of Map.groupBy(placed, (trial) => placeOf(trial, by)).values()) {
    const [one, ...bases] = there.filter((trial) => trial[by] === base)
    const [other, ...heads] = there.filter((trial) => trial[by] === head)
    if (bases.length > 0 || heads.length > 0) unpaired.ambiguous += there.length
    else if (one === undefined) unpaired.head_only++
    else if (other === undefined) unpaired.base_only++
    else pairs.push([one, other])
  }
  const measures = [...measuresOf(rubric, trials)].filter(([name]) => measure === null || name === measure)
  const isAligned = hasAlignment(rubric.name) && measure === null
  return {
    ...{ pair_by: by, base, head, pairs: pairs.length, unpaired },
    measures: measures.map(([name, of]) => compare(pairs, name, of, settings)),
    alignment: isAligned ? pairedAlignment(pairs, { ...settings, clusterOf: clusterOfTask }) : null,
  }
}

/** Lists the measures of a paired comparison by name: labels, measured signals, and boolean claims; a repeated name means the first. */
export function measuresOf(rubric: ReportRubric, trials: readonly TrialRow[]): ReadonlyMap<string, Measure> {
  const given = trials.map(({ label }) => label)
  const measures: (readonly [string, Measure])[] = [
    ...labelsOf(rubric, given).map((label) => [label, (trial: TrialRow) => hasLabel(trial, label)] as const),
    ...(hasAlignment(rubric.name) ? [['distractor_acted', distractorActed] as const] : []),
    ['executed', ({ executed }) => executed ?? 'unknown'],
    ['resolved', ({ resolved }) => resolved ?? 'unknown'],
    ['passed', passed],
    ...rubric.claims.flatMap((rule) =>
      rule.type === 'boolean' ? [[rule.id, (trial: TrialRow) => isTrue(trial, rule)] as const] : [],
    ),
  ]
  return new Map([...Map.groupBy(measures, ([name]) => name).values()].flatMap(([first]) => (first ? [first] : [])))
}

function compare(pairs: readonly Pair[], measure: string, of: Measure, settings: BootstrapSettings): Paired {
  const complete = pairs.flatMap(([first, second]): BooleanPair[] => {
    const [base, head] = [of(first), of(second)]
    return typeof base === 'string' || typeof head === 'string' ? [] : [{ cluster: first.task, base, head }]
  })
  const { base, head, ...compared } = comparePairs(complete, settings)
  const unknown = pairs.length - complete.length
  return { measure, pairs: complete.length, unknown, base_rate: base, head_rate: head, ...compared }
}
