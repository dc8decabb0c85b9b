import type { Evidence } from '../domain/evidence/evidence.ts'
import type { Issue, Result } from '../domain/result.ts'
import { unwrapAnswer } from '../domain/rubric/answer-json.ts'
import { type Claims, parseClaims } from '../domain/rubric/claims.ts'
import { renderQuestion } from '../domain/rubric/prompt.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Rendering } from '../domain/trajectory/rendering.ts'
import { picturesIn } from '../domain/trajectory/shown-pictures.ts'
import type { Clock } from '../ports/clock.ts'
import type { JudgeRequest } from '../ports/judge.ts'
import type { AttemptSummary, Coverage, Failure } from '../schemas/grade.ts'
import type { Asked, Asker } from './asker.ts'
import type { Question } from './service.ts'

type Ending =
  | { readonly kind: 'judged'; readonly claims: Claims; readonly evidence: Evidence }
  | { readonly kind: 'failed'; readonly failure: Failure }

interface SampleFacts {
  readonly attempts: readonly AttemptSummary[]
  readonly coverage: Coverage
  readonly model_resolved: string | null
}

/** The end of one sample, before it becomes a grade or a vote. */
export type SampleResult = Ending & SampleFacts

export interface SampleDeps {
  readonly ask: Asker
  readonly clock: Clock
  /** For one sample with all its retries and repairs, from its beginning; waiting for a turn does not count. */
  readonly deadline_ms: number
}

/** The calls of one sample: how they are made, and what they came to so far. */
export class SampleCalls {
  readonly question: Question
  private readonly attempts: AttemptSummary[] = []
  private model: string | null = null
  private readonly deps: SampleDeps
  private readonly sample: number
  private deadline: number

  constructor(deps: SampleDeps, question: Question, sample: number) {
    this.deps = deps
    this.question = question
    this.sample = sample
    this.deadline = deps.clock.now().getTime() + deps.deadline_ms
  }

  request(rendering: Rendering, trajectory: string, note: string): JudgeRequest {
    const { rubric, ground_truth, judge } = this.question
    const lexical = judge.info.kind === 'lexical'
    const asking = { note, written_form: !judge.info.structured_output }
    return {
      system: lexical ? '' : rubric.system,
      trajectory,
      images: picturesIn(rendering.pictures, trajectory).map(({ number, step_id, picture }) => ({
        label: `image ${number}, of step ${step_id}:`,
        picture,
      })),
      question: lexical ? '' : renderQuestion(rubric, ground_truth, rendering, asking),
      repairs: [],
      answer_schema: rubric.answer_schema,
      cache_hint: this.question.trajectory.id.slice(7, 39),
      max_output_tokens: judge.info.max_output_tokens,
      evidence: { trajectory: this.question.trajectory, ground_truth, rubric },
    }
  }

  /** Null: nothing is stored for it, and no judge is asked. An answer that was cut off is asked for once more with twice the room. */
  async ask(request: JudgeRequest, round: number, purpose: AttemptSummary['purpose']): Promise<Asked | null> {
    const asked = await this.askOnce(request, round, purpose)
    const truncated = asked !== null && !asked.reply.ok && asked.reply.failure.code === 'truncated'
    if (!truncated || request.max_output_tokens === null) return asked
    return this.askOnce({ ...request, max_output_tokens: request.max_output_tokens * 2 }, round, purpose)
  }

  private async askOnce(request: JudgeRequest, round: number, purpose: AttemptSummary['purpose']) {
    const { key, grade_id } = this.question
    const asking = { grade_id, key, sample: this.sample, round, purpose, deadline: this.deadline }
    const asked = await this.deps.ask(asking, request)
    if (asked === null) return null
    this.attempts.push(...asked.attempts)
    this.deadline += asked.waited_ms
    this.model = asked.reply.model_resolved ?? this.model
    return asked
  }

  /** Reads the claims of a reply. Only a judge that no provider holds to the form may put anything around its answer. */
  read(text: string): Result<Claims, Issue[]> {
    const claims = parseClaims(
      this.question.judge.info.structured_output ? text : unwrapAnswer(text),
      this.question.rubric,
    )
    if (!claims.ok) this.noteMalformed(claims.error)
    return claims
  }

  /** A reply came and was paid for; in the receipt it is none that said anything. */
  private noteMalformed(issues: readonly Issue[]): void {
    const last = this.attempts.pop()
    if (last !== undefined)
      this.attempts.push({ ...last, outcome: 'schema_invalid', message: tellIssues(issues, this.question.rubric) })
  }

  /** Ends the sample, with its calls and facts. */
  end<T extends Ending>(ending: T, coverage: Coverage): T & SampleFacts {
    return { ...ending, attempts: this.attempts, coverage, model_resolved: this.model }
  }
}

const failure = (code: Failure['code'], message: string, retryable: boolean): Failure => ({
  code,
  message,
  retryable,
  retry_after_s: null,
})

type Put = Pick<Question, 'rubric' | 'judge'>

const remedy = ({ info }: Put['judge']): string => (info.form_remedy === undefined ? '' : `; ${info.form_remedy}`)

/** `issues`: what was wrong with the last reply. */
export const schemaInvalid = (issues: readonly Issue[], { rubric, judge }: Put): Failure =>
  failure(
    'schema_invalid',
    `the judge did not answer in the form of the schema, repairs included: ${renderIssues(issues, rubric)}${remedy(judge)}`,
    true,
  )

export const windowUnread = (steps: string, issues: readonly Issue[], { rubric, judge }: Put): Failure =>
  failure(
    'schema_invalid',
    `the judge did not answer in the form of the schema when it was shown ${steps}, asked twice: it is not known what stands there: ${renderIssues(issues, rubric)}${remedy(judge)}`,
    true,
  )

/** The names of the answer's form, and nothing else: a key of the reply may be text of the trajectory. */
const namesOf = ({ claims }: Rubric): ReadonlySet<string> =>
  new Set([
    ...['citations', 'supports', 'entry', 'step_id', 'quote', 'notes', 'confidence'],
    ...claims.flatMap(({ id }) => id.split('.')),
  ])
const ISSUES_TOLD = 2

function tellIssues(issues: readonly Issue[], rubric: Rubric): string {
  const names = namesOf(rubric)
  const known = (name: string): string => (name === '' || names.has(name) || /^\d{1,5}$/.test(name) ? name : '…')
  const place = (path: string): string => (path === '' ? '' : `${path.split('/').map(known).join('/')} `)
  return issues
    .slice(0, ISSUES_TOLD)
    .map(({ path, message }) => `${place(path)}${message}${entryHint(path, message)}`)
    .join('; ')
}

/** As soon as a rubric has a list, every citation needs the number of an entry. */
const entryHint = (path: string, message: string): string =>
  /^\/citations\/\d+$/.test(path) && /^must have required properties .*\bentry\b/.test(message)
    ? ' (entry: 0 for a claim that is not of the list)'
    : ''

const renderIssues = (issues: readonly Issue[], rubric: Rubric): string =>
  `${tellIssues(issues, rubric)} (its calls: veridict show GRADE --attempts)`

export const NOTHING_STORED = failure(
  'internal',
  'the stored replies do not answer what would be asked today; grade it again with a judge',
  false,
)

export const TOO_LONG = failure(
  'context_overflow',
  'the trajectory does not fit the judge’s window, not even in windows: use a judge with a larger one',
  false,
)
