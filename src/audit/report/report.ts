import { count } from '../../domain/count.ts'
import { notesOf } from '../../domain/notes.ts'
import { NO_FIELD, type Report, type ReportGroup } from '../../schemas/report.ts'
import { BASELINE_VARIANT } from '../../schemas/vocabulary.ts'
import { alignmentFigures, type Baselines, type PairedTrial, pairBaselines } from './alignment.ts'
import { describeGroup } from './group.ts'
import { pairedReport } from './paired.ts'
import { judgeEvidence, judgeQuality } from './reviewed.ts'
import {
  clusterOfRun,
  clusterOfTask,
  type GroupOptions,
  hasAlignment,
  labelsOf,
  type ReportInput,
  type ReportOptions,
  type TrialRow,
} from './rows.ts'

/**
 * Computes the report of one rubric. Pure: the same rows, options and seed give the same bytes. The report of `tab-behavior` also has the
 * metrics of TAB (arXiv 2605.12233): docs/audit.md defines each, and its trials.
 */
export function report(input: ReportInput, options: ReportOptions): Report {
  const { group_by, draws, seed, pair } = options
  const { rubric } = input
  const settings = { draws, seed }
  const baselines = pairBaselines(input.trials, input.baselines)
  const { trials } = baselines
  const judges = [...new Set(trials.map(({ judge }) => judge))].sort()
  const labels = labelsOf(
    rubric,
    trials.flatMap(({ label, review }) => [label, review?.human ?? null].filter((one) => one !== null)),
  )
  const byTask: GroupOptions = { ...settings, clusterOf: clusterOfTask }
  const describe = (key: string | null, some: readonly PairedTrial[], how: GroupOptions): ReportGroup => ({
    ...describeGroup(key, some, rubric, labels, how),
    ...(hasAlignment(rubric.name) && alignmentFigures(some, baselines.resolutionsOf(some), how)),
  })
  const ofJudge = (judge: string) => trials.filter((trial) => trial.judge === judge)
  return {
    judges,
    rubric: input.found,
    labels,
    group_by,
    seed,
    draws,
    overall: judges.length > 1 ? null : describe(null, trials, byTask),
    groups: groupsOf(trials, group_by).map(([key, some]) =>
      describe(key, some, group_by === 'task' && key !== null ? { ...settings, clusterOf: clusterOfRun } : byTask),
    ),
    paired: pair === null ? null : pairedReport(trials, rubric, pair, settings),
    judge_quality: judges.map((judge) => judgeQuality(judge, ofJudge(judge), labels)),
    evidence: judges.map((judge) => judgeEvidence(judge, ofJudge(judge))),
    notes: [...input.notes, ...notesOn(input, options, baselines, judges)],
  }
}

/** Computes the report from one argument, the form in which a process receives it. */
export const reportOf = (job: { readonly input: ReportInput; readonly options: ReportOptions }): Report =>
  report(job.input, job.options)

/** Groups trials in code-unit order of the keys, null last. */
function groupsOf(trials: readonly PairedTrial[], by: string): (readonly [string | null, readonly PairedTrial[]])[] {
  if (by === 'none') return []
  const unnamed = trials.filter(({ key }) => key === null)
  const named = [
    ...Map.groupBy(
      trials.filter(({ key }) => key !== null),
      ({ key }) => key ?? '',
    ),
  ].sort(([a], [b]) => (a < b ? -1 : 1))
  return unnamed.length > 0 ? [...named, [null, unnamed]] : named
}

function notesOn(
  input: ReportInput,
  options: ReportOptions,
  baselines: Baselines,
  judges: readonly string[],
): string[] {
  const { trials, rubric } = input
  const { group_by, pair } = options
  const variants = [...new Set(trials.map(({ variant }) => variant ?? ''))].sort()
  const alone = trials.filter(({ task }) => task === null)
  const runs = new Set(alone.map(({ run }) => run)).size
  const named = new Set(trials.flatMap(({ task }) => task ?? [])).size
  const few = named + runs
  const without = count(runs, runs === alone.length ? 'trial' : 'different run')
  const uncounted = trials.filter(({ status, unread }) => status === 'graded' && unread === null).length
  const conflicting = trials.filter(({ conflicting_reward }) => conflicting_reward).length
  const notes = notesOf({
    'no stored grade fits': trials.length === 0,
    'every judge grades the same trials: there is no overall, which would count them several times': judges.length > 1,
    [`several variants are counted together: ${list(variants)}; name one, or group by variant`]:
      variants.length > 1 && group_by !== 'variant' && pair === null,
    [`${NO_FIELD} ${JSON.stringify(group_by)}: there is nothing to group by; there are: ${list(input.fields) || 'none'}`]:
      trials.length > 0 && group_by !== 'none' && trials.every(({ key }) => key === null),
    [withoutTask(alone.length, runs)]: alone.length > 0,
    [`unread records are not known of ${count(uncounted, 'graded trial')}: a version that did not count them graded those`]:
      uncounted > 0,
    [`the rewards of ${count(conflicting, 'trial')} contradict each other (\`conflicting_reward\`): no reward of these is used`]:
      conflicting > 0,
    [`only ${count(named, 'task')}${runs > 0 ? ` and ${without} without one` : ''}: intervals over so few clusters are rough`]:
      few > 0 && few < 30,
  })
  return [
    ...notes,
    ...(group_by === 'agent' ? pooledModels('agent', trials, ({ agent, model }) => [agent, model ?? '']) : []),
    ...pooledModels('judge', trials, ({ judge, judge_model }) => [judge_model === null ? null : judge, judge_model]),
    ...(hasAlignment(rubric.name) ? baselineNotes(input, baselines) : []),
  ]
}

const BY_MODEL = { agent: 'name one, or group by model', judge: 'report their batches one by one' } as const

/** Warns of names with several models: an agent or judge with several models counts as several. */
function pooledModels(
  what: keyof typeof BY_MODEL,
  trials: readonly TrialRow[],
  modelOf: (trial: TrialRow) => readonly [name: string | null, model: string | null],
): string[] {
  const models = new Map<string, Set<string | null>>()
  for (const [name, model] of trials.map(modelOf))
    if (name !== null) models.set(name, (models.get(name) ?? new Set()).add(model))
  return [...models].flatMap(([name, { size }]) =>
    size > 1 ? [`the ${what} ${JSON.stringify(name)} pools ${count(size, 'model')}: ${BY_MODEL[what]}`] : [],
  )
}

function baselineNotes({ trials, baselines: measuredRuns }: ReportInput, baselines: Baselines): string[] {
  const measured = baselines.trials.filter(({ baseline }) => baseline !== null).length
  const notes = notesOf({
    [`runs of variant ${BASELINE_VARIANT} (${measuredRuns.length}) are in C and resolution alone`]:
      measuredRuns.length > 0,
    [`the Terminal-Bench run of ${trials.length - measured} of ${count(trials.length, 'trial')} is not known: such trials are not in C and T`]:
      trials.length > 0 && measured < trials.length,
  })
  return [...notes, ...baselines.warnings]
}

/** Words the assumption of the intervals for trials without a task: only trials of one run are taken as related. */
const withoutTask = (trials: number, runs: number): string =>
  trials === runs
    ? `${count(trials, 'trial')} without a task: each is taken as independent of all others`
    : `${count(trials, 'trial')} without a task are of ${count(runs, 'run')}: trials of one run stand together in the intervals, and each run is taken as independent of all others`

/** Lists the first ten names, quoted, because metadata can hold any text. */
const list = (names: readonly string[]): string =>
  `${names
    .slice(0, 10)
    .map((name) => JSON.stringify(name))
    .join(', ')}${names.length > 10 ? ', …' : ''}`
