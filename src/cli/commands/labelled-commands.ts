import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import { digestValue } from '../../domain/digest.ts'
import { fallOver } from '../../domain/statistics/trend.ts'
import type { Answer as HumanAnswer, JudgedItem, Question } from '../../domain/statistics/validation.ts'
import { answersTo } from '../../domain/statistics/validation.ts'
import { sum } from '../../domain/statistics/weighted-shares.ts'
import { count } from '../../domain/words.ts'
import type { Batch, BatchResult } from '../../schemas/batch.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { Certificate } from '../../schemas/documents.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import { Choice, Closed, Type } from '../../schemas/type.ts'
import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import { watchToEnd } from '../follow.ts'
import { JUDGING_CANARIES, type Options, settingsOf } from '../options.ts'
import { inOrder } from '../output/screen.ts'
import { clip, oneLine, present, tableOf, tally } from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'
import { CliError, EXIT, type ExitCode } from '../shell.ts'
import { checkPaths, NO_COUNTS, readBundled, readTrialsOf, requireNames, sift, type Trial } from '../trials.ts'

const BUNDLED = 'examples'

export const canary = sessionCommand<Options, [set?: string]>('canary', {
  args: { '[set]': `NDJSON, a labelled run a line, as validate takes; default: ${BUNDLED}, the bundled ones` },
  options: JUDGING_CANARIES,
  database: 'make',
  work: (session, options, set = BUNDLED) => gradeCanaries(session, options, set),
})

/** Runs that are shown and tested together: `fallOver` counts the orders of the runs out. */
const MOST_RUNS = 6
/** The test of confidence over the runs takes the square of their number. */
const MOST_CANARIES = 500
const ALPHA = 0.05

async function gradeCanaries(session: Session, options: Options, set: string): Promise<Answer> {
  const { veridict, signal, view } = session
  const rubric = await rubricOf(session, set === BUNDLED ? { rubric: 'tab-behavior', ...options } : options, set)
  const { items, labels, digest } = await readSet(session, set, rubric)
  const judge = options.judge ?? (await veridict.listJudges()).items.find((one) => one.default)?.name ?? ''
  const { samples = 1 } = options
  const identity = JSON.stringify([digest, rubric.digest, judge, samples])
  const key = `canary ${createHash('sha256').update(identity).digest('hex')}`
  const { items: earlier } = await veridict.batches({ key, status: 'done', limit: MOST_RUNS - 1 })
  const asked = { ...settingsOf(options), ...(judge !== '' && { judge }), rubric: rubric.name, key, signal }
  const fresh = { cache: 'refresh', mode: 'direct', again: true, name: `canary ${basename(set)}` } as const
  const begun = await veridict.createBatch(items, { ...asked, ...fresh })
  const runs: Run[] = []
  for (const batch of [...earlier.toReversed(), await watchToEnd(session, begun)])
    runs.push(runOf(batch, await readJudged(session, batch, labels), runs.at(-1)?.labels))
  view.end()
  return answerOf(runs, { set: basename(set), items: items.length, judge, rubric: rubric.name, samples })
}

async function readSet(session: Session, set: string, rubric: RubricView) {
  if (set !== BUNDLED) await checkPaths([set])
  const { labels, subject, read } = labelledRuns(set, rubric)
  const trials = set === BUNDLED ? bundledTrials() : readTrialsOf(session, [set], { rubric: rubric.name })
  const items = []
  const counts = { ...NO_COUNTS }
  for await (const { item_id = '', request, trajectory } of sift(read(trials), counts, session.view))
    items.push({ item: { item_id, ...request, metadata: { ...request.metadata, canary: basename(set) } }, trajectory })
  if (items.length > MOST_CANARIES)
    throw new CliError(`${oneLine(set)} has ${items.length} canaries, and at most ${MOST_CANARIES} are graded`)
  const [bare] = [...labels].flatMap(([name, { human }]) => (human['outcome'] === undefined ? [name] : []))
  if (counts.skipped + counts.files === 0 && bare === undefined && items.length > 0)
    return { items, labels, digest: subject.data.digest }
  const unlabelled = `${clip(bare ?? '', 80)} has no label: add "human": {"outcome": "LABEL"}`
  const why = bare === undefined ? 'each line is a labelled run' : unlabelled
  const advice = '`veridict validate --help` describes such a file.'
  throw new CliError(`${oneLine(set)} is no set of canaries: ${why}`, [advice])
}

const bundledTrials = (): TrialItem[] =>
  readBundled().flatMap(({ name, request, expected: { label } }): TrialItem[] => {
    const human = { outcome: label }
    if (label === null) return []
    return [{ kind: 'trial', name, item_id: name, source: name, human, request, trajectory: null, warnings: [] }]
  })

type Run = ReturnType<typeof runOf>

/** Sums up the answers of a judge to the set at one time. `before`: the labels of the run before; null: an answer without a label. */
function runOf({ id, created_at }: Batch, judged: readonly Judged[], before?: ReadonlyMap<string, string | null>) {
  const answered = judged.filter(({ status }) => status === 'graded' || status === 'unverified')
  const answers = answered.map((one) => ({ ...one, ...answersTo('outcome', [one])[0] }))
  const labels = new Map(answers.map(({ item, judge = null }) => [item, judge === null ? null : String(judge)]))
  /** By item: 1 low to 3 high, 0 without a label. */
  const levels = new Map(
    answered.map(({ item, status, confidence }) => {
      return [item, status === 'graded' ? CONFIDENCE_LEVELS.indexOf(confidence ?? 'low') + 1 : 0]
    }),
  )
  const all = [...levels.values()]
  const [none, low, medium, high] = [0, 1, 2, 3].map((level) => all.filter((one) => one === level).length)
  const row = {
    ...{ batch: id, at: created_at },
    models: [...new Set(answered.map(({ grade }) => modelOf(grade?.receipt)))].sort(),
    right: answers.filter(({ right }) => right === true).length,
    failed: judged.length - answered.length,
    contradictions: answered.filter(({ grade }) => (grade?.contradictions.length ?? 0) > 0).length,
    wrong: answers.flatMap(({ item, right }) => (right === true ? [] : [item])),
    flipped: [...labels].flatMap(([item, label]) => ((before?.get(item) ?? label) === label ? [] : [item])),
    answered: labels.size,
    confidence: { low, medium, high, none },
    mean_confidence: all.length === 0 ? null : sum(all) / all.length,
  }
  return { row, labels, levels }
}

const modelOf = (receipt?: Grade['receipt']): string =>
  receipt?.model_resolved ?? (receipt?.provider === null ? 'no model' : 'unnamed')

const TABLE = tableOf<Run['row']>([
  ['run', 24, ({ at }) => at],
  ['model', 30, ({ models }) => clip(models.join(', '), 30)],
  ['right', 9, ({ right, answered }) => `${right} of ${answered}`],
  ['confidence', 38, ({ confidence }) => tally(confidence)],
  ['mean', 5, ({ mean_confidence: mean }) => mean?.toFixed(2) ?? '–'],
  ['contradicted', 12, ({ contradictions }) => String(contradictions)],
  ['flips', 5, ({ flipped }) => String(flipped.length)],
  ['wrong', 5, ({ wrong }) => String(wrong.length)],
  ['failed', 0, ({ failed }) => String(failed)],
])

function answerOf(runs: readonly Run[], subject: Readonly<Record<string, string | number>>): Answer {
  const rows = runs.map(({ row }) => row)
  const items = new Set(runs.flatMap(({ levels }) => [...levels.keys()]))
  const { fell, rose, p } = fallOver([...items].map((item) => runs.flatMap(({ levels }) => levels.get(item) ?? [])))
  const slide = { runs: runs.length, fell, rose, p, slides: p <= ALPHA }
  const { flipped = [], wrong = [], failed = 0 } = rows.at(-1) ?? {}
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? '' : `${what}: ${names.map(oneLine).join(', ')}`
  const changes = present([
    failed > 0 ? `${count(failed, 'canary', 'canaries')} without an answer: the judge failed` : '',
    named('another label than in the last run', flipped),
    named('no label, or another than the known one', wrong),
    slide.slides ? 'confidence slides' : '',
  ])
  const test = `confidence over ${count(runs.length, 'run')}: ${fell} fell, ${rose} rose; one-sided exact p = ${p.toPrecision(2)}`
  const code: ExitCode = failed > 0 ? EXIT.failed : changes.length > 0 ? EXIT.unverified : EXIT.graded
  const well = runs.length === 1 ? 'as known; no run was before' : 'as before, and as known'
  return {
    data: { ...subject, runs: rows, slide, ok: code === EXIT.graded, changes },
    text: `${TABLE.head()}${rows.map(TABLE.row).join('')}\n${test}\n${changes.join('\n') || `the judge answers ${well}`}\n`,
    code,
  }
}

export async function requireCanaries(session: Session, options: Options, set: string): Promise<void> {
  const { text = '', data, code = EXIT.graded } = await gradeCanaries(session, options, set)
  session.view.note(text.trimEnd())
  if (code === EXIT.graded) return
  const { changes } = data as { readonly changes: readonly string[] }
  throw new CliError('no batch was made: its canaries fail', changes, code, 'canaries_failed')
}

/** The label of a run by a person, in the words of the rubric of the judges. */
export type HumanLabel = Readonly<{ outcome?: HumanAnswer; claims?: Readonly<Record<string, HumanAnswer>> }>

type Labels = ReadonlyMap<string, Pick<JudgedItem, 'group' | 'cluster' | 'human'>>
type Subject = Pick<Certificate, 'data' | 'rubric'>
const MOST_FAULTS = 20

/** Reads the rubric of the options, else of the first labelled run that names one. Refuses unknown names first. */
export async function rubricOf(session: Session, options: Options, file: string): Promise<RubricView> {
  await requireNames(session, options)
  if (options.rubric !== undefined) return session.veridict.readRubric(options.rubric, session)
  for await (const item of readTrialsOf(session, [file], {}))
    if (item.kind === 'trial' && item.request.rubric !== undefined)
      return session.veridict.readRubric(item.request.rubric, session)
  throw new CliError(`which rubric? No labelled run of ${oneLine(file)} names one`, [
    'Give --rubric ID; `veridict rubrics` lists the ids.',
  ])
}

/** Makes the reader of the labelled runs of a file, whose labels and facts are known once all runs are read. */
export function labelledRuns(file: string, rubric: RubricView, earlier: Certificate | null = null) {
  const labels = new Map<string, Pick<JudgedItem, 'group' | 'cluster' | 'human'>>()
  const questions = questionsOf(rubric)
  const subject: Subject = {
    data: { name: file, items: 0, skipped: 0, digest: '' },
    rubric: { name: rubric.name, digest: rubric.digest },
  }
  const schema = schemaOf(questions)
  const hash = createHash('sha256')
  const faults: string[] = []

  /** Keeps the label of a run; skips a run without one. A certificate is of one rubric, one judge and one number of samples: those of the line are left out. */
  function keep({ human, ...trial }: Trial): TrialItem {
    const fault = faultOf({ ...trial, human }, labels)
    if (fault !== '') return { ...trial, kind: 'skipped', reason: 'unreadable', detail: fault }
    const { name, source, request } = trial
    const { metadata, trajectory, ground_truth } = request
    const { outcome, claims } = human as HumanLabel
    const group = metadata?.variant || null
    hash.update(digestValue({ name, trajectory, ground_truth, human, group }))
    for (const { path, message } of inputIssues(schema, human))
      faults.push(oneLine(`${source}  ${name}  /human${path}: ${message}`))
    const answers = { ...(outcome !== undefined && { outcome }), ...claims }
    labels.set(name, { group, cluster: metadata?.task ?? null, human: answers })
    return { ...trial, request: { trajectory, ground_truth, ...(metadata && { metadata }) } }
  }

  /** Passes on the labelled runs. Throws at the end, before the batch begins, for labels, a file or a rubric that do not fit. */
  async function* read(items: AsyncIterable<TrialItem> | Iterable<TrialItem>): AsyncGenerator<TrialItem> {
    let last: TrialItem | null = null
    for await (const item of items) {
      last = item.kind === 'trial' ? keep(item) : item
      if (last.kind === 'skipped') subject.data.skipped++
      yield last
    }
    if (last?.kind === 'skipped' && last.detail.endsWith('is not JSON'))
      throw new CliError(`${oneLine(file)} is cut off: its last line, ${last.detail}`, [
        'Get the whole file, or remove that line.',
      ])
    if (faults.length > 0)
      throw new CliError('the labels of people do not fit the rubric', faults.slice(0, MOST_FAULTS))
    Object.assign(subject.data, { items: labels.size, digest: `sha256:${hash.digest('hex')}` })
    if (earlier !== null) requireComparable(earlier, subject)
  }
  return { labels, questions, subject, read }
}

function faultOf({ item_id, human }: Trial, labels: Labels): string {
  if (item_id === undefined) return '/item_id: is missing'
  if (labels.has(item_id)) return `/item_id: ${item_id} is the name of an earlier line, too`
  const isLabel = typeof human === 'object' && human !== null && Object.keys(human).length > 0
  return isLabel ? '' : '/human: must be {"outcome": label}, {"claims": {id: value}} or both'
}

export function requireComparable(earlier: Certificate, { data, rubric }: Subject): void {
  const refuse = (why: string) => new CliError(`not comparable with ${oneLine(earlier.data.name)}: ${oneLine(why)}`)
  if (earlier.data.digest !== data.digest) throw refuse('its items are other items')
  if (earlier.rubric.digest !== rubric.digest) throw refuse(`the rubric ${earlier.rubric.name} has another text`)
}

function questionsOf({ claims, outcome }: Pick<RubricView, 'claims' | 'outcome'>): Question[] {
  const labels = outcome.table?.map(({ label }) => label) ?? claims.find(({ id }) => id === outcome.label)?.values ?? []
  const type = outcome.sum === undefined ? 'enum' : 'integer'
  return [
    { id: 'outcome', type, values: [...new Set(labels)] },
    ...claims.flatMap(({ id, type: own, values }): Question[] =>
      own === 'list' ? [] : [{ id, type: own, values: own === 'boolean' ? ['true', 'false'] : [...values] }],
    ),
  ]
}

function schemaOf(questions: readonly Question[]) {
  const answers = questions.map((question) => [question.id, Type.Optional(answerTo(question))])
  const { outcome, ...claims } = Object.fromEntries(answers)
  const some = { minProperties: 1 }
  return Closed({ ...(outcome && { outcome }), claims: Type.Optional(Closed(claims, some)) }, some)
}

function answerTo({ type, values }: Question) {
  if (type === 'boolean') return Type.Boolean()
  if (values.length > 0) return Choice([...values])
  return type === 'agent' || type === 'text' || type === 'enum' ? Type.String({ minLength: 1 }) : Type.Integer()
}

export type Judged = JudgedItem & { readonly grade: Grade | null }

/** Reads the results of a batch with their grades, and joins the labels of people. */
export async function readJudged(session: Session, batch: Batch, labels: Labels): Promise<Judged[]> {
  const { veridict, signal, view } = session
  const judged: Judged[] = []
  const read = async ({ item_id: item, status, grade_id }: BatchResult) => {
    const grade = grade_id === null ? null : await veridict.readGrade(grade_id, { signal })
    const claimed = { ...grade?.claims, ...(grade !== null && { outcome: grade.outcome ?? grade.claimed_label }) }
    const label = labels.get(item)
    return label && { ...label, item, status, claimed, confidence: grade?.confidence.reported ?? null, grade }
  }
  for await (const item of inOrder(veridict.results(batch.id, { signal }), read)) {
    if (item !== undefined) judged.push(item)
    view.doing(`comparing: ${judged.length} of ${batch.counts.total}`)
  }
  return judged
}
