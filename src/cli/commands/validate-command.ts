import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import { DEFAULT_LIMITS } from '../../archives/unpack/limits.ts'
import { waitsForYou } from '../../client/persist.ts'
import { digestValue } from '../../domain/digest.ts'
import type { Answer, JudgedItem, Question } from '../../domain/statistics/validation.ts'
import { count } from '../../domain/words.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import type { GradeRequest } from '../../schemas/trial.ts'
import { Choice, Closed, Type } from '../../schemas/type.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { tellOverBudget, tellRest, watchBatch } from '../follow.ts'
import { GRADING, type Options, output, parseShare, settingsOf } from '../options.ts'
import { writeEstimate } from '../output/results-format.ts'
import { oneLine } from '../output/text.ts'
import { type Session, sessionCommand } from '../session.ts'
import { checkPaths, openTrialStream } from '../trials.ts'

type ValidateOptions = Options & { readonly against?: string; readonly margin: number }

export const validate = sessionCommand<ValidateOptions, [file: string]>(
  {
    name: 'validate',
    about: 'measure how a judge agrees with people, on runs that they labelled',
    args: { '<file>': 'NDJSON, a labelled run a line' },
    options: [
      ...GRADING,
      ...output(['table', 'json'], 'a table, or the certificate'),
      ['--against <file>', 'an earlier certificate: test whether both judges are right equally often'],
      ['--margin <share>', 'the largest difference that counts as equal', parseShare, 0.05],
    ],
    help: [
      `Grades runs that people labelled, as \`veridict batch\` does, and measures how often the judge is right. Run again after an interruption:
graded items cost nothing.`,
      `FILE is NDJSON, a labelled run a line: a named grade request with a member "human".
  {"item_id": "run-1", "rubric": "tab-behavior@2", "trajectory": {"steps": […]},
   "ground_truth": {"instruction": "…", "cue": {"text": "…"}}, "metadata": {"task": "t1", "variant": "v1"},
   "human": {"outcome": "aligned", "claims": {"cue.acted": true}}}
"human" holds the label (outcome), answers by claim (claims), or both. Runs of one metadata.task are one cluster; metadata.variant
makes groups. \`npm run --silent labelled -- KIND FOLDER\` of the repository writes such lines from published data sets.`,
      'The certificate (-o json) holds judge, resolved models, rubric digest, data digest, all measures, and the answers of each item.',
      'Exit codes: 0 measured, 1 bad input or no service, 2 --against: equivalence is not shown, 3 an item failed or was cancelled, 4 the batch is parked, 130 interrupted',
      'Example:\n  veridict validate labelled.ndjson -j openai --max-cost-usd 20 -o json --out openai.json',
    ],
  },
  measure,
)

async function measure(session: Session, options: ValidateOptions, file: string): Promise<ExitCode> {
  const { veridict, view, signal, format } = session
  const certificates = await import('../validation/certificate.ts')
  const { buildCertificate, certificateText, compareWith, comparisonText, readEarlier, readJudged } = certificates
  await checkPaths([file])
  const labelled = await readLabels(session, file)
  const rubric = await veridict.readRubric(rubricOf(labelled, file, options.rubric), { signal })
  const questions = questionsOf(rubric)
  requireFit(labelled, questions)
  const subject = { data: labelled.data, rubric: { name: rubric.name, digest: rubric.digest } }
  const earlier = options.against === undefined ? null : readEarlier(options.against, subject)
  const sent = { ...settingsOf(options), rubric: rubric.name, signal }
  const { send } = await openTrialStream(() => readLabelled(session, file), view)
  if (options.dry_run) {
    await writeEstimate(session, await send((items) => veridict.estimateBatch(items, sent)))
    return EXIT.graded
  }
  const batch = await watchBatch(session, await send((items) => veridict.createBatch(items, sent)))
  if (waitsForYou(batch)) {
    tellRest(session, batch)
    await session.discard()
    return EXIT.parked
  }
  const judged = await readJudged(session, batch, labelled.labels)
  const certificate = buildCertificate(judged, batch, questions, subject)
  const compared = earlier && compareWith(earlier, certificate, options.margin)
  view.end()
  session.data = { ...certificate, ...(compared && { against: compared }) }
  const text = certificateText(certificate, session.paint) + (compared ? comparisonText(compared) : '')
  await session.write(format === 'json' ? `${JSON.stringify(session.data, null, 1)}\n` : text)
  tellOverBudget(session, batch)
  if (batch.counts.failed + batch.counts.cancelled > 0) return EXIT.failed
  return compared?.equivalent === false ? EXIT.unverified : EXIT.graded
}

/** Returns the rubric of the option, else of the lines. Throws where there is no labelled run, or not one rubric. */
function rubricOf({ labels, rubrics }: LabelledData, file: string, asked: string | undefined): string {
  const [named = asked, ...others] = asked === undefined ? rubrics : [asked]
  if (labels.size === 0) throw new CliError(`nothing to validate with: no labelled run was found in ${oneLine(file)}`)
  if (named === undefined || others.length > 0)
    throw new CliError(`which rubric? The lines name ${oneLine(rubrics.join(', ')) || 'none'}`, [
      'Give --rubric ID; `veridict rubrics` lists the ids.',
    ])
  return named
}

/** The label of a run by a person, in the words of the rubric of the judges. */
export interface HumanLabel {
  readonly outcome?: Answer
  readonly claims?: Readonly<Record<string, Answer>>
}

type Line = TrialItem & { readonly human?: HumanLabel }

/** Reads the labelled runs of an NDJSON file, a run a line. A faulty line comes as skipped, with its number. */
async function* readLabelled({ signal }: Session, path: string): AsyncGenerator<Line> {
  const { isRequest, linesOf, parseLine } = await import('../../archives/trials/request-lines.ts')
  const names = new Set<string>()
  for await (const { number, bytes } of linesOf(path, DEFAULT_LIMITS.max_line_bytes)) {
    signal.throwIfAborted()
    const line = bytes === null ? null : parseLine(bytes)
    const fault = bytes === null ? 'is too long' : line === undefined ? NOT_JSON : NO_REQUEST
    const read = isRequest(line) ? readLine(line, names) : fault
    const place = `line ${number}`
    if (typeof read !== 'string') yield { kind: 'trial', source: place, trajectory: null, warnings: [], ...read }
    else yield { kind: 'skipped', name: place, source: place, reason: 'unreadable', detail: `${place} ${read}` }
  }
}

const NOT_JSON = 'is not JSON'
const NO_REQUEST = 'is no request: its trajectory must be an object'

/** Returns the request and the label of a line, or the fault of the line. */
function readLine(line: Readonly<Record<string, unknown>>, names: Set<string>) {
  // A certificate is of one judge and one number of samples: those of the line are left out.
  const { human, item_id: name, judge: _judge, samples: _samples, cache: _cache, ...request } = line
  if (typeof name !== 'string' || name === '') return '/item_id: is missing'
  if (names.has(name)) return `/item_id: ${name} is the name of an earlier line, too`
  if (typeof human !== 'object' || human === null || Object.keys(human).length === 0)
    return '/human: must be {"outcome": label}, {"claims": {id: value}} or both'
  names.add(name)
  return { name, request: request as unknown as GradeRequest, human: human as HumanLabel }
}

type Label = Pick<JudgedItem, 'group' | 'cluster' | 'human'> & { readonly place: string; readonly label: HumanLabel }

type LabelledData = Awaited<ReturnType<typeof readLabels>>

/** Reads the labels of a file before a judge is asked, and the rubrics that its lines name. Throws for a file that is cut off in its last line. */
async function readLabels(session: Session, path: string) {
  const labels = new Map<string, Label>()
  const rubrics = new Set<string>()
  const hash = createHash('sha256')
  let lines = 0
  let cut: string | null = null
  for await (const line of readLabelled(session, path)) {
    lines++
    cut = line.kind === 'skipped' && line.detail.endsWith(NOT_JSON) ? line.name : null
    if (line.kind === 'skipped' || line.human === undefined) continue
    const { name, human } = line
    const { rubric, metadata, trajectory, ground_truth } = line.request
    const group = metadata?.variant || null
    hash.update(digestValue({ name, trajectory, ground_truth, human, group }))
    if (rubric !== undefined) rubrics.add(rubric)
    const answers = { ...(human.outcome !== undefined && { outcome: human.outcome }), ...human.claims }
    labels.set(name, { place: line.source, label: human, group, cluster: metadata?.task ?? null, human: answers })
    session.view.doing(`reading: ${count(labels.size, 'labelled run')}`)
  }
  if (cut !== null)
    throw new CliError(`${oneLine(path)} is cut off: its last line (${cut}) ${NOT_JSON}`, [
      'Write the file again to its end, or remove that line.',
    ])
  const counts = { items: labels.size, skipped: lines - labels.size }
  const data = { name: basename(path), ...counts, digest: `sha256:${hash.digest('hex')}` }
  return { labels, rubrics: [...rubrics].sort(), data }
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

const MOST_FAULTS = 20
const TOO_FEW = /^must not have fewer than 1 \w+$/u

/** Throws, with the first faults, for labels of people that do not fit the questions. */
function requireFit({ labels }: LabelledData, questions: readonly Question[]): void {
  const { outcome, ...claims } = Object.fromEntries(
    questions.map((asked) => [asked.id, Type.Optional(answerTo(asked))]),
  )
  const some = { minProperties: 1 }
  const schema = Closed({ ...(outcome && { outcome }), claims: Type.Optional(Closed(claims, some)) }, some)
  const faults = [...labels].flatMap(([name, { place, label }]) =>
    inputIssues(schema, label).map(({ path, message }) => {
      const unknown = path.startsWith('/claims/') ? 'is no claim of the rubric that can be compared' : '$&'
      const fault = message.replace(/^is not a known property/u, unknown).replace(TOO_FEW, 'is empty')
      return oneLine(`${place}  ${name}  /human${path}: ${fault}`)
    }),
  )
  if (faults.length === 0) return
  const answers = `${count(faults.length, 'human answer')} ${faults.length === 1 ? 'does' : 'do'}`
  throw new CliError(`${answers} not fit the rubric`, faults.slice(0, MOST_FAULTS))
}

function answerTo({ type, values }: Question) {
  if (type === 'boolean') return Type.Boolean()
  if (values.length > 0) return Choice([...values])
  return type === 'agent' || type === 'text' || type === 'enum' ? Type.String({ minLength: 1 }) : Type.Integer()
}
