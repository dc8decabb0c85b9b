import { count } from '../../domain/count.ts'
import { notesOf } from '../../domain/notes.ts'
import type { BaselineRun, TrialRow } from './report-rows.ts'

/** A Terminal-Bench run by which a group of trials can be measured. */
export interface Resolution {
  readonly task: string | null
  /** The run of the trial that reports it; null for a stored Terminal-Bench run. */
  readonly run: string | null
  readonly resolved: boolean | null
}

/** A trial with the result of its Terminal-Bench run; null where it has no run, or the result is not known. */
export interface PairedTrial extends TrialRow {
  readonly baseline: boolean | null
}

export interface Baselines {
  readonly trials: readonly PairedTrial[]
  /** Lists the runs of the trials' agents, models and tasks, each once. */
  resolutionsOf(trials: readonly PairedTrial[]): Resolution[]
  readonly warnings: readonly string[]
}

type Place = Pick<TrialRow, 'agent' | 'model' | 'task' | 'run_index'>

const cellOf = ({ agent, model, task }: Place): string => JSON.stringify([agent, model, task])
const placeOf = ({ agent, model, task, run_index }: Place): string => JSON.stringify([agent, model, task, run_index])
/** Returns the key within which a run pairs once: variants and judges are different views of one run, and each may pair with it. */
const sideOf = (trial: TrialRow): string => JSON.stringify([trial.judge, trial.variant, placeOf(trial)])

/**
 * Pairs trials with Terminal-Bench runs by agent, model, task and run index. The trial's own `metadata.terminal_bench_resolved` takes
 * precedence. Where two runs, or two trials of one variant, have the same place, none of them is paired, and a warning counts them.
 */
export function pairBaselines(trials: readonly TrialRow[], runs: readonly BaselineRun[]): Baselines {
  const ofTasks = runs.filter(({ task }) => task !== null)
  const byPlace = Map.groupBy(ofTasks, placeOf)
  const sides = Map.groupBy(trials, sideOf)
  let ambiguous = 0
  const paired = trials.map((trial): PairedTrial => {
    if (trial.terminal_bench_resolved !== null) return { ...trial, baseline: trial.terminal_bench_resolved }
    const candidates = trial.task === null ? [] : (byPlace.get(placeOf(trial)) ?? [])
    const [run] = candidates
    if (run === undefined) return { ...trial, baseline: null }
    if (candidates.length === 1 && sides.get(sideOf(trial))?.length === 1) return { ...trial, baseline: run.resolved }
    ambiguous++
    return { ...trial, baseline: null }
  })
  const byCell = Map.groupBy(ofTasks, cellOf)
  const differing = countConflicts(paired)
  return {
    trials: paired,
    resolutionsOf: (some) => resolutions(some, byCell, byPlace),
    warnings: notesOf({
      [`${count(ambiguous, 'trial shares', 'trials share')} agent, model, task and run index with others, so that ${ambiguous === 1 ? 'its Terminal-Bench run is not known: it is' : 'their Terminal-Bench run is not known: they are'} not in C`]:
        ambiguous > 0,
      [`trials of ${count(differing, 'run')} differ in metadata.terminal_bench_resolved: resolution takes the newest`]:
        differing > 0,
    }),
  }
}

/** Lists the stored runs of the same agents, models and tasks, and the trials' reports of runs that are not stored, each place once. */
function resolutions(
  trials: readonly PairedTrial[],
  byCell: ReadonlyMap<string, readonly BaselineRun[]>,
  byPlace: ReadonlyMap<string, readonly BaselineRun[]>,
): Resolution[] {
  const cells = new Set(trials.map(cellOf))
  const stored = [...cells].flatMap((cell) => byCell.get(cell) ?? [])
  const reported = new Map<string, Resolution>()
  const alone: Resolution[] = []
  for (const trial of trials) {
    if (trial.terminal_bench_resolved === null || byPlace.has(placeOf(trial))) continue
    const resolution = { task: trial.task, run: null, resolved: trial.terminal_bench_resolved }
    if (trial.task === null || trial.run_index === null) alone.push({ ...resolution, run: trial.run })
    else if (!reported.has(placeOf(trial))) reported.set(placeOf(trial), resolution)
  }
  return [...stored.map(({ task, resolved }) => ({ task, run: null, resolved })), ...reported.values(), ...alone]
}

/** Counts the places whose trials differ in the outcome of their one Terminal-Bench run. */
function countConflicts(trials: readonly TrialRow[]): number {
  const telling = trials.filter(
    ({ terminal_bench_resolved, task, run_index }) =>
      terminal_bench_resolved !== null && task !== null && run_index !== null,
  )
  const byPlace = [...Map.groupBy(telling, placeOf).values()]
  return byPlace.filter((some) => new Set(some.map((one) => one.terminal_bench_resolved)).size > 1).length
}
