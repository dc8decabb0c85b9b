import { CHARS_SHOWN_AGAIN, STEPS_SHOWN_AGAIN } from '../domain/evidence/unmet-claims.ts'
import type { OutputHistory } from '../domain/money.ts'
import { callsPerQuestion, estimateTokens, likelyOutput, NO_HISTORY, upperBoundUsd } from '../domain/money.ts'
import { once } from '../domain/result.ts'
import { DECISION_NOTE, renderQuestion, WINDOW_NOTE } from '../domain/rubric/prompt.ts'
import { range, sum } from '../domain/statistics/weighted-shares.ts'
import { createRendering, picturesIn, tokensOfPictures } from '../domain/trajectory/rendering.ts'
import { boundOfTokens, schemaText, UNLIMITED_OUTPUT_TOKENS } from '../grading/money.ts'
import type { Question } from '../grading/question.ts'
import { FRAME_TOKENS, planReading, readingBudget, renderPiece } from '../grading/reading.ts'
import { MOST_REPAIRS } from '../grading/sample.ts'
import type { BatchEstimate } from '../schemas/batch.ts'
import { assertPossible, type BatchPlan, type Incoming, placeAt, planItems } from './intake.ts'
import type { BatchDeps } from './run-chunk.ts'

/** Sums of calls; `usd` is NaN where a price is unknown. */
type Spent = Readonly<Record<'calls' | 'input' | 'output' | 'usd', number>>

const least = (a: Spent, b: Spent): Spent =>
  Object.fromEntries(Object.entries(a).map(([name, n]) => [name, Math.min(n, b[name as keyof Spent])])) as Spent

/** At most 60 lines of failed citations and unmet claims, with their reasons. */
const COMPLAINT_TOKENS = 3500

/**
 * Estimates a question without asking: `expected` by the judge’s stored answers, repeated input from the provider’s cache; `most` with every repair,
 * every answer cut off once and asked for again at twice the limit, nothing cached, but no retries after failures, and no smaller windows.
 */
export function estimateQuestion(question: Question, priceFactor = 1, history: OutputHistory = NO_HISTORY) {
  const { samples } = question
  const { kind, price } = question.judge.info
  const requests = kind === 'lexical' ? null : planSample(question)
  const free = { calls: kind === 'lexical' ? samples : 0, input: 0, output: 0, usd: 0 }
  if (requests === null) return { expected: free, most: free }

  const bound = boundOf(requests, question)
  const most = { ...bound, usd: price === null ? Number.NaN : upperBoundUsd(bound, price) * priceFactor }

  const rounds = samples * callsPerQuestion(history)
  const calls = (requests.windows.length + 1) * rounds
  const output = calls * likelyOutput(history)
  const once = sum(requests.windows) + requests.decision.least
  const { input_per_mtok: first = Number.NaN, cache_read_per_mtok = first, output_per_mtok = first } = { ...price }
  const inputs = once * (first + (rounds - 1) * Math.min(first, cache_read_per_mtok))
  const usual = { calls, output, input: once * rounds, usd: ((inputs + output * output_per_mtok) * priceFactor) / 1e6 }
  return { expected: least(usual, most), most }
}

/** Bounds the samples: a window is asked again once, a decision as often as it is repaired, and each answer is cut off once. */
function boundOf({ windows, decision }: NonNullable<ReturnType<typeof planSample>>, question: Question) {
  const { max_output_tokens, token_factor } = question.judge.info
  const limits = max_output_tokens === null ? [UNLIMITED_OUTPUT_TOKENS] : [max_output_tokens, 2 * max_output_tokens]
  const askedAgain = (shown: number) => Math.max(...limits) + boundOfTokens(COMPLAINT_TOKENS * token_factor + shown)
  const repair = askedAgain(shownAgain(question))
  const inputs = [
    ...windows.map(boundOfTokens).flatMap((input) => [input, input + askedAgain(0)]),
    ...range(MOST_REPAIRS + 1).map((repairs) => boundOfTokens(decision.most) + repairs * repair),
  ]
  const calls = inputs.length * limits.length * question.samples
  const input = sum(inputs) * limits.length * question.samples
  return { calls, input, output: inputs.length * sum(limits) * question.samples }
}

/** Bounds the tokens of the trajectory in a complaint: a character counts as a token. */
function shownAgain({ trajectory, judge }: Question): number {
  const sizes = trajectory.steps.map(({ parts }) =>
    sum([FRAME_TOKENS, ...parts.map(({ text }) => FRAME_TOKENS + Math.min(text.length, CHARS_SHOWN_AGAIN))]),
  )
  const longest = sizes.sort((a, b) => b - a).slice(0, STEPS_SHOWN_AGAIN)
  return Math.ceil(sum(longest) * judge.info.token_factor)
}

/** Counts the tokens of the requests of `gradeSample`: windows (none where the decision shows all) and decision. Null: the trajectory fits no window. */
function planSample(question: Question) {
  const { judge, trajectory, nonce, rubric, ground_truth } = question
  const tokens = (text: string): number => Math.ceil(estimateTokens(text) * judge.info.token_factor)
  const around = tokens(rubric.system) + tokens(schemaText(rubric.answer_schema))
  const written_form = !judge.info.structured_output
  const rendering = createRendering(trajectory, nonce)
  const asked = (note: string) =>
    around + tokens(renderQuestion(rubric, ground_truth, rendering, { note, written_form }))
  const budget = readingBudget(question, 1)
  const reading = planReading(question, budget)
  if (reading.kind === 'too_long') return null
  const shown = (text: string): number => tokens(text) + tokensOfPictures(picturesIn(reading.rendering.pictures, text))
  if (reading.kind === 'windows') {
    const window = asked(WINDOW_NOTE)
    const windows = reading.windows.map((piece) => shown(renderPiece(reading.rendering, piece)) + window)
    // The windows decide which steps the decision shows.
    const least = asked(DECISION_NOTE)
    return { windows, decision: { least, most: budget.tokens + least } }
  }
  const all = shown(reading.text) + asked('')
  return { windows: [], decision: { least: all, most: all } }
}

/** Estimates a batch without asking or keeping anything. Equal questions are asked once; questions with a stored grade cost nothing. */
export async function estimateBatch(deps: BatchDeps, plan: BatchPlan, items: Incoming) {
  const { service, stores } = deps
  const keys = new Set<string>()
  const historyOf = once((judge: string) => stores.attempts.outputHistory(judge))
  const estimates: ReturnType<typeof estimateQuestion>[] = []
  let all = 0
  for await (const item of planItems(deps, plan, items)) {
    // Other requests have a turn between two items.
    await new Promise(setImmediate)
    all++
    const { request, place } = item
    const { question } = await service.resolve(request).catch(placeAt(place))
    const { key, judge } = question
    assertPossible(plan, judge, item, question.trajectory)
    const isStored = request.cache !== 'refresh' && (await stores.grades.findByKey(key)) !== null
    const isEqual = keys.size === keys.add(key).size
    if (plan.kind === 'recheck' || isStored || isEqual) continue
    const factor = plan.mode === 'provider' ? (judge.batch?.price_factor ?? 1) : 1
    estimates.push(estimateQuestion(question, factor, await historyOf(judge.info.name)))
  }
  const sumOf = (name: keyof Spent, bound: 'expected' | 'most') => sum(estimates.map((one) => one[bound][name]))
  const figures = (name: keyof Spent) => ({ expected: sumOf(name, 'expected'), most: sumOf(name, 'most') })
  const to_grade = estimates.length
  return {
    ...{ items: all, cached: all - to_grade, to_grade, calls: figures('calls') },
    ...{ input_tokens: figures('input'), output_tokens: figures('output') },
    cost_usd: Number.isNaN(sumOf('usd', 'most')) ? null : figures('usd'),
  } satisfies BatchEstimate
}
