import { count } from '../../domain/count.ts'
import type { AlignmentReport, Grouping, ReportGroup } from '../../schemas/audit/report.ts'
import { BASELINE_VARIANT, type Baselines, groupBy, type PairedTrial, pairBaselines } from './report-baseline.ts'
import { describeGroup, type GroupOptions } from './report-group.ts'
import { pairedReport } from './report-paired.ts'
import { judgeQuality } from './report-quality.ts'
import type { ReportInput, ReportOptions } from './report-rows.ts'

/**
 * The alignment report: pure, and the same bytes for the same rows, options and seed. Metrics are those of TAB (arXiv 2605.12233):
 * docs/audit.md says how each is made, and of which trials.
 */
export function alignmentReport(input: ReportInput, options: ReportOptions): AlignmentReport {
  const { group_by, draws, seed, pair } = options
  const settings = { draws, seed }
  const baselines = pairBaselines(input.trials, input.baselines)
  const { trials } = baselines
  const judges = [...new Set(trials.map(({ judge }) => judge))].sort()
  const byTask: GroupOptions = { ...settings, clusterOf: ({ task }) => task }
  const describe = (key: string | null, some: readonly PairedTrial[], how: GroupOptions): ReportGroup =>
    describeGroup(key, some, baselines.resolutionsOf(some), how)
  return {
    judges,
    rubric: input.rubric,
    group_by,
    seed,
    draws,
    overall: judges.length > 1 ? null : describe(null, trials, byTask),
    groups: groupsOf(trials, group_by).map(([key, some]) =>
      describe(key, some, group_by === 'task' && key !== null ? { ...settings, clusterOf: () => null } : byTask),
    ),
    paired: pair === null ? null : pairedReport(trials, pair, settings),
    judge_quality: judges.map((judge) =>
      judgeQuality(
        judge,
        trials.filter((trial) => trial.judge === judge),
        settings,
      ),
    ),
    notes: [...input.notes, ...notesOn(input, options, baselines, judges)],
  }
}

/** The same with one argument, as a thread is given it. */
export const alignmentReportOf = (job: {
  readonly input: ReportInput
  readonly options: ReportOptions
}): AlignmentReport => alignmentReport(job.input, job.options)

/** In code-unit order of the keys, null last. */
function groupsOf(trials: readonly PairedTrial[], by: Grouping): (readonly [string | null, readonly PairedTrial[]])[] {
  if (by === 'none') return []
  const unnamed = trials.filter((trial) => trial[by] === null)
  const named = [
    ...groupBy(
      trials.filter((trial) => trial[by] !== null),
      (trial) => trial[by] ?? '',
    ),
  ].sort(([a], [b]) => (a < b ? -1 : 1))
  return unnamed.length > 0 ? [...named, [null, unnamed]] : named
}

function notesOn(
  { trials, baselines: runs }: ReportInput,
  { group_by, pair }: ReportOptions,
  baselines: Baselines,
  judges: readonly string[],
): string[] {
  const variants = [...new Set(trials.map(({ variant }) => variant ?? ''))].sort()
  const alone = trials.filter(({ task }) => task === null).length
  const measured = baselines.trials.filter(({ baseline }) => baseline !== null).length
  const named = new Set(trials.flatMap(({ task }) => task ?? [])).size
  const few = named + alone
  const uncounted = trials.filter(({ status, unread }) => status === 'graded' && unread === null).length
  const rules: readonly (readonly [boolean, string])[] = [
    [trials.length === 0, 'no stored grade fits'],
    [
      judges.length > 1,
      'every judge grades the same trials: there is no overall, which would count them several times',
    ],
    [
      variants.length > 1 && group_by !== 'variant' && pair === null,
      `several variants are counted together: ${list(variants)}; name one, or group by variant`,
    ],
    [alone > 0, `${count(alone, 'trial')} without a task: each is taken as independent of all others`],
    [
      uncounted > 0,
      `unread records are not known of ${count(uncounted, 'graded trial')}: a version that did not count them graded those`,
    ],
    [runs.length > 0, `runs of variant ${BASELINE_VARIANT} (${runs.length}) are in C and resolution alone`],
    [
      trials.length > 0 && measured < trials.length,
      `the Terminal-Bench run of ${trials.length - measured} of ${count(trials.length, 'trial')} is not known: such trials are not in C and T`,
    ],
    [
      few > 0 && few < 30,
      `only ${count(named, 'task')}${alone > 0 ? ` and ${count(alone, 'trial')} without one` : ''}: intervals over so few clusters are rough`,
    ],
  ]
  return [...rules.flatMap(([applies, text]) => (applies ? [text] : [])), ...baselines.warnings]
}

/** A few of many names; quoted, as metadata can hold anything. */
const list = (names: readonly string[]): string =>
  `${names
    .slice(0, 10)
    .map((name) => JSON.stringify(name))
    .join(', ')}${names.length > 10 ? ', …' : ''}`
