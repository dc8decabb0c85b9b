import { checkEvidence, type Evidence } from '../domain/evidence/evidence.ts'
import { mendable, renderComplaint } from '../domain/evidence/unmet-claims.ts'
import type { Issue } from '../domain/result.ts'
import { type Claims, flatten } from '../domain/rubric/claims.ts'
import { DECISION_NOTE, renderFormComplaint } from '../domain/rubric/prompt.ts'
import { coverageOf, createRendering, type Rendering } from '../domain/trajectory/rendering.ts'
import type { JudgeRequest } from '../judges/judge.ts'
import type { Coverage, Failure } from '../schemas/grade.ts'
import type { Calls, SampleDeps, SampleResult } from './calls.ts'
import { NOTHING_STORED, openCalls, schemaInvalid, TOO_LONG } from './calls.ts'
import type { Question } from './question.ts'
import { planReading, readingBudget, WINDOW_SCALES, type WindowedReading } from './reading.ts'
import { decisionText, readWindows } from './windows.ts'

/** Repairs of one decision. */
export const MOST_REPAIRS = 2

/**
 * Asks for one sample: read, answer, check, at most two repairs. A trajectory that overflows the judge’s window in one reading is read again in a
 * smaller one; windows are cut in two where they overflow, and their decision is shown less, so that none of them is read twice.
 */
export async function gradeSample(deps: SampleDeps, question: Question, sample: number): Promise<SampleResult> {
  const calls = openCalls(deps, question, sample)
  const { judge, trajectory } = question
  if (judge.info.kind === 'lexical') {
    const rendering = createRendering(trajectory, '')
    const decision = { request: calls.request(rendering, '', ''), rendering, coverage: coverageOf(rendering, 1) }
    return resultOf(calls, await decide(calls, decision, { used: 0, most: 0 }, 0), decision)
  }
  const seen = await readAndDecide(calls, judge.info.images)
  // A picture that the provider refuses must not keep a run from being graded.
  const isRefused = seen.kind === 'failed' && (seen.failure.code === 'internal' || seen.failure.code === 'refused')
  return isRefused && (seen.coverage.media_shown ?? 0) > 0 ? readAndDecide(calls, false) : seen
}

async function readAndDecide(calls: Calls, images: boolean): Promise<SampleResult> {
  const { window_tokens } = calls.question.judge.info
  for (const scale of WINDOW_SCALES) {
    const budget = readingBudget(calls.question, scale)
    const reading = planReading(calls.question, budget, images)
    if (reading.kind === 'too_long') return calls.fail(TOO_LONG, coverageOf(reading.rendering, 0))
    if (reading.kind === 'windows') return decideOverWindows(calls, reading, budget.tokens)
    const { rendering, text } = reading
    const decision = { request: calls.request(rendering, text, ''), rendering, coverage: coverageOf(rendering, 1) }
    const decided = await decide(calls, decision, { used: 0, most: MOST_REPAIRS }, 0)
    const isLast = window_tokens === null || scale === WINDOW_SCALES.at(-1)
    if (decided.kind !== 'overflow' || decided.failure.code !== 'context_overflow' || isLast)
      return resultOf(calls, decided, decision)
  }
  throw new Error('unreachable: the last scale always returns')
}

/** Reads every window for evidence; then makes one decision over the steps that hold any, of which less is shown while it overflows. */
async function decideOverWindows(calls: Calls, reading: WindowedReading, budget: number): Promise<SampleResult> {
  const { rendering } = reading
  const read = await readWindows(calls, reading)
  if (!read.ok) return calls.fail(read.failure, coverageOf(rendering, reading.windows.length))
  const coverage = coverageOf(rendering, read.windows)
  const repairs = { used: 0, most: MOST_REPAIRS }
  let overflow: SampleResult | null = null
  for (const [round, scale] of WINDOW_SCALES.entries()) {
    const text = decisionText(reading, read.marks, budget * scale)
    if (text === null) break
    const decision = { request: calls.request(rendering, text, DECISION_NOTE), rendering, coverage }
    const decided = await decide(calls, decision, repairs, round)
    if (decided.kind !== 'overflow') return decided
    overflow = resultOf(calls, decided, decision)
  }
  return overflow ?? calls.fail(TOO_LONG, coverage)
}

const resultOf = (calls: Calls, decided: Decided, { coverage }: Pick<Decision, 'coverage'>): SampleResult =>
  decided.kind === 'overflow' ? calls.fail(decided.failure, coverage) : decided

/** A decision over claims, with its sources. */
interface Decision {
  readonly request: JudgeRequest
  /** The rendering in which quotes are looked up. */
  readonly rendering: Rendering
  readonly coverage: Coverage
}

/** `overflow`: the prompt was longer than the provider takes, or has no stored reply. */
type Decided = SampleResult | { readonly kind: 'overflow'; readonly failure: Failure }

/** Repairs that are left; those of a decision that is tried again with less text are not given back. */
interface Repairs {
  used: number
  readonly most: number
}

/** Asks until an answer is complete. The last answer in the right form counts when the repairs are used up. */
async function decide(
  calls: Calls,
  { request: first, rendering, coverage }: Decision,
  repairs: Repairs,
  round: number,
): Promise<Decided> {
  const { question } = calls
  const { ground_truth, anchors, rubric, denied_acts } = question
  let request = first
  let issues: readonly Issue[] = []
  let judged: { claims: Claims; evidence: Evidence } | null = null
  let asked = await calls.ask(request, round, 'decide')
  if (asked === null) return { kind: 'overflow', failure: NOTHING_STORED }
  while (asked !== null) {
    if (!asked.reply.ok) {
      const { failure } = asked.reply
      return failure.code === 'context_overflow' ? { kind: 'overflow', failure } : calls.fail(failure, coverage)
    }
    const claims = calls.read(asked.reply.text)
    let complaint: string
    if (claims.ok) {
      await new Promise(setImmediate)
      const evidence = checkEvidence(claims.value, { ground_truth, anchors, rubric, denied_acts, rendering })
      judged = { claims: claims.value, evidence }
      const mend = mendable(evidence.unmet, flatten(claims.value, rubric).claims)
      if (mend.length === 0) break
      complaint = renderComplaint(mend, evidence.citations, rendering)
    } else {
      issues = claims.error
      complaint = renderFormComplaint(issues)
    }
    if (repairs.used === repairs.most) break
    request = { ...request, repairs: [...request.repairs, { answer: asked.reply.text, complaint }] }
    asked = await calls.ask(request, ++repairs.used, 'repair')
  }
  return judged === null
    ? calls.fail(schemaInvalid(issues, question), coverage)
    : calls.end({ kind: 'judged', ...judged }, coverage)
}
