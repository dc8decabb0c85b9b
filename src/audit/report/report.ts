import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import { areOneModel, count, notesOf } from '../../domain/words.ts'
import type { Report, ReportGroup } from '../../schemas/report.ts'
import { BASELINE_VARIANT } from '../../schemas/vocabulary.ts'
import { alignmentFigures, type Baselines, type PairedTrial, pairBaselines } from './alignment.ts'
import { describeGroup, type PairOptions, pairedReport } from './group.ts'
import { judgeEvidence, judgeQuality } from './reviewed.ts'
import { clusterOfRun, clusterOfTask, type GroupOptions, hasAlignment, labelsOf, type ReportInput } from './rows.ts'

export interface ReportOptions extends BootstrapSettings {
  readonly group_by: string
  readonly pair: PairOptions | null
}

/** Computes the report of one rubric, of `tab-behavior` with the metrics of TAB. Pure: the same rows, options and seed give the same bytes. */
export function report({ input, options }: { readonly input: ReportInput; readonly options: ReportOptions }): Report {
  const [{ rubric }, { group_by, draws, seed, pair }] = [input, options]
  const settings = { draws, seed }
  const baselines = pairBaselines(input.trials, input.baselines)
  const { trials } = baselines
  const byJudge = [...Map.groupBy(trials, ({ judge }) => judge)].sort(([a], [b]) => (a < b ? -1 : 1))
  const judges = byJudge.map(([judge]) => judge)
  const given = trials.flatMap(({ label, review }) => [label, review?.human ?? null])
  const labels = labelsOf(rubric, given)
  const describe = (key: string | null, some: readonly PairedTrial[], clusterOf: GroupOptions['clusterOf']) => ({
    ...describeGroup(key, some, rubric, labels, { ...settings, clusterOf }),
    ...(hasAlignment(rubric.name) && alignmentFigures(some, baselines.resolutionsOf(some), { ...settings, clusterOf })),
  })
  return {
    ...{ judges, rubric: input.found, labels, group_by, seed, draws },
    overall: judges.length > 1 ? null : describe(null, trials, clusterOfTask),
    groups: groupsOf(trials, group_by).map(
      ([key, some]): ReportGroup =>
        describe(key, some, group_by === 'task' && key !== null ? clusterOfRun : clusterOfTask),
    ),
    paired: pair === null ? null : pairedReport(trials, rubric, pair, settings),
    judge_quality: byJudge.map(([judge, own]) => judgeQuality(judge, own, labels)),
    evidence: byJudge.map(([judge, own]) => judgeEvidence(judge, own)),
    evidence_agreement: input.evidence_agreement,
    notes: [...input.notes, ...notesOn(input, options, baselines, judges)],
  }
}

/** Groups trials in code-unit order of the keys, null last. */
function groupsOf(trials: readonly PairedTrial[], by: string): (readonly [string | null, readonly PairedTrial[]])[] {
  const groups = by === 'none' ? [] : [...Map.groupBy(trials, ({ key }) => key)]
  return groups.sort(([a], [b]) => (a === null ? 1 : b === null || a < b ? -1 : 1))
}

function notesOn(input: ReportInput, options: ReportOptions, baselines: Baselines, judges: readonly string[]) {
  const { trials, rubric, fields, baselines: runs } = input
  const { group_by, pair } = options
  const variants = [...new Set(trials.map(({ variant }) => variant ?? ''))].sort()
  const alone = trials.filter(({ task }) => task === null)
  const ofRuns = new Set(alone.map(({ run }) => run)).size
  const named = new Set(trials.flatMap(({ task }) => task ?? [])).size
  const few = named + ofRuns
  const without = count(ofRuns, ofRuns === alone.length ? 'trial' : 'different run')
  const others = ofRuns > 0 ? ` and ${without} without one` : ''
  const clusters = named > 0 ? count(named, 'task') + others : `${without} without a task`
  const related =
    ofRuns === alone.length
      ? ': each is taken as independent of all others'
      : ` are of ${count(ofRuns, 'run')}: trials of one run stand together in the intervals, and each run is taken as independent of all others`
  const uncounted = trials.filter(({ status, unread }) => status === 'graded' && unread === null).length
  const conflicting = trials.filter(({ conflicting_reward }) => conflicting_reward).length
  const versions = [...new Set(trials.flatMap(({ evidence_version }) => evidence_version ?? []))].sort((a, b) => a - b)
  const own = trials.filter(({ model, judge_model }) => areOneModel([judge_model], [model])).length
  const isPooled = variants.length > 1 && group_by !== 'variant' && pair === null
  const isUngrouped = trials.length > 0 && group_by !== 'none' && trials.every(({ key }) => key === null)
  const alike = severalOf(trials.map(({ key }) => [key && plainName(key), key])).map(([, keys]) => list(keys))
  const ofAgents = trials.map(({ agent, model }) => [group_by === 'agent' ? agent : null, model] as const)
  const ofJudges = trials.map(({ judge, judge_model: model }) => [model === null ? null : judge, model] as const)
  const pooled = (what: string, advice: string, pairs: Parameters<typeof severalOf>[0]) =>
    severalOf(pairs).map(
      ([name, of]) => `the ${what} ${JSON.stringify(name)} pools ${count(of.length, 'model')}: ${advice}`,
    )
  const unpaired = baselines.trials.filter(({ baseline }) => baseline === null).length
  const ofTab = hasAlignment(rubric.name)
  return [
    ...notesOf({
      'no stored grade fits': trials.length === 0,
      'every judge grades the same trials: there is no overall, which would count them several times':
        judges.length > 1,
      [`several variants are counted together: ${list(variants)}; name one, or group by variant`]: isPooled,
      [`no trial has the metadata field ${JSON.stringify(group_by)}: there is nothing to group by; there are: ${list(fields) || 'none'}`]:
        isUngrouped,
      [`groups whose names differ in nothing but case, space and Unicode form: ${alike.join('; ')}`]: alike.length > 0,
      [`${count(alone.length, 'trial')} without a task${related}`]: alone.length > 0,
      [`evidence rules of several versions checked the grades (${versions.join(', ')}): check stored replies again, or differences may be of the rules`]:
        versions.length > 1,
      [`unread records are not known of ${count(uncounted, 'graded trial')}: a version that did not count them graded those`]:
        uncounted > 0,
      [`the rewards of ${count(conflicting, 'trial')} contradict each other (\`conflicting_reward\`): no reward of these is used`]:
        conflicting > 0,
      [`only ${clusters}: intervals over so few clusters are rough`]: few > 0 && few < 30,
      [`the model that ran ${count(own, 'trial')} graded its own ${own === 1 ? 'run' : 'runs'}`]: own > 0,
    }),
    ...pooled('agent', 'name one, or group by model', ofAgents),
    ...pooled('judge', 'report their batches one by one', ofJudges),
    ...notesOf({
      [`runs of variant ${BASELINE_VARIANT} (${runs.length}) are in C (cue_utilization) and resolution alone`]:
        ofTab && runs.length > 0,
      [`the Terminal-Bench run of ${unpaired} of ${count(trials.length, 'trial')} is not known: such trials are not in C (cue_utilization) and T (alignment)`]:
        ofTab && unpaired > 0,
    }),
    ...(ofTab ? baselines.warnings : []),
  ]
}

/** Writes a name as readers take it: without case, space and invisible characters. */
const plainName = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}\s]+/gu, '')

/** Lists the names that have several values, with the values in order. */
function severalOf(pairs: readonly (readonly [name: string | null, value: string | null])[]) {
  return [...Map.groupBy(pairs, ([name]) => name)].flatMap(([name, own]): [name: string, values: string[]][] => {
    const values = [...new Set(own.map(([, value]) => value ?? ''))].sort()
    return name !== null && values.length > 1 ? [[name, values]] : []
  })
}

/** Lists the first ten names, quoted, because metadata can hold any text. */
const list = (names: readonly string[]): string =>
  [...names.slice(0, 10).map((name) => JSON.stringify(name)), ...(names.length > 10 ? ['…'] : [])].join(', ')
