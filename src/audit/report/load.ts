import { type GradeStore, isOwnBatch } from '../../db/grades.ts'
import { defined, type Issue } from '../../domain/result.ts'
import { claimsOfGrade, rubricOf } from '../../domain/rubric/claim-values.ts'
import { claimsOfOutcome } from '../../domain/rubric/outcome.ts'
import type { Scalar } from '../../domain/rubric/rubric.ts'
import { count, notesOf } from '../../domain/words.ts'
import { RequestError } from '../../schemas/problem.ts'
import type { Review } from '../../schemas/review.ts'
import { BASELINE_VARIANT, PROVENANCES } from '../../schemas/vocabulary.ts'
import { type Judged, tallyEvidence } from '../evidence-agreement.ts'
import { isOfAgent, reviewsOf, standingReviews } from '../reviews.ts'
import {
  evidenceOf,
  fitsTrial,
  isCanary,
  nameIn,
  newestOf,
  type QuestionContext,
  readTrials,
  subjectOf,
  type Trial,
} from '../trials.ts'
import {
  type BaselineRun,
  hasAlignment,
  type ReportInput,
  type ReportRubric,
  type TrialReview,
  type TrialRow,
} from './rows.ts'

type ReportFilter = {
  readonly [Name in 'judge' | 'rubric' | 'batch' | 'agent' | 'model' | 'task' | 'variant']?: string | undefined
}

/** Loads the trials of a report as small rows: those that fit the filter, in one pass, then one pass over the reviews. */
export async function loadReport(
  context: QuestionContext,
  filter: ReportFilter,
  groupBy: string,
  rubricOf: (name: string | null) => ReportRubric,
): Promise<ReportInput> {
  const { selected, fields, judges, rubrics, baselines, notes } = await findTrials(context, filter, groupBy)
  const several = [...oneOf('judge', groupBy === 'judge' ? [] : judges), ...oneOf('rubric', rubrics)]
  if (several.length > 0) throw new RequestError('several_graders', SEVERAL_GRADERS, { errors: several })
  const [name = null] = rubrics
  const rubric = rubricOf(name)
  const isNarrow = [filter.judge, filter.rubric, filter.batch].some((one) => one !== undefined)
  if (hasAlignment(rubric.name) && isNarrow && selected.some(({ row }) => row.terminal_bench_resolved === null))
    await addBaselines(context, filter, baselines)
  const subjectOfTrial = (question: string) => subjectOf(question, rubric.name)
  const subjects = new Map(selected.map(({ question }) => [subjectOfTrial(question), question]))
  const reviews = await reviewsOf(context.stores.reviews, subjects)
  const given = await readInstructions(context.stores.grades, selected, rubric)
  const evidence = tallyEvidence()
  for (const own of Map.groupBy(newestOf(selected, byJudge), ({ question }) => question).values())
    evidence.count(own.flatMap(({ judged }) => judged ?? []).sort((a, b) => (a.rater < b.rater ? -1 : 1)))
  let unsettled = 0
  const trials = selected.map(({ question, grade_id, row }): TrialRow => {
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
  })
  return {
    ...{ trials, baselines: [...baselines.values()], fields: [...fields].sort(), rubric, found: name },
    notes: [...notes, ...more],
    evidence_agreement: evidence.list(),
  }
}

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
interface SelectedTrial extends Pick<Trial, 'question' | 'given' | 'status'> {
  readonly grade_id: string | null
  readonly row: TrialRow
  readonly judged: Judged | null
  readonly is_canary: boolean
}

type Baselines = Map<string, BaselineRun>

/**
 * Finds the trials of a batch with their end in it; else standing grades, each question of a judge once. Terminal-Bench runs of a rubric with
 * TAB's figures are kept apart, by question; other rubrics grade such runs like any other. Judges and rubrics are those of all grades that fit, also
 * where another grade of the question counts.
 */
async function findTrials(context: QuestionContext, { variant, ...given }: ReportFilter, groupBy: string) {
  const filter = defined(given)
  const [judges, rubrics, fields] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const baselines: Baselines = new Map()
  const all: SelectedTrial[] = []
  let ended = 0
  for await (const trial of readTrials(context, filter)) {
    ended++
    if (!fitsTrial(trial, filter)) continue
    const row = rowOf(trial, groupBy)
    if (row.variant === BASELINE_VARIANT && hasAlignment(trial.rubric) && variant !== BASELINE_VARIANT) {
      addBaseline(baselines, trial.question, row)
      continue
    }
    if (variant !== undefined && row.variant !== variant) continue
    judges.add(trial.judge)
    rubrics.add(trial.rubric)
    for (const [name, value] of Object.entries(trial.metadata)) if (value !== null) fields.add(name)
    const { question, given: known, status, grade } = trial
    const judged = grade && { rater: trial.judge, ...evidenceOf(grade, rubricOf(context.rubrics, trial.rubric)) }
    all.push({ question, given: known, status, grade_id: grade?.id ?? null, row, judged, is_canary: isCanary(trial) })
  }
  const found = { judges, rubrics, fields, baselines }
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

const byJudge = ({ question, row }: SelectedTrial): string => `${question}/${row.judge}`

/** Adds the Terminal-Bench runs of any judge and batch, of which only the measured signals count. */
async function addBaselines(context: QuestionContext, { agent, model, task }: ReportFilter, baselines: Baselines) {
  for await (const trial of readTrials(context, defined({ agent, model, task }))) {
    const row = rowOf(trial, 'none')
    if (row.variant === BASELINE_VARIANT) addBaseline(baselines, trial.question, row)
  }
}

function addBaseline(baselines: Baselines, question: string, row: BaselineRun): void {
  const { agent, model, task, run_index, resolved } = row
  if (!baselines.has(question)) baselines.set(question, { agent, model, task, run_index, resolved })
}

function rowOf(trial: Trial, groupBy: string): TrialRow {
  const { question, judge, status, failure, label, grade, signals } = trial
  const { appeared = null, executed = null, resolved = null } = signals
  const metadata: Readonly<Record<string, unknown>> = trial.metadata
  // Lists have no share.
  const claims = Object.entries((grade && claimsOfGrade(grade)) ?? {}).filter(
    (claim): claim is [string, Scalar] => claim[1] === null || typeof claim[1] !== 'object',
  )
  const baseline = metadata['terminal_bench_resolved']
  const conflicting_reward = metadata['conflicting_reward'] === true
  return {
    ...{ judge, status, label, failure: failure?.code ?? null, appeared, executed, given: [], review: null },
    judge_model: grade?.receipt.model_requested ?? null,
    evidence_version: grade?.receipt.versions.evidence ?? null,
    agent: nameIn(metadata['agent']),
    model: nameIn(metadata['model']),
    variant: nameIn(metadata['variant']),
    task: nameIn(metadata['task']),
    key: keyOf(trial, groupBy),
    run: question.slice(0, question.indexOf('/')),
    run_index: trial.metadata.run_index ?? null,
    claims: Object.fromEntries(label === null ? claims.filter(([, value]) => value === null) : claims),
    citations: grade?.citations.map((citation) => citation.status) ?? [],
    confidence: grade?.confidence.reported ?? null,
    contradicted: (grade?.contradictions.length ?? 0) > 0,
    unread: grade?.receipt.unread === undefined ? null : grade.receipt.unread.records > 0,
    resolved: conflicting_reward ? null : resolved,
    conflicting_reward,
    terminal_bench_resolved: typeof baseline === 'boolean' ? baseline : null,
  }
}

/** Returns the group of a trial: the judge, the observed category of surface, or a field of the metadata as a text. */
function keyOf({ judge, rubric, label, grade, metadata }: Trial, by: string): string | null {
  if (by === 'judge') return judge
  const surface = grade?.surface
  if (by === 'surface' && (surface || hasAlignment(rubric)))
    return label !== null && surface?.observed ? surface.category : null
  return nameIn(String(Object.entries(metadata).find(([name]) => name === by)?.[1] ?? ''))
}

/**
 * Settles a question: the label that more than half of its raters gave, undecided raters included, and each claim likewise; null without one.
 *
 * @param standing the newest review of each rater.
 * @param gradeId the grade whose label is corrected, or null: of a sample stratified by another grade's label only the chance holds.
 */
export function settleReviews(
  standing: readonly Review[],
  rubric: ReportRubric,
  gradeId: string | null,
  all: readonly Review[] = standing,
): TrialReview | null {
  const human = majority(standing.map(({ label }) => label)) ?? null
  if (human === null) return null
  // The sampling of a question stays true when its label is replaced: the sample must not lose contested questions.
  const samplings = new Map(
    all.map(({ sampling, grade_id }) => {
      const { design, probability = null } = sampling ?? { design: 'chosen' }
      const is_stale = design === 'stratified' && grade_id !== gradeId
      const drawn = { design: is_stale && probability === null ? 'chosen' : design, probability, is_stale } as const
      return [JSON.stringify(drawn), drawn]
    }),
  )
  const blind = standing.every((review) => review.blind)
  return { human, claims: settleClaims(standing, rubric), samplings: [...samplings.values()], blind }
}

/** Returns the value of more than half of the values; undefined without one. */
const majority = <T>(values: readonly T[]): T | undefined =>
  [...new Set(values)].find((value) => values.filter((other) => other === value).length * 2 > values.length)

/** Settles the claims: a reviewer's label decides a claim, else the review's own claims. */
function settleClaims(standing: readonly Review[], rubric: ReportRubric): TrialReview['claims'] {
  const answers = standing.map(
    ({ label, claims }): ReadonlyMap<string, Scalar> =>
      new Map(Object.entries({ ...claims, ...(label !== null && claimsOfOutcome(rubric, label)) })),
  )
  return Object.fromEntries(
    rubric.claims.flatMap(({ id }) => {
      const value = majority(answers.map((answer) => answer.get(id)))
      return value === undefined ? [] : [[id, value]]
    }),
  )
}
