import { type GradeStore, isOwnBatch } from '../../db/grades.ts'
import { defined, type Issue } from '../../domain/result.ts'
import { findRubric, rubricOf } from '../../domain/rubric/claims.ts'
import { count, notesOf } from '../../domain/words.ts'
import { DEFAULT_DRAWS, DEFAULT_SEED } from '../../schemas/agreement.ts'
import { faultAt, RequestError } from '../../schemas/problem.ts'
import type { ReportQuery } from '../../schemas/queries.ts'
import type { Report } from '../../schemas/report.ts'
import type { NamedBy } from '../../schemas/views.ts'
import { BASELINE_VARIANT, PROVENANCES } from '../../schemas/vocabulary.ts'
import { tallyEvidence } from '../clashes.ts'
import { type AuditContext, requireNames } from '../names.ts'
import { isOfAgent, reviewsOf, standingReviews } from '../reviews.ts'
import type { Compute } from '../statistics-worker.ts'
import { evidenceOf, fitsTrial, isCanary, newestOf, readTrials, subjectOf } from '../trials.ts'
import type { PairOptions } from './group.ts'
import type { BaselineRun, ReportInput, ReportRubric, TrialRow } from './rows.ts'
import { hasAlignment, rowOf, settleReviews } from './rows.ts'

/** Bounds draws times trials, of which a report resamples some 50 figures, to about ten seconds. */
const MOST_RESAMPLED = 40_000_000
const MOST_GROUPS = 1000
/** Values of `group_by` that stand for themselves, also where no trial has them. */
const GROUPINGS = ['agent', 'model', 'task', 'trial', 'run_index', 'variant', 'judge', 'surface', 'none']

/** Makes a report of stored grades. Throws a RequestError for names and options that do not fit. */
export async function makeReport(context: AuditContext, compute: Compute, query: ReportQuery): Promise<Report> {
  const { group_by = 'agent', draws: asked, seed = DEFAULT_SEED } = query
  const pair = pairOf(query)
  const { judge, rubric, batch, agent, model, task, variant } = query
  const filter = defined({ judge, rubric, batch, agent, model, task, variant })
  await requireNames(context, filter)
  const input = await loadReport(context, filter, group_by)
  const { trials } = input
  const groupings = new Set([...input.fields, ...GROUPINGS])
  if (trials.length > 0 && !groupings.has(group_by))
    throw invalid('group_by', `names no field of these trials; there are: ${[...groupings].join(', ')}`)
  const tooMany = `${group_by} has more than ${MOST_GROUPS} values: name a field with fewer, or select fewer trials`
  if (new Set(trials.map(({ key }) => key)).size > MOST_GROUPS) throw invalid('group_by', tooMany)
  const { measuresOf } = await import('./group.ts')
  const measures = measuresOf(input.rubric, trials)
  if (pair !== null && pair.measure !== null && !measures.has(pair.measure))
    throw invalid('measure', `is not known of ${input.rubric.name}; there are: ${[...measures.keys()].join(', ')}`)
  const most = Math.floor(MOST_RESAMPLED / Math.max(1, trials.length))
  if (asked !== undefined && asked > most) throw invalid('draws', `at most ${most} draws for so many trials`)
  const draws = Math.max(100, Math.min(asked ?? DEFAULT_DRAWS, most))
  return compute('report', { input, options: { group_by, draws, seed, pair } })
}

function pairOf({ pair_by, base, head, measure, ...filter }: ReportQuery): PairOptions | null {
  if (pair_by === undefined) {
    for (const [name, value] of Object.entries({ base, head, measure }))
      if (value !== undefined) throw invalid(name, 'needs `pair_by`')
    return null
  }
  if (base === undefined) throw invalid('base', 'is needed with `pair_by`')
  if (head === undefined) throw invalid('head', 'is needed with `pair_by`')
  if (base === head) throw invalid('head', 'is the same as `base`')
  if (filter[pair_by] !== undefined) throw invalid(pair_by, 'cannot be fixed while pairing by it')
  return { by: pair_by, base, head, measure: measure ?? null }
}

const invalid = (name: string, message: string): RequestError =>
  faultAt(`/${name}`, message, 'invalid_request', `\`${name}\` ${message}`)

type ReportFilter = Pick<ReportQuery, NamedBy | 'batch' | 'variant'>

/** Loads the trials of a report as small rows: those that fit the filter, in one pass, then one pass over the reviews. */
async function loadReport(context: AuditContext, filter: ReportFilter, groupBy: string): Promise<ReportInput> {
  const { selected, fields, judges, rubrics, notes } = await findTrials(context, filter, groupBy)
  const several = [...oneOf('judge', groupBy === 'judge' ? [] : judges), ...oneOf('rubric', rubrics)]
  if (several.length > 0) throw new RequestError('several_graders', SEVERAL_GRADERS, { errors: several })
  const [name = null] = rubrics
  const asked = name ?? filter.rubric ?? context.default_rubric
  // Of a rubric that is not loaded only the given labels are known.
  const rubric: ReportRubric = findRubric(context.rubrics, asked) ?? { name: asked, claims: [], outcome: NO_OUTCOME }
  const needsRuns = hasAlignment(rubric.name) && selected.some(({ row }) => row.terminal_bench_resolved === null)
  const baselines = needsRuns ? await readBaselines(context, filter) : []
  const subjectOfTrial = (question: string) => subjectOf(question, rubric.name)
  const subjects = new Map(selected.map(({ question }) => [subjectOfTrial(question), question]))
  const reviews = await reviewsOf(context.stores.reviews, subjects)
  const given = await readInstructions(context.stores.grades, selected, rubric)
  const evidence = tallyEvidence()
  for (const own of Map.groupBy(newestOf(selected, byJudge), ({ question }) => question).values())
    evidence.count(own.flatMap(({ judged }) => judged ?? []).sort((a, b) => (a.rater < b.rater ? -1 : 1)))
  let unsettled = 0
  const trials: readonly TrialRow[] = selected.map(({ question, grade_id, row }) => {
    const all = (reviews.get(subjectOfTrial(question)) ?? []).filter((review) => !isOfAgent(review))
    const review = settleReviews(standingReviews(all), rubric, grade_id, all)
    if (review === null && all.length > 0) unsettled++
    return { ...row, review, given: given.get(truthOf(question)) ?? [] }
  })
  const runs = Map.groupBy(new Set(selected.map(({ question }) => question)), (question) => question.split('/')[0])
  const doubled = [...runs.values()].filter(({ length }) => length > 1).length
  const labels = [...reviews.values()].flatMap(standingReviews).filter(({ label }) => label !== null)
  const byProvenance = PROVENANCES.flatMap((name) => {
    const n = labels.filter(({ provenance = 'human' }) => provenance === name).length
    return n === 0 ? [] : [`${name} ${n}`]
  })
  const more = notesOf({
    [`${count(doubled, 'trajectory is', 'trajectories are')} stored with several ground truths: each counts as a trial`]:
      doubled > 0,
    [`the reviews of ${count(unsettled, 'trial')} have no label that more than half of the raters share: they are not used`]:
      unsettled > 0,
    [`labels of the reviews by provenance: ${byProvenance.join(' · ')}; nothing is corrected by labels that an agent made`]:
      labels.some(({ provenance = 'human' }) => provenance !== 'human'),
    [`the rubric ${JSON.stringify(name)} is not loaded: the report knows the labels that were given, and no claims`]:
      name !== null && !context.rubrics.has(name),
  })
  return {
    ...{ trials, baselines, fields: [...fields].sort(), rubric, found: name },
    notes: [...notes, ...more],
    evidence_agreement: evidence.list(),
  }
}

const NO_OUTCOME = { kind: 'table', scale: 'nominal', labels: [], rows: [], claims: [] } as const
const SEVERAL_GRADERS = 'the selected trials were graded by several judges or rubrics, and would count several times'

/** Lists the names of several judges or rubrics, to choose from: a trial must count once. */
const oneOf = (name: string, names: Iterable<string>): Issue[] => {
  const sorted = [...names].sort()
  return sorted.length > 1 ? [{ path: `/${name}`, message: `is needed, one of: ${sorted.join(', ')}` }] : []
}

const truthOf = (question: string): string => question.slice(question.indexOf('/') + 1)

/** Reads the instructions of each ground truth, where a claim depends on them. Each truth is read once: tasks share few. */
async function readInstructions(grades: GradeStore, selected: readonly SelectedTrial[], { claims }: ReportRubric) {
  const instructions = new Map<string, readonly string[]>()
  if (claims.every((claim) => claim.only_if_given === null)) return instructions
  for (const { question, given, grade_id } of selected) {
    const truth = truthOf(question)
    if (instructions.has(truth) || (given === null && grade_id === null)) continue
    instructions.set(truth, given ?? Object.keys((await grades.getGroundTruth(grade_id ?? '')) ?? {}))
  }
  return instructions
}

/** A trial before its reviews are read. */
type SelectedTrial = Awaited<ReturnType<typeof findTrials>>['selected'][number]

/** Finds the trials of a batch, else standing grades, each question of a judge once, with the judges and rubrics of all that fit. */
async function findTrials(context: AuditContext, { variant, ...filter }: ReportFilter, groupBy: string) {
  const [judges, rubrics, fields] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const all = []
  let ended = 0
  for await (const trial of readTrials(context, filter)) {
    ended++
    if (!fitsTrial(trial, filter)) continue
    const row = rowOf(trial, groupBy)
    const isBaseline = row.variant === BASELINE_VARIANT && hasAlignment(trial.rubric)
    if (variant === undefined ? isBaseline : row.variant !== variant) continue
    judges.add(trial.judge)
    rubrics.add(trial.rubric)
    for (const [name, value] of Object.entries(trial.metadata)) if (value !== null) fields.add(name)
    const { question, given: known, status, grade } = trial
    const judged = grade && { rater: trial.judge, ...evidenceOf(grade, rubricOf(context.rubrics, trial.rubric)) }
    all.push({ question, given: known, status, grade_id: grade?.id ?? null, row, judged, is_canary: isCanary(trial) })
  }
  const found = { judges, rubrics, fields }
  // A judge may have graded a question under several settings.
  const newest = newestOf(all, byJudge)
  const again = all.length - newest.length
  if (!isOwnBatch(filter.batch)) {
    const older = `${count(again, 'older grade of the same question by the same judge is', 'older grades of the same question by the same judge are')} left out`
    const canaries = newest.filter(({ is_canary }) => is_canary).length
    const watched = `the newest grades of ${count(canaries, 'trial')} are of canaries, and count: the report of a batch has its own trials alone`
    return { ...found, selected: newest, notes: notesOf({ [older]: again > 0, [watched]: canaries > 0 }) }
  }
  const total = (await context.stores.batches.get(filter.batch))?.counts.total ?? 0
  const open = total - ended
  const notes = notesOf({
    [`${open} of the ${count(total, 'trial')} of the batch ${open === 1 ? 'has not ended: it is' : 'have not ended: they are'} not counted`]:
      open > 0,
    [`${count(again, 'trial of the batch is the same, byte for byte, as another', 'trials of the batch are the same, byte for byte, as others')} of it: each counts`]:
      again > 0,
  })
  return { ...found, selected: all, notes }
}

const byJudge = ({ question, row }: { readonly question: string; readonly row: Pick<TrialRow, 'judge'> }): string =>
  `${question}/${row.judge}`

/** Reads the Terminal-Bench runs of any judge and batch, each once, of which only the measured signals count. */
async function readBaselines(context: AuditContext, filter: ReportFilter): Promise<readonly BaselineRun[]> {
  const runs = new Map<string, BaselineRun>()
  const { agent: ofAgent, model: ofModel, task: ofTask } = filter
  for await (const trial of readTrials(context, defined({ agent: ofAgent, model: ofModel, task: ofTask }))) {
    const { variant, agent, model, task, run_index, resolved } = rowOf(trial, 'none')
    const run = { agent, model, task, run_index, resolved }
    if (variant === BASELINE_VARIANT && !runs.has(trial.question)) runs.set(trial.question, run)
  }
  return [...runs.values()]
}
