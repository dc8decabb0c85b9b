import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import { digestValue } from '../../domain/digest.ts'
import type { Answer as HumanAnswer, JudgedItem, Question } from '../../domain/statistics/validation.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { Certificate } from '../../schemas/documents.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import { Choice, Closed, Type } from '../../schemas/type.ts'
import { CliError, EXIT } from '../errors.ts'
import { overBudgetText, watchToEnd } from '../follow.ts'
import { GRADING, type Options, option, output, parseShare, settingsOf } from '../options.ts'
import { jsonText } from '../output/grade-text.ts'
import { estimateAnswer } from '../output/results-format.ts'
import { oneLine, present } from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'
import { checkPaths, openTrialStream, readTrialsOf, requireNames, type Trial } from '../trials.ts'

type ValidateOptions = Options & { readonly against?: string; readonly margin: number }

export const validate = sessionCommand<ValidateOptions, [file: string]>(
  {
    name: 'validate',
    args: { '<file>': 'NDJSON, a labelled run a line' },
    options: [
      ...GRADING,
      ...output(['table', 'json'], 'a table, or the certificate'),
      option('--against <file>', 'an earlier certificate: test whether both judges are right equally often'),
      option('--margin <share>', 'the largest difference that counts as equal', parseShare, 0.05),
    ],
  },
  measure,
)

async function measure(session: Session, options: ValidateOptions, file: string): Promise<Answer> {
  const { veridict, view, signal, format } = session
  const { buildCertificate, certificateText, compareWith, comparisonText, readEarlier, readJudged } = await import(
    '../validation/certificate.ts'
  )
  const { against } = options
  await checkPaths([file], against === undefined ? [] : [against])
  const earlier = against === undefined ? null : readEarlier(against)
  await requireNames(session, options)
  const rubric = await veridict.readRubric(options.rubric ?? (await firstRubric(session, file)), { signal })
  const questions = questionsOf(rubric)
  const labels: Labels = new Map()
  const subject = {
    data: { name: basename(file), items: 0, skipped: 0, digest: '' },
    rubric: { name: rubric.name, digest: rubric.digest },
  }
  const items = readTrialsOf(session, [file], { rubric: rubric.name })
  const read = () => readLabelled(items, { labels, subject, questions, earlier })
  const sent = { ...settingsOf(options), rubric: rubric.name, signal }
  const { send } = openTrialStream(read, view)
  if (options.dry_run)
    return estimateAnswer(session, await send((items) => veridict.estimateBatch(items, sent)), options.judge)
  const batch = await watchToEnd(session, await send((items) => veridict.createBatch(items, sent)))
  const judged = await readJudged(session, batch, labels)
  const certificate = buildCertificate(judged, batch, questions, subject)
  const compared = earlier && compareWith(earlier, certificate, options.margin)
  const data = { ...certificate, ...(compared && { against: compared }) }
  const text = certificateText(certificate) + (compared ? comparisonText(compared) : '')
  const isFailed = batch.counts.failed + batch.counts.cancelled > 0
  return {
    data,
    text: format === 'json' ? jsonText(data) : text,
    notes: present([overBudgetText(batch)]),
    code: isFailed ? EXIT.failed : compared?.equivalent === false ? EXIT.unverified : EXIT.graded,
  }
}

/** Reads the rubric of the first labelled run that names one. */
export async function firstRubric(session: Session, file: string): Promise<string> {
  for await (const item of readTrialsOf(session, [file], {}))
    if (item.kind === 'trial' && item.request.rubric !== undefined) return item.request.rubric
  throw new CliError(`which rubric? No labelled run of ${oneLine(file)} names one`, [
    'Give --rubric ID; `veridict rubrics` lists the ids.',
  ])
}

/** The label of a run by a person, in the words of the rubric of the judges. */
export interface HumanLabel {
  readonly outcome?: HumanAnswer
  readonly claims?: Readonly<Record<string, HumanAnswer>>
}

const MOST_FAULTS = 20

export type Labels = Map<string, Pick<JudgedItem, 'group' | 'cluster' | 'human'>>

interface Labelled {
  /** Receives the labels by the names of their runs. */
  readonly labels: Labels
  /** Receives the facts of the data. */
  readonly subject: Pick<Certificate, 'data' | 'rubric'>
  readonly questions: readonly Question[]
  readonly earlier: Certificate | null
}

/**
 * Reads the trials of labelled runs; a faulty line is skipped. Throws at the end, which precedes the begin of the batch, for labels that do not
 * fit the questions, for a file that is cut off, and for runs and a rubric other than those of the earlier certificate.
 */
export async function* readLabelled(
  items: AsyncIterable<TrialItem>,
  { labels, subject, questions, earlier }: Labelled,
): AsyncGenerator<TrialItem> {
  const schema = schemaOf(questions)
  const hash = createHash('sha256')
  const faults: string[] = []
  let skipped = 0
  let last: TrialItem | null = null
  for await (last of items) {
    const fault = last.kind === 'trial' ? faultOf(last, labels) : ''
    if (last.kind !== 'trial' || fault !== '') {
      skipped++
      yield last.kind === 'trial' ? { ...last, kind: 'skipped', reason: 'unreadable', detail: fault } : last
      continue
    }
    const { name, source, request, human } = last as typeof last & { readonly human: HumanLabel }
    // A certificate is of one rubric, one judge and one number of samples: those of the line are left out.
    const { metadata, trajectory, ground_truth } = request
    const group = metadata?.variant || null
    hash.update(digestValue({ name, trajectory, ground_truth, human, group }))
    for (const { path, message } of inputIssues(schema, human))
      faults.push(oneLine(`${source}  ${name}  /human${path}: ${message}`))
    const answers = { ...(human.outcome !== undefined && { outcome: human.outcome }), ...human.claims }
    labels.set(name, { group, cluster: metadata?.task ?? null, human: answers })
    yield { ...last, request: { trajectory, ground_truth, ...(metadata && { metadata }) } }
  }
  if (last?.kind === 'skipped' && last.detail.endsWith('is not JSON'))
    throw new CliError(`${oneLine(subject.data.name)} is cut off: its last line, ${last.detail}`, [
      'Get the whole file, or remove that line.',
    ])
  if (faults.length > 0) throw new CliError('the labels of people do not fit the rubric', faults.slice(0, MOST_FAULTS))
  Object.assign(subject.data, { items: labels.size, skipped, digest: `sha256:${hash.digest('hex')}` })
  if (earlier !== null) requireComparable(earlier, subject)
}

/** Returns the fault of the name or the label of a run; empty for a labelled run. */
function faultOf({ item_id, human }: Trial, labels: Labels): string {
  if (item_id === undefined) return '/item_id: is missing'
  if (labels.has(item_id)) return `/item_id: ${item_id} is the name of an earlier line, too`
  const isLabel = typeof human === 'object' && human !== null && Object.keys(human).length > 0
  return isLabel ? '' : '/human: must be {"outcome": label}, {"claims": {id: value}} or both'
}

/** Throws for other data or another rubric. */
export function requireComparable(earlier: Certificate, { data, rubric }: Pick<Certificate, 'data' | 'rubric'>): void {
  const refuse = (why: string) => new CliError(`not comparable with ${oneLine(earlier.data.name)}: ${oneLine(why)}`)
  if (earlier.data.digest !== data.digest) throw refuse('its items are other items')
  if (earlier.rubric.digest !== rubric.digest) throw refuse(`the rubric ${earlier.rubric.name} has another text`)
}

/** Lists the questions of a rubric: its outcome, then its claims. */
export function questionsOf({ claims, outcome }: Pick<RubricView, 'claims' | 'outcome'>): Question[] {
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
