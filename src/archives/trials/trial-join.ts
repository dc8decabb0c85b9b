import { dirname, resolve } from 'node:path'
import { normalizeGroundTruth, weakAnchors } from '../../domain/anchors/anchors.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { FORMATS } from '../../formats/formats.ts'
import { readTrajectory } from '../../formats/read.ts'
import { type GivenTruth, isDefaultRubric, SIGNALS } from '../../schemas/trial.ts'
import type { MatchedTruth, TruthNames } from '../truth/ground-truths.ts'
import { measureSignals, type SignalSource, withDefaults } from '../truth/signals.ts'
import { completeTruth } from '../truth/truth-rows.ts'
import { safeText, shownName } from '../unpack/names.ts'
import type { Place } from '../unpack/place.ts'
import { nameOf, type Scope, skip, type TrialItem, type TrialRun } from './reading-job.ts'
import { tellIssue } from './run-files.ts'
import { cutText, metadataOf } from './trial-facts.ts'

/** Joins a run with its ground truth, signals and metadata into an item to grade, or returns the reason why it cannot be graded. */
export async function joinTrial(scope: Scope, trial: TrialRun): Promise<TrialItem> {
  const { place, run, facts } = trial
  const read = readTrajectory(run.document, scope.job.limits.read)
  if (!read.ok) {
    if (FORMATS.some((format) => format.recognizes(run.document)))
      return skip(scope, place, 'unreadable', refusalOf(trial, read.error), run.name)
    return place.shown === trial.file.shown && holdsSteps(run.document)
      ? skip(scope, place, 'unreadable', NO_STEPS, run.name)
      : skip(scope, place, 'unsupported', 'JSON of no format that docs/formats.md lists', run.name)
  }
  const tasks = facts.tasks.length > 0 ? facts.tasks : run.about.task === undefined ? [] : [run.about.task]
  const trials = facts.trials.length > 0 ? facts.trials : trialNames(place, run.name)
  const truth = findTruth(scope, { tasks, trials })
  const names = [
    ...tasks.slice(0, 1).map((name) => `task ${shownName(name)}`),
    ...trials.slice(0, 1).map((name) => `trial ${shownName(name)}`),
  ].join(', ')
  const none = `no given row (-g) and no ground_truth.json in its folder or above is of ${names}`
  if (truth === null) return skip(scope, place, 'no_ground_truth', none, run.name)
  const complete = completeTruth(truth.truth, facts.instruction ?? run.about.instruction, scope.job.options.rubric)
  if (complete === null)
    return skip(scope, place, 'no_ground_truth', `no "instruction" in the truth of ${names}: add it`, run.name)
  const { ground_truth, warnings } = await signalsOf(scope, trial, complete, truth.by)
  const { agent, model, run_index } = run.about
  const about = { agent, model, run_index, task: tasks[0], trial: trials[0], variant: truth.variant ?? undefined }
  const end = run.about.ended_by ?? facts.more['exception']
  const ended = end === undefined ? {} : { ended_by: cutText(String(end)) }
  const metadata = { ...ended, ...run.about.origin, ...truth.metadata, ...metadataOf(facts, about, scope.job.options) }
  return {
    kind: 'trial',
    name: nameOf(scope, place, run.name),
    source: safeText(trial.file.shown),
    request: { trajectory: run.document, ground_truth, metadata },
    trajectory: read.value,
    warnings: [
      ...[...trial.warnings, ...run.warnings, ...droppedBy(truth), ...warnings],
      ...anchorWarnings(scope, ground_truth),
    ],
  }
}

/** Tells whether a document of no known format has the list that most runs have. */
const holdsSteps = (document: Json): boolean =>
  [document['steps'], document['messages']].some((list) => Array.isArray(list) && list.some(isRecord))

const NO_STEPS =
  'steps or messages of no format that docs/formats.md lists: a step of the plain form has actor and text, a message has role and content'

function refusalOf(run: TrialRun, issues: readonly { path: string; message: string }[]): string {
  const at = run.file.shown === run.place.shown ? '' : `${run.file.shown.slice(run.place.shown.length + 1)}: `
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ''
  return `${at}${issues[0] === undefined ? 'cannot be read' : tellIssue(issues[0])}${more}`
}

export function findTruth(scope: Scope, { tasks, trials, variant }: TruthNames): MatchedTruth | null {
  const { groundTruths, variant: fixed } = scope.job.options
  const names = { tasks, trials, variant: fixed ?? variant }
  const all = groundTruths === undefined ? scope.truths : [groundTruths, ...scope.truths]
  for (const truths of all) {
    const match = truths.find(names)
    if (match !== null) return match
  }
  // Only the default rubric always needs a ground truth; the service reports the needs of another rubric.
  const none = { truth: {}, variant: null, metadata: {}, by: 'all', name: '', dropped: [] } as const
  return isDefaultRubric(scope.job.options.rubric) ? null : none
}

/** Warns of weak anchors, once per text, because the trials of a task share their anchors. */
export const anchorWarnings = ({ job }: Scope, truth: GivenTruth): string[] =>
  weakAnchors(normalizeGroundTruth(truth))
    .map(({ path, message }) => `${path}  ${message}`)
    .filter((text) => job.isFirst(text))

/** Warns of fields that a trial's row lacks and its task's row has: a row is used whole, so the omission may be a mistake. */
export const droppedBy = ({ dropped, name }: MatchedTruth): string[] =>
  dropped.map(
    (field) => `the row of trial ${shownName(name)} has no ${field}, and its task’s row has one; it is not used`,
  )

/** File name endings, the longer first. Only these are cut: `x.rerun-2.json` is another run than `x.json`. */
const ENDINGS = [
  ...['.trajectory.json', '.traj.json', '.chat.json', '.rollout.jsonl'],
  ...['.json', '.jsonl', '.ndjson', '.traj', '.eval', '.txt'],
]
const PACKINGS = ['.tar.gz', '.tgz', '.tar.zst', '.tar', '.zip', '.gz', '.zst']

/** Common names that do not identify a run: the name of the folder around them does. */
const COMMON = new Set(['trajectory', 'agent', 'artifacts'])

/** Lists the names of a loose file: its name, with and without its ending; for one run of several in a file, its own name, too. */
function trialNames(place: Place, run: string): string[] {
  const [file = '', ...around] = place.shown.split(/[/!]/).reverse()
  const endings = ENDINGS.filter((ending) => file.length > ending.length && file.endsWith(ending))
  const stems = endings.map((ending) => file.slice(0, -ending.length)).reverse()
  const [stem = file] = stems
  const folder = COMMON.has(stem) ? folderOf(place, around) : null
  const names = [...(folder === null ? [] : [folder]), ...(stems.length === 0 ? [] : [stem]), file, ...stems]
  return [...new Set(run === '' ? names : [`${file}#${run}`, run])]
}

/** Returns the nearest folder name that identifies a run; from the real path, where the path as requested has none. */
function folderOf({ path, shown }: Place, around: readonly string[]): string | null {
  const real = shown.includes('!') ? [] : dirname(resolve(path)).split('/').reverse()
  const names = around.every((name) => name === '.' || name === '..' || COMMON.has(name)) ? real : around
  for (const name of names) {
    if (name === '' || name === '.' || name === '..') continue
    const packing = PACKINGS.find((ending) => name.endsWith(ending))
    const unpacked = packing === undefined ? name : name.slice(0, -packing.length)
    const ending = ENDINGS.find((candidate) => unpacked.endsWith(candidate))
    const stem = ending === undefined ? unpacked : unpacked.slice(0, -ending.length)
    if (stem !== '' && !COMMON.has(stem)) return stem
  }
  return null
}

/** Merges the signals of a trial: measured values take precedence over the row of its task, and the row of the trial itself over both. */
async function signalsOf(
  { job }: Scope,
  { facts, run, folders }: Pick<TrialRun, 'facts' | 'run' | 'folders'>,
  truth: GivenTruth,
  by: MatchedTruth['by'],
): Promise<{ ground_truth: GivenTruth; warnings: string[] }> {
  const requested = job.options.signals ?? []
  const rewards = facts.harness === null ? (run.about.scores ?? {}) : facts.rewards
  const maxBytes = job.limits.max_file_bytes
  const measured = await measureSignals(withDefaults(requested), { rewards, folders, maxBytes })
  const declared = truth.signals ?? {}
  const differing = SIGNALS.filter((name) => {
    const { [name]: own = null } = declared
    return own !== null && own !== (measured.signals[name] ?? own)
  })
  const kept = by === 'trial' ? 'the ground truth' : 'the trial'
  const warnings = differing.map(
    (name) => `the ground truth and the trial differ in the signal ${name}; ${kept} is used`,
  )
  const signals = by === 'trial' ? { ...measured.signals, ...declared } : { ...declared, ...measured.signals }
  const { signals: _, ...rest } = truth
  const ground_truth = Object.keys(signals).length === 0 ? rest : { ...rest, signals }
  job.countSources(requested, measured.missing)
  const first = measured.missing
    .filter((source) => requested.includes(source) && job.isFirst(`source ${sourceText(source)}`))
    .map((source) => `there is nothing at ${sourceText(source)}; ${source.signal} is unknown (${TOLD_ONCE})`)
  // Only the user can tell which number means a done task, where no reward has the name `reward`.
  const [key] = facts.harness === 'harbor' ? Object.keys(rewards) : []
  const isDefault = measured.missing.some((source) => source.signal === 'resolved' && !requested.includes(source))
  const isUnnamed = key !== undefined && isDefault && job.isFirst('reward')
  const name = shownName(key ?? '')
  const unnamed = `no reward is called reward, but ${name}: resolved is unknown; to use it: --signals 'resolved=reward:${name}>=1'`
  const conflict = facts.conflict === null ? [] : [`${facts.conflict}; no reward of this trial is used`]
  return {
    ground_truth,
    warnings: [...conflict, ...measured.warnings, ...warnings, ...first, ...(isUnnamed ? [unnamed] : [])],
  }
}

const TOLD_ONCE = 'told once, for all trials where it is so'

/** Writes the source of a signal as the user wrote it. */
export const sourceText = ({ signal, place }: SignalSource): string => {
  if (place.kind === 'none') return `${signal}=none`
  if (place.kind === 'reward') return shownName(`${signal}=reward:${place.key}`)
  const tokens = place.pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return shownName(`${signal}=file:${place.names.join('/')}${tokens.length === 0 ? '' : `#${tokens.join('')}`}`)
}
