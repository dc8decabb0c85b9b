import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import { isRequest, linesOf, parseLine } from '../../archives/trials/request-lines.ts'
import { DEFAULT_LIMITS } from '../../archives/unpack/limits.ts'
import { digestValue } from '../../domain/digest.ts'
import type { Answer, JudgedItem, Question } from '../../domain/statistics/validation.ts'
import { count } from '../../domain/words.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import type { GradeRequest } from '../../schemas/trial.ts'
import { Choice, Closed, Type } from '../../schemas/type.ts'
import { CliError } from '../errors.ts'
import { oneLine } from '../output/text.ts'
import type { Session } from '../session.ts'

/** The label of a run by a person, in the words of the rubric of the judges. */
export interface HumanLabel {
  readonly outcome?: Answer
  readonly claims?: Readonly<Record<string, Answer>>
}

type Line = TrialItem & { readonly human?: HumanLabel }

/** Reads the labelled runs of an NDJSON file, a run a line. A faulty line comes as skipped, with its number. */
export async function* readLabelled({ signal }: Session, path: string): AsyncGenerator<Line> {
  const names = new Set<string>()
  for await (const { number, bytes } of linesOf(path, DEFAULT_LIMITS.max_line_bytes)) {
    signal.throwIfAborted()
    const read = bytes === null ? 'is too long' : readLine(parseLine(bytes), names)
    const place = `line ${number}`
    if (typeof read !== 'string') yield { kind: 'trial', source: place, trajectory: null, warnings: [], ...read }
    else yield { kind: 'skipped', name: place, source: place, reason: 'unreadable', detail: `${place} ${read}` }
  }
}

const NOT_JSON = 'is not JSON'

/** Returns the request and the label of a line, or the fault of the line. */
function readLine(line: unknown, names: Set<string>) {
  if (line === undefined) return NOT_JSON
  if (!isRequest(line)) return 'is no request: its trajectory must be an object'
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

export type LabelledData = Awaited<ReturnType<typeof readLabels>>

/** Reads the labels of a file before a judge is asked, and the rubrics that its lines name. Throws for a file that is cut off in its last line. */
export async function readLabels(session: Session, path: string) {
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

const MOST_FAULTS = 20
const TOO_FEW = /^must not have fewer than 1 \w+$/u

/** Throws, with the first faults, for labels of people that do not fit the questions. */
export function requireFit({ labels }: LabelledData, questions: readonly Question[]): void {
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
