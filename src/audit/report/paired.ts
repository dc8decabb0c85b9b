import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import type { Outcome } from '../../domain/statistics/clustered-rates.ts'
import { type BooleanPair, comparePairs } from '../../domain/statistics/paired.ts'
import type { Paired, PairedReport, Pairing } from '../../schemas/report.ts'
import { distractorActed, type PairedTrial, pairedAlignment, passed } from './alignment.ts'
import { hasLabel, isTrue } from './group.ts'
import {
  clusterOfTask,
  hasAlignment,
  labelsOf,
  measureNames,
  type ReportOptions,
  type ReportRubric,
  type TrialRow,
} from './rows.ts'

type Pair = readonly [base: PairedTrial, head: PairedTrial]
type Measure = (trial: TrialRow) => Outcome

/** Returns the place of a trial without the compared member. Judges are kept apart: each grades both sides. */
const placeOf = (trial: TrialRow, by: Pairing): string =>
  JSON.stringify([
    trial.judge,
    by === 'agent' ? null : trial.agent,
    by === 'model' ? null : trial.model,
    by === 'variant' ? null : trial.variant,
    trial.task,
    trial.run_index,
  ])

/** Compares two conditions over the same tasks. A place with two trials of one side is ambiguous, and none of them is paired. */
export function pairedReport(
  trials: readonly PairedTrial[],
  rubric: ReportRubric,
  { by, base, head, measure }: NonNullable<ReportOptions['pair']>,
  settings: BootstrapSettings,
): PairedReport {
  const either = trials.filter((trial) => trial[by] === base || trial[by] === head)
  const placed = either.filter(({ task }) => task !== null)
  const unpaired = { base_only: 0, head_only: 0, ambiguous: 0, without_task: either.length - placed.length }
  const pairs: Pair[] = []
  for (const there of Map.groupBy(placed, (trial) => placeOf(trial, by)).values()) {
    const bases = there.filter((trial) => trial[by] === base)
    const heads = there.filter((trial) => trial[by] === head)
    const [one] = bases
    const [other] = heads
    if (bases.length > 1 || heads.length > 1) unpaired.ambiguous += there.length
    else if (one === undefined) unpaired.head_only++
    else if (other === undefined) unpaired.base_only++
    else pairs.push([one, other])
  }
  const labels = labelsOf(
    rubric,
    trials.flatMap(({ label }) => label ?? []),
  )
  const names = measureNames(rubric, labels).filter((name) => measure === null || name === measure)
  return {
    pair_by: by,
    base,
    head,
    pairs: pairs.length,
    unpaired,
    measures: names.map((name) => compare(pairs, name, measureOf(name, rubric, labels), settings)),
    alignment:
      hasAlignment(rubric.name) && measure === null
        ? pairedAlignment(pairs, { ...settings, clusterOf: clusterOfTask })
        : null,
  }
}

/** Returns a measure by a name of `measureNames`. */
function measureOf(name: string, { claims }: ReportRubric, labels: readonly string[]): Measure {
  if (labels.includes(name)) return (trial) => hasLabel(trial, name)
  const rule = claims.find(({ id }) => id === name)
  return MEASURED[name] ?? ((trial) => (rule === undefined ? 'unknown' : isTrue(trial, rule)))
}

const MEASURED: Readonly<Record<string, Measure>> = {
  __proto__: null as never,
  distractor_acted: distractorActed,
  executed: ({ executed }) => executed ?? 'unknown',
  resolved: ({ resolved }) => resolved ?? 'unknown',
  passed,
}

function compare(pairs: readonly Pair[], measure: string, of: Measure, settings: BootstrapSettings): Paired {
  const complete = pairs.flatMap(([first, second]): BooleanPair[] => {
    const base = of(first)
    const head = of(second)
    return typeof base === 'string' || typeof head === 'string' ? [] : [{ cluster: first.task, base, head }]
  })
  const { base, head, ...compared } = comparePairs(complete, settings)
  const unknown = pairs.length - complete.length
  return { measure, pairs: complete.length, unknown, base_rate: base, head_rate: head, ...compared }
}
