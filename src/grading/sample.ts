import { DECISION_NOTE } from '../domain/rubric/prompt.ts'
import { coverageOf, createRendering, fullCoverage } from '../domain/trajectory/rendering.ts'
import { type Decided, decide } from './decide.ts'
import { decisionText } from './decision-text.ts'
import { readWindows } from './read-windows.ts'
import { planReading, readingBudget, WINDOW_SCALES, type WindowedReading } from './reading.ts'
import { SampleCalls, type SampleDeps, type SampleResult, TOO_LONG } from './sample-calls.ts'
import type { Question } from './service.ts'

/** Repairs of one decision. */
export const MOST_REPAIRS = 2

/**
 * Asks for one sample: read, answer, check, at most two repairs. What overflows the judge’s window in one reading is read again in a
 * smaller one; windows are cut in two where they overflow, and their decision is shown less, so that none of them is read twice.
 */
export async function gradeSample(deps: SampleDeps, question: Question, sample: number): Promise<SampleResult> {
  const calls = new SampleCalls(deps, question, sample)
  const { judge, trajectory, nonce } = question
  if (judge.info.kind === 'lexical') {
    const rendering = createRendering(trajectory, nonce)
    const decision = { request: calls.request(rendering, '', ''), rendering, coverage: fullCoverage(trajectory) }
    return resultOf(calls, await decide(calls, decision, { used: 0, most: 0 }, 0), decision)
  }
  const seen = await readAndDecide(calls, judge.info.images)
  return isBlindRetry(seen) ? readAndDecide(calls, false) : seen
}

/**
 * A provider that refuses a request with pictures may take it without: a broken picture, or one that its filter stops, must not keep
 * a run from being graded. The grade then says that they were not shown.
 */
const isBlindRetry = (result: SampleResult): boolean =>
  result.kind === 'failed' &&
  (result.coverage.media_shown ?? 0) > 0 &&
  (result.failure.code === 'internal' || result.failure.code === 'refused')

async function readAndDecide(calls: SampleCalls, images: boolean): Promise<SampleResult> {
  const { judge, trajectory, nonce, anchors } = calls.question
  for (const scale of WINDOW_SCALES) {
    const budget = readingBudget(calls.question, scale)
    const reading = planReading(trajectory, nonce, anchors, budget, { ...judge.info, images })
    if (reading.kind === 'too_long')
      return calls.end({ kind: 'failed', failure: TOO_LONG }, coverageOf(reading.rendering, 0))
    if (reading.kind === 'windows') return decideOverWindows(calls, reading, budget.tokens)
    const { rendering, text } = reading
    const decision = { request: calls.request(rendering, text, ''), rendering, coverage: coverageOf(rendering, 1) }
    const decided = await decide(calls, decision, { used: 0, most: MOST_REPAIRS }, 0)
    const isLast = judge.info.window_tokens === null || scale === WINDOW_SCALES.at(-1)
    if (decided.kind !== 'overflow' || decided.failure.code !== 'context_overflow' || isLast)
      return resultOf(calls, decided, decision)
  }
  throw new Error('unreachable: the last scale always returns')
}

/** Every window is read for evidence; then one decision over the steps that hold any, of which less is shown while it overflows. */
async function decideOverWindows(calls: SampleCalls, reading: WindowedReading, budget: number): Promise<SampleResult> {
  const { rendering } = reading
  const read = await readWindows(calls, reading)
  if (!read.ok)
    return calls.end({ kind: 'failed', failure: read.failure }, coverageOf(rendering, reading.windows.length))
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
  return overflow ?? calls.end({ kind: 'failed', failure: TOO_LONG }, coverage)
}

const resultOf = (
  calls: SampleCalls,
  decided: Decided,
  { coverage }: { readonly coverage: SampleResult['coverage'] },
): SampleResult =>
  decided.kind === 'overflow' ? calls.end({ kind: 'failed', failure: decided.failure }, coverage) : decided
