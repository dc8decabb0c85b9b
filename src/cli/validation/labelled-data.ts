import { createHash } from 'node:crypto'
import type { Dataset, LabelledItem } from '../../archives/labelled/labelled-item.ts'
import type { TrialItem } from '../../archives/trials/trial-item.ts'
import { DEFAULT_LIMITS } from '../../archives/unpack/limits.ts'
import { count } from '../../domain/count.ts'
import { type Digest, digestValue } from '../../domain/digest.ts'
import type { Answer, JudgedItem, Question } from '../../domain/validation/judged-item.ts'
import type { GradeRequest } from '../../schemas/grade-request.ts'
import { CliError } from '../client/cli-error.ts'
import type { Session } from '../client/session.ts'
import { oneLine } from '../results/terminal-text.ts'
import { answersOf } from './questions.ts'

export interface DataSource {
  /** Null: a file of requests with human labels. */
  readonly dataset: Dataset | null
  readonly path: string
}

/** Of each item what is needed after it is graded. */
export type Label = Pick<JudgedItem, 'group' | 'cluster' | 'steps' | 'agents'> & {
  readonly human: LabelledHuman
}
type LabelledHuman = Extract<LabelledItem, { kind: 'labelled' }>['human']

export interface LabelledData {
  readonly labels: ReadonlyMap<string, Label>
  readonly digest: Digest
  readonly skipped: number
  /** The one rubric that its items name; null: none does. */
  readonly rubric: string | null
}

async function* openLabelled(session: Session, { dataset, path }: DataSource): AsyncGenerator<LabelledItem> {
  const { readLabelled } = await import('../../archives/labelled/read-labelled.ts')
  const { limits } = session.connection
  try {
    yield* readLabelled(dataset, path, {
      limits: { ...DEFAULT_LIMITS, ...(limits !== null && { read: limits }) },
      abort: session.signal,
    })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined || session.signal.aborted) throw error
    throw new CliError(`${oneLine(path)} cannot be read: ${code}`, ['`veridict validate --help` says what PATH is.'])
  }
}

/** Reads the data once before anything is paid for: its labels, and what it is known by. */
export async function readLabels(session: Session, source: DataSource): Promise<LabelledData> {
  const labels = new Map<string, Label>()
  const rubrics = new Set<string>()
  const hash = createHash('sha256')
  let skipped = 0
  for await (const one of openLabelled(session, source)) {
    if (one.kind === 'skipped') {
      skipped++
      continue
    }
    const { trial, human, group } = one
    const { trajectory, ground_truth, rubric, metadata } = trial.request
    hash.update(digestValue({ name: trial.name, trajectory, ground_truth, human, group }))
    if (rubric !== undefined) rubrics.add(rubric)
    const steps = trial.trajectory?.steps ?? null
    labels.set(trial.name, {
      ...{ human, group, cluster: metadata?.task ?? null },
      steps: steps?.map(({ id }) => id) ?? null,
      agents: steps === null ? null : [...new Set(steps.flatMap(({ agent }) => agent ?? []))],
    })
    session.view.doing(`reading: ${count(labels.size, 'labelled run')}`)
  }
  if (rubrics.size > 1)
    throw new CliError(`a validation is of one rubric, and the file names several: ${[...rubrics].sort().join(', ')}`, [
      'Split the file, or give --rubric for all of its lines.',
    ])
  const [rubric = null] = rubrics
  return { labels, skipped, rubric, digest: `sha256:${hash.digest('hex')}` }
}

/** The items of a batch. Which judge answers, and how often, is said for all of them. */
export async function* labelledTrials(session: Session, source: DataSource): AsyncGenerator<TrialItem> {
  for await (const one of openLabelled(session, source))
    yield one.kind === 'skipped' ? one : { ...one.trial, request: plain(one.trial.request) }
}

function plain({
  judge: _judge,
  samples: _samples,
  cache: _cache,
  rubric: _rubric,
  ...request
}: GradeRequest): GradeRequest {
  return request
}

const MOST_FAULTS = 20

/** The labels in the words of the rubric. Throws where one does not fit. */
export function fitLabels(
  labels: LabelledData['labels'],
  questions: readonly Question[],
): Map<string, Record<string, Answer>> {
  const fitted = new Map<string, Record<string, Answer>>()
  const faults: string[] = []
  for (const [name, { human, steps }] of labels) {
    const read = answersOf(human, questions, steps)
    fitted.set(name, read.answers)
    faults.push(...read.faults.map((fault) => `${oneLine(name)}  ${oneLine(fault)}`))
  }
  if (faults.length === 0) return fitted
  const more = faults.length > MOST_FAULTS ? [`and ${faults.length - MOST_FAULTS} more`] : []
  throw new CliError(`${count(faults.length, 'human answer')} that do not fit the rubric`, [
    ...faults.slice(0, MOST_FAULTS),
    ...more,
  ])
}
