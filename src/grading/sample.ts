import { type Claims, parseClaims } from '../domain/claims.ts'
import { checkEvidence, type Evidence, type EvidenceQuestion, holds } from '../domain/evidence.ts'
import { DECISION_NOTE, renderComplaint, renderFormComplaint, renderQuestion, WINDOW_NOTE } from '../domain/prompt.ts'
import type { Rendering } from '../domain/rendering.ts'
import { coverageOf, createRendering, fullCoverage } from '../domain/rendering.ts'
import type { AttemptSummary, Coverage, Failure } from '../schemas/grade.ts'
import { JudgeAnswerSchema } from '../schemas/judge-answer.ts'
import type { Asked, Asker } from './asker.ts'
import type { Clock, JudgeRequest } from './ports.ts'
import type { Question } from './question.ts'
import { decisionText, planReading, type Reading } from './reading.ts'
import { readingBudget, WINDOW_SCALES } from './reading-budget.ts'
import { turnFor } from './turns.ts'

/** What one sample ended in, before it becomes a grade or a vote. */
export type SampleResult = {
  readonly attempts: readonly AttemptSummary[]
  readonly coverage: Coverage
  readonly model_resolved: string | null
} & (
  | { readonly kind: 'judged'; readonly claims: Claims; readonly evidence: Evidence }
  | { readonly kind: 'failed'; readonly failure: Failure }
)

export interface SampleDeps {
  readonly ask: Asker
  readonly clock: Clock
  /** For one sample with all its retries and repairs, from its beginning; waiting for a turn does not count. */
  readonly deadline_ms: number
}

/** Asks for one sample: read, answer, check, at most two repairs, and once more with a smaller window where it overflowed. */
export async function gradeSample(deps: SampleDeps, question: Question, sample: number): Promise<SampleResult> {
  const run = new SampleRun(deps, question, sample)
  for (const scale of WINDOW_SCALES) {
    const result = await run.attempt(scale)
    const overflow = result.kind === 'failed' && result.failure.code === 'context_overflow'
    if (!overflow || question.judge.info.window_tokens === null || scale < 0.5) return result
  }
  throw new Error('unreachable: the last scale always returns')
}

/** The state of one sample: its attempts so far. */
class SampleRun {
  private readonly attempts: AttemptSummary[] = []
  private model: string | null = null
  private readonly deps: SampleDeps
  private readonly question: Question
  private readonly sample: number
  private deadline: number

  constructor(deps: SampleDeps, question: Question, sample: number) {
    this.deps = deps
    this.question = question
    this.sample = sample
    this.deadline = deps.clock.now().getTime() + deps.deadline_ms
  }

  async attempt(scale: number): Promise<SampleResult> {
    const { judge, trajectory, nonce, anchors } = this.question
    if (judge.info.kind === 'lexical') {
      const rendering = createRendering(trajectory, nonce)
      return this.decide(this.request('', ''), rendering, fullCoverage(trajectory), 0)
    }
    const budget = readingBudget(this.question, scale)
    const reading = planReading(trajectory, nonce, anchors, budget, judge.info.token_factor)
    if (reading.kind === 'too_long') return this.tooLong(coverageOf(reading.rendering, 0))
    if (reading.kind === 'windows') return this.readWindows(reading, budget)
    return this.decide(this.request(reading.text, ''), reading.rendering, coverageOf(reading.rendering, 1), 2)
  }

  private request(trajectory: string, note: string): JudgeRequest {
    const { rubric, ground_truth, judge, nonce } = this.question
    const lexical = judge.info.kind === 'lexical'
    const rendering = createRendering(this.question.trajectory, nonce)
    return {
      system: lexical ? '' : rubric.system,
      trajectory,
      question: lexical ? '' : renderQuestion(rubric, ground_truth, rendering, note),
      repairs: [],
      answer_schema: JudgeAnswerSchema,
      cache_hint: this.question.trajectory.id.slice(7, 39),
      max_output_tokens: judge.info.max_output_tokens,
      evidence: { trajectory: this.question.trajectory, ground_truth },
    }
  }

  /** Question, answer, check, repair. The last answer in the right form counts when the repairs are used up. */
  private async decide(
    first: JudgeRequest,
    rendering: Rendering,
    coverage: Coverage,
    repairs: number,
  ): Promise<SampleResult> {
    const question: EvidenceQuestion = { ...this.question, rendering }
    let request = first
    let judged: { claims: Claims; evidence: Evidence } | null = null
    for (let round = 0; round <= repairs; round++) {
      const asked = await this.ask(request, round, round === 0 ? 'decide' : 'repair')
      if (asked === null) break
      if (!asked.reply.ok) return this.failed(asked.reply.failure, coverage)
      const claims = parseClaims(asked.reply.text)
      if (claims.ok) {
        await turnFor(this.question.trajectory)
        judged = { claims: claims.value, evidence: checkEvidence(claims.value, question) }
        if (judged.evidence.verdict !== null) break
      }
      const complaint = claims.ok ? complain(judged, rendering) : renderFormComplaint(claims.error)
      request = { ...request, repairs: [...request.repairs, { answer: asked.reply.text, complaint }] }
    }
    if (judged === null) return this.failed(this.attempts.length === 0 ? NOTHING_STORED : SCHEMA_INVALID, coverage)
    return { kind: 'judged', ...judged, ...this.common(coverage) }
  }

  /** Every window is read for evidence; then one decision over the steps that hold any. */
  private async readWindows(reading: Extract<Reading, { kind: 'windows' }>, budget: number): Promise<SampleResult> {
    const coverage = coverageOf(reading.rendering, reading.windows.length)
    const found = new Set<number>()
    for (const [index, text] of reading.windows.entries()) {
      const asked = await this.ask(this.request(text, WINDOW_NOTE), index, 'window')
      if (asked === null) return this.failed(NOTHING_STORED, coverage)
      if (!asked.reply.ok) return this.failed(asked.reply.failure, coverage)
      const claims = parseClaims(asked.reply.text)
      if (!claims.ok) return this.failed(SCHEMA_INVALID, coverage)
      for (const step of this.stepsWithEvidence(claims.value, reading)) found.add(step)
    }
    const text = decisionText(reading, found, budget)
    if (text === null) return this.tooLong(coverage)
    return this.decide(this.request(text, DECISION_NOTE), reading.rendering, coverage, 2)
  }

  private stepsWithEvidence(claims: Claims, reading: Reading): number[] {
    const { citations } = checkEvidence(claims, { ...this.question, rendering: reading.rendering })
    const steps = reading.rendering.trajectory.steps
    const held = citations.filter((one) => holds(one.status) || one.status === 'out_of_order')
    const anchored =
      reading.kind === 'windows'
        ? reading.steps.flatMap((step, index) => (step.parts.some((part) => part.protected) ? [index] : []))
        : []
    return [...held.map((one) => steps.findIndex((step) => step.id === one.step_id)), ...anchored]
  }

  private async ask(request: JudgeRequest, round: number, purpose: AttemptSummary['purpose']): Promise<Asked | null> {
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

  private common(coverage: Coverage) {
    return { attempts: this.attempts, coverage, model_resolved: this.model }
  }

  private failed(failure: Failure, coverage: Coverage): SampleResult {
    return { kind: 'failed', failure, ...this.common(coverage) }
  }

  private tooLong(coverage: Coverage): SampleResult {
    const message = 'the trajectory does not fit the judge’s window, not even in windows: use a judge with a larger one'
    return this.failed({ code: 'context_overflow', message, retryable: false, retry_after_s: null }, coverage)
  }
}

const complain = (judged: { evidence: Evidence } | null, rendering: Rendering): string =>
  judged === null
    ? renderFormComplaint([])
    : renderComplaint(judged.evidence.unmet, judged.evidence.citations, rendering)

const SCHEMA_INVALID: Failure = {
  code: 'schema_invalid',
  message: 'the judge did not answer in the form of the schema, repairs included',
  retryable: true,
  retry_after_s: null,
}

const NOTHING_STORED: Failure = {
  code: 'internal',
  message: 'the stored replies do not answer what would be asked today; grade it again with a judge',
  retryable: false,
  retry_after_s: null,
}
