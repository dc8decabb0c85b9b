import type { Clock } from '../domain/clock.ts'
import type { Evidence } from '../domain/evidence/evidence.ts'
import type { Issue, Result } from '../domain/result.ts'
import { parseClaims, unwrapAnswer } from '../domain/rubric/answer.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import { renderQuestion } from '../domain/rubric/prompt.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { picturesIn, type Rendering } from '../domain/trajectory/rendering.ts'
import type { JudgeRequest } from '../judges/judge.ts'
import type { AttemptSummary, Coverage, Failure } from '../schemas/grade.ts'
import { type Asked, type Asker, failureOf } from './ask.ts'
import type { Question } from './question.ts'

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

export type Calls = ReturnType<typeof openCalls>

/** Opens the calls of one sample: asks them, and keeps the facts that they came to so far. */
export function openCalls({ ask, clock, deadline_ms }: SampleDeps, question: Question, sample: number) {
  const { rubric, ground_truth, judge, trajectory: run, key, grade_id } = question
  const attempts: AttemptSummary[] = []
  let model_resolved: string | null = null
  let deadline = clock.now().getTime() + deadline_ms

  async function askOnce(request: JudgeRequest, round: number, purpose: AttemptSummary['purpose']) {
    const asked = await ask({ grade_id, key, sample, round, purpose, deadline }, request)
    if (asked === null) return null
    attempts.push(...asked.attempts)
    deadline += asked.waited_ms
    model_resolved = asked.reply.model_resolved ?? model_resolved
    return asked
  }

  const end = <T extends Ending>(ending: T, coverage: Coverage): T & SampleFacts => ({
    ...ending,
    attempts,
    coverage,
    model_resolved,
  })

  return {
    question,
    request(rendering: Rendering, trajectory: string, note: string): JudgeRequest {
      const isLexical = judge.info.kind === 'lexical'
      const asking = { note, written_form: !judge.info.structured_output }
      return {
        system: isLexical ? '' : rubric.system,
        trajectory,
        images: picturesIn(rendering.pictures, trajectory).map(({ number, step_id, picture }) => ({
          label: `image ${number}, of step ${step_id}:`,
          picture,
        })),
        question: isLexical ? '' : renderQuestion(rubric, ground_truth, rendering, asking),
        repairs: [],
        answer_schema: rubric.answer_schema,
        cache_hint: run.id.slice(7, 39),
        max_output_tokens: judge.info.max_output_tokens,
        evidence: { trajectory: run, ground_truth, rubric },
      }
    },
    /** Asks, and once more with twice the room for an answer that was cut off. Null: no reply is stored for the request, and no judge is asked. */
    async ask(request: JudgeRequest, round: number, purpose: AttemptSummary['purpose']): Promise<Asked | null> {
      const asked = await askOnce(request, round, purpose)
      const isTruncated = asked !== null && !asked.reply.ok && asked.reply.failure.code === 'truncated'
      if (!isTruncated || request.max_output_tokens === null) return asked
      return askOnce({ ...request, max_output_tokens: request.max_output_tokens * 2 }, round, purpose)
    },
    /** Reads the claims of a reply. Only a judge that no provider holds to the form may put anything around its answer. */
    read(text: string): Result<Claims, Issue[]> {
      const claims = parseClaims(judge.info.structured_output ? text : unwrapAnswer(text), rubric)
      const last = claims.ok ? undefined : attempts.pop()
      if (!claims.ok && last !== undefined)
        attempts.push({ ...last, outcome: 'schema_invalid', message: tellIssues(claims.error, rubric) })
      return claims
    },
    /** Ends the sample. */
    end,
    fail: (failure: Failure, coverage: Coverage) => end({ kind: 'failed', failure }, coverage),
  }
}

/** Makes the failure of replies in no form. `issues`: the faults of the last reply; `steps`: the steps of a window that was asked about twice. */
export function schemaInvalid(
  issues: readonly Issue[],
  { rubric, judge: { info } }: Pick<Question, 'rubric' | 'judge'>,
  steps: string | null = null,
): Failure {
  const where =
    steps === null
      ? ', repairs included'
      : ` when it was shown ${steps}, asked twice: it is not known what stands there`
  const remedy = info.form_remedy === undefined ? '' : `; ${info.form_remedy}`
  const faults = `${tellIssues(issues, rubric)} (its calls: veridict show GRADE --attempts)`
  return failureOf('schema_invalid', `the judge did not answer in the form of the schema${where}: ${faults}${remedy}`)
}

/** The names of the answer’s form, and nothing else: a key of the reply may be text of the trajectory. */
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
  /^\/citations\/\d+\/entry$/.test(path) && message.startsWith('is missing')
    ? ' (0 for a claim that is not of the list)'
    : ''

export const NOTHING_STORED = failureOf(
  'internal',
  'the stored replies do not answer what would be asked today; grade it again with a judge',
  false,
)

export const TOO_LONG = failureOf(
  'context_overflow',
  'the trajectory does not fit the judge’s window, not even in windows: use a judge with a larger one',
  false,
)
