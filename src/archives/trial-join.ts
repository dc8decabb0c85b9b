import { FORMATS } from '../formats/formats.ts'
import type { OpenedDocument } from '../formats/open-documents.ts'
import { readTrajectory } from '../formats/read.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { FoundTruth } from './ground-truths.ts'
import { safeText, shownName } from './names.ts'
import type { Place } from './place.ts'
import { nameOf, type Scope, skip } from './reading-job.ts'
import { tellIssue } from './run-files.ts'
import { DEFAULT_SIGNALS, measureSignals } from './signals.ts'
import { metadataOf, type TrialFacts } from './trial-facts.ts'
import type { TrialItem } from './trial-item.ts'
import { completeTruth } from './truth-row.ts'

export interface FoundRun {
  /** What the item is called after: a trial's folder, or a loose file. */
  readonly place: Place
  /** Where the run itself stands. */
  readonly file: Place
  readonly run: OpenedDocument
  readonly facts: TrialFacts
  readonly warnings: readonly string[]
  /** Folders of the trial, the nearest first, where signals are looked for. */
  readonly folders: readonly Place[]
}

/** One run with its ground truth, signals and metadata, ready to be graded; or why it cannot be. */
export async function joinTrial(scope: Scope, found: FoundRun): Promise<TrialItem> {
  const { place, run, facts } = found
  const read = readTrajectory(run.document, scope.job.limits.read)
  if (!read.ok) {
    const known = FORMATS.some((format) => format.recognizes(run.document))
    return known
      ? skip(scope, place, 'unreadable', told(found, read.error), run.name)
      : skip(scope, place, 'unsupported', 'JSON of no format that docs/formats.md lists', run.name)
  }
  const tasks = facts.tasks.length > 0 ? facts.tasks : run.about.task === undefined ? [] : [run.about.task]
  const trials = facts.trials.length > 0 ? facts.trials : trialNames(found)
  const truth = findTruth(scope, { tasks, trials })
  const names = `task ${shownName(tasks[0] ?? 'unknown')}, trial ${shownName(trials[0] ?? 'unknown')}`
  if (truth === null) return skip(scope, place, 'no_ground_truth', `nothing is known of ${names}`, run.name)
  const complete = completeTruth(truth.truth, facts.instruction ?? run.about.instruction)
  if (complete === null)
    return skip(scope, place, 'no_ground_truth', `nobody says what the user asked in ${names}`, run.name)
  const { ground_truth, warnings } = await withSignals(scope, found, complete, truth.by)
  const { agent, model, run_index } = run.about
  const about = {
    ...(read.value.agent.name !== null && { agent: read.value.agent.name }),
    ...(read.value.agent.model !== null && { model: read.value.agent.model }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(run_index !== undefined && { run_index }),
    ...(tasks[0] !== undefined && { task: tasks[0] }),
    ...(trials[0] !== undefined && { trial: trials[0] }),
  }
  const metadata = metadataOf(facts, about, scope.job.options)
  return {
    kind: 'trial',
    name: nameOf(scope, place, run.name),
    source: safeText(found.file.shown),
    request: { trajectory: run.document, ground_truth, metadata },
    warnings: [...found.warnings, ...warnings],
  }
}

function told(found: FoundRun, issues: readonly { path: string; message: string }[]): string {
  const at = found.file.shown === found.place.shown ? '' : `${found.file.shown.slice(found.place.shown.length + 1)}: `
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ''
  return `${at}${issues[0] === undefined ? 'cannot be read' : tellIssue(issues[0])}${more}`
}

/** A loose file may be named by its name, with or without its ending; a run of several in a file also by its own. */
function trialNames({ place, run }: FoundRun): string[] {
  const file = place.shown.slice(Math.max(place.shown.lastIndexOf('/'), place.shown.lastIndexOf('!')) + 1)
  const dot = file.indexOf('.')
  const names = dot > 0 ? [file.slice(0, file.lastIndexOf('.')), file, file.slice(0, dot)] : [file]
  return [...new Set(run.name === '' ? names : [`${file}#${run.name}`, run.name])]
}

export function findTruth(
  scope: Scope,
  names: { readonly tasks: readonly string[]; readonly trials: readonly string[] },
): FoundTruth | null {
  const { groundTruths } = scope.job.options
  const all = groundTruths === undefined ? scope.truths : [groundTruths, ...scope.truths]
  for (const truths of all) {
    const found = truths.find(names)
    if (found !== null) return found
  }
  return null
}

/** What was measured in the trial comes over what is said of its task; what is said of this very trial comes over both. */
async function withSignals(
  scope: Scope,
  { facts, run, folders }: FoundRun,
  truth: GroundTruth,
  by: FoundTruth['by'],
): Promise<{ ground_truth: GroundTruth; warnings: string[] }> {
  const { signals: sources = DEFAULT_SIGNALS } = scope.job.options
  const rewards = facts.harness === null ? (run.about.scores ?? {}) : facts.rewards
  const maxBytes = scope.job.limits.max_file_bytes
  const measured = await measureSignals(sources, { rewards, folders, maxBytes })
  const said = truth.signals ?? {}
  const against = Object.entries(measured.signals).filter(
    ([name, value]) => (said[name as keyof typeof said] ?? value) !== value,
  )
  const kept = by === 'trial' ? 'the ground truth' : 'the trial'
  const warnings = against.map(
    ([name]) => `the ground truth and the trial differ in the signal ${name}; ${kept} is used`,
  )
  const signals = by === 'trial' ? { ...measured.signals, ...said } : { ...said, ...measured.signals }
  const { signals: _, ...rest } = truth
  const ground_truth = Object.keys(signals).length === 0 ? rest : { ...rest, signals }
  return { ground_truth, warnings: [...measured.warnings, ...warnings] }
}
