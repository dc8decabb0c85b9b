import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import { DEFAULT_LIMITS } from '../../archives/unpack/limits.ts'
import { waitsForYou } from '../../client/persist.ts'
import { digestValue } from '../../domain/digest.ts'
import type { Answer as HumanAnswer, JudgedItem, Question } from '../../domain/statistics/validation.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { Certificate } from '../../schemas/documents.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import type { GradeRequest } from '../../schemas/trial.ts'
import { Choice, Closed, Type } from '../../schemas/type.ts'
import { CliError, EXIT } from '../errors.ts'
import { overBudgetText, restText, watchBatch } from '../follow.ts'
import { GRADING, type Options, option, output, parseShare, settingsOf } from '../options.ts'
import { jsonText } from '../output/grade-text.ts'
import { estimateAnswer } from '../output/results-format.ts'
import { oneLine, present } from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'
import { checkPaths, openTrialStream, requireNames } from '../trials.ts'

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
  const rubric = await veridict.readRubric(options.rubric ?? (await firstRubric(file, signal)), { signal })
  const questions = questionsOf(rubric)
  const labels: Labels = new Map()
  const subject = {
    data: { name: basename(file), items: 0, skipped: 0, digest: '' },
    rubric: { name: rubric.name, digest: rubric.digest },
  }
  const read = () => readLabelled(linesOf(file, signal), { labels, subject, questions, earlier })
  const sent = { ...settingsOf(options), rubric: rubric.name, signal }
  const { send } = openTrialStream(read, view)
  if (options.dry_run) return estimateAnswer(session, await send((items) => veridict.estimateBatch(items, sent)))
  const batch = await watchBatch(session, await send((items) => veridict.createBatch(items, sent)))
  if (waitsForYou(batch)) {
    const [message = '', ...advice] = restText(session, batch).split('\n  ')
    throw new CliError(message, advice, EXIT.parked, 'parked')
  }
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
async function firstRubric(file: string, signal: AbortSignal): Promise<string> {
  for await (const { run } of linesOf(file, signal))
    if (typeof run !== 'string' && run.rubric !== undefined) return run.rubric
  throw new CliError(`which rubric? No labelled run of ${oneLine(file)} names one`, [
    'Give --rubric ID; `veridict rubrics` lists the ids.',
  ])
}

/** The label of a run by a person, in the words of the rubric of the judges. */
export interface HumanLabel {
  readonly outcome?: HumanAnswer
  readonly claims?: Readonly<Record<string, HumanAnswer>>
}

/** A line of the file with its labelled run, or with the fault of the line. */
interface Line {
  readonly place: string
  readonly run: string | { name: string; request: GradeRequest; human: HumanLabel; rubric?: string }
}

/** Reads the lines of an NDJSON file of labelled runs. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<Line> {
  const requests = await import('../../archives/trials/request-lines.ts')
  const names = new Set<string>()
  for await (const { number, bytes } of requests.linesOf(path, DEFAULT_LIMITS.max_line_bytes)) {
    signal.throwIfAborted()
    const line = bytes === null ? null : requests.parseLine(bytes)
    const fault = bytes === null ? 'is too long' : line === undefined ? NO_JSON : NO_REQUEST
    yield { place: `line ${number}`, run: requests.isRequest(line) ? readRun(line, names) : fault }
  }
}

const NO_JSON = 'is not JSON'
const NO_REQUEST = 'is no request: its trajectory must be an object'

/** Returns the request and the label of a line, or the fault of the line. */
function readRun(line: Readonly<Record<string, unknown>>, names: Set<string>): Line['run'] {
  // A certificate is of one rubric, one judge and one number of samples: those of the line are left out.
  const { human, item_id: name, rubric, judge: _judge, samples: _samples, cache: _cache, ...request } = line
  if (typeof name !== 'string' || name === '') return '/item_id: is missing'
  if (names.has(name)) return `/item_id: ${name} is the name of an earlier line, too`
  if (typeof human !== 'object' || human === null || Object.keys(human).length === 0)
    return '/human: must be {"outcome": label}, {"claims": {id: value}} or both'
  names.add(name)
  const own = typeof rubric === 'string' && { rubric }
  return { name, request: request as unknown as GradeRequest, human: human as HumanLabel, ...own }
}

const MOST_FAULTS = 20

type Labels = Map<string, Pick<JudgedItem, 'group' | 'cluster' | 'human'>>

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
async function* readLabelled(
  lines: AsyncIterable<Line>,
  { labels, subject, questions, earlier }: Labelled,
): AsyncGenerator<TrialItem> {
  const schema = schemaOf(questions)
  const hash = createHash('sha256')
  const faults: string[] = []
  let skipped = 0
  let last: Line = { place: '', run: '' }
  for await (last of lines) {
    const { place, run } = last
    if (typeof run === 'string') {
      skipped++
      yield { kind: 'skipped', name: place, source: place, reason: 'unreadable', detail: `${place} ${run}` }
      continue
    }
    const { name, human, request } = run
    const { metadata, trajectory, ground_truth } = request
    const group = metadata?.variant || null
    hash.update(digestValue({ name, trajectory, ground_truth, human, group }))
    for (const { path, message } of inputIssues(schema, human))
      faults.push(oneLine(`${place}  ${name}  /human${path}: ${message}`))
    const answers = { ...(human.outcome !== undefined && { outcome: human.outcome }), ...human.claims }
    labels.set(name, { group, cluster: metadata?.task ?? null, human: answers })
    yield { kind: 'trial', name, source: place, request, trajectory: null, warnings: [] }
  }
  if (last.run === NO_JSON)
    throw new CliError(`${oneLine(subject.data.name)} is cut off: its last line (${last.place}) ${NO_JSON}`, [
      'Get the whole file, or remove that line.',
    ])
  if (faults.length > 0) throw new CliError('the labels of people do not fit the rubric', faults.slice(0, MOST_FAULTS))
  Object.assign(subject.data, { items: labels.size, skipped, digest: `sha256:${hash.digest('hex')}` })
  if (earlier !== null) requireComparable(earlier, subject)
}

/** Throws for other data or another rubric. */
export function requireComparable(earlier: Certificate, { data, rubric }: Pick<Certificate, 'data' | 'rubric'>): void {
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
