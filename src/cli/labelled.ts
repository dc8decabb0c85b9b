import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TrialItem } from '../archives/trials/reading-job.ts'
import { digestValue } from '../domain/digest.ts'
import type { Answer as HumanAnswer, JudgedItem, Question } from '../domain/statistics/validation.ts'
import type { Batch, BatchResult } from '../schemas/batch.ts'
import { inputIssues } from '../schemas/check.ts'
import type { Certificate } from '../schemas/documents.ts'
import type { Grade } from '../schemas/grade.ts'
import type { RubricView } from '../schemas/rubric.ts'
import type { GradeRequest } from '../schemas/trial.ts'
import { Choice, Closed, Type } from '../schemas/type.ts'
import { CliError } from './errors.ts'
import type { Options } from './options.ts'
import { inOrder } from './output/output-target.ts'
import { oneLine } from './output/text.ts'
import type { Session } from './session.ts'
import { readTrialsOf, requireNames, type Trial } from './trials.ts'

/** The label of a run by a person, in the words of the rubric of the judges. */
export interface HumanLabel {
  readonly outcome?: HumanAnswer
  readonly claims?: Readonly<Record<string, HumanAnswer>>
}

/** The labels of people by the names of their runs. */
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

  /**
   * Passes on the trials of labelled runs; a faulty line is skipped. Throws at the end, which precedes the begin of the batch, for labels that do not
   * fit the questions, for a file that is cut off, and for runs and a rubric other than those of the earlier certificate.
   */
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

/** Returns the fault of the name or the label of a run; empty for a labelled run. */
function faultOf({ item_id, human }: Trial, labels: Labels): string {
  if (item_id === undefined) return '/item_id: is missing'
  if (labels.has(item_id)) return `/item_id: ${item_id} is the name of an earlier line, too`
  const isLabel = typeof human === 'object' && human !== null && Object.keys(human).length > 0
  return isLabel ? '' : '/human: must be {"outcome": label}, {"claims": {id: value}} or both'
}

/** Throws for other data or another rubric. */
export function requireComparable(earlier: Certificate, { data, rubric }: Subject): void {
  const refuse = (why: string) => new CliError(`not comparable with ${oneLine(earlier.data.name)}: ${oneLine(why)}`)
  if (earlier.data.digest !== data.digest) throw refuse('its items are other items')
  if (earlier.rubric.digest !== rubric.digest) throw refuse(`the rubric ${earlier.rubric.name} has another text`)
}

/** Lists the questions of a rubric: its outcome, then its claims. */
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

/** Makes the schema of the labels of people. */
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

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))

/** Reads the bundled examples, in the order of their names. */
export function readBundled() {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).sort()
  return names.map((name) => {
    const read = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, name, file), 'utf8'))
    const request: GradeRequest = { trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') }
    return { name, request, expected: read('expected.json') as Pick<Grade, 'label' | 'status'> & { why: string } }
  })
}
