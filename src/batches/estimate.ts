import type { GradeStore } from '../db/grades.ts'
import type { Stores } from '../db/stores.ts'
import { callsPerQuestion, likelyOutput, NO_HISTORY, type OutputHistory } from '../domain/money/history.ts'
import { type Price, upperBoundUsd } from '../domain/money/price.ts'
import { estimateTokens } from '../domain/money/tokens.ts'
import { DECISION_NOTE, renderQuestion, WINDOW_NOTE } from '../domain/rubric/prompt.ts'
import { createRendering } from '../domain/trajectory/rendering.ts'
import { picturesIn, tokensOfPictures } from '../domain/trajectory/shown-pictures.ts'
import { mostTokens, schemaText, UNLIMITED_OUTPUT_TOKENS } from '../grading/margin.ts'
import { planReading, readingBudget } from '../grading/reading.ts'
import { MOST_REPAIRS } from '../grading/sample.ts'
import type { Question, Refused } from '../grading/service.ts'
import { renderPiece } from '../grading/window-pieces.ts'
import type { Judge } from '../ports/judge.ts'
import type { BatchEstimate } from '../schemas/batch.ts'
import {
  type BatchPlan,
  faultOf,
  type Incoming,
  type IntakeDeps,
  nothing,
  placed,
  tooMany,
  twice,
  withDefaults,
} from './intake.ts'

/** Sums of calls; `usd` is NaN where a price is unknown. */
interface Spent {
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly usd: number
}

/** Estimate of one question. `expected` rests on stored answers of the judge and never exceeds `most`. */
interface QuestionEstimate {
  readonly expected: Spent
  readonly most: Spent
}

/** Tokens of the requests of one sample, estimated by the judge’s own tokenizer. */
interface SamplePlan {
  /** Requests of the windows, in order; empty where one request shows the whole trajectory. */
  readonly windows: readonly number[]
  /** The request of the decision. Null: the trajectory fits no window. */
  readonly decision: { readonly least: number; readonly most: number } | null
}

const eachOf = (figureOf: (name: keyof Spent) => number): Spent => ({
  calls: figureOf('calls'),
  input: figureOf('input'),
  output: figureOf('output'),
  usd: figureOf('usd'),
})
const NOTHING = eachOf(() => 0)
const add = (a: Spent, b: Spent): Spent => eachOf((name) => a[name] + b[name])

const UNKNOWN: Price = {
  ...{ input_per_mtok: Number.NaN, output_per_mtok: Number.NaN },
  ...{ cache_read_per_mtok: Number.NaN, cache_write_per_mtok: Number.NaN, as_of: '' },
}
/** At most 60 lines of failed citations and unmet claims, with their reasons. */
const COMPLAINT_TOKENS = 3500
/** A complaint shows at most three steps, 3000 characters of each part (`prompt.ts`), each part in a frame. */
const STEPS_SHOWN_AGAIN = 3
const CHARS_SHOWN_AGAIN = 3000
const FRAME_TOKENS = 40

/**
 * Estimates a question without asking. `most` counts every repair, every answer cut off once and asked for again at twice the limit, whole
 * output limits, and nothing cached. Retries after a provider’s failure and smaller windows after an overflow are not counted. A trajectory
 * that fits no window is not asked about and costs nothing.
 *
 * @param priceFactor the price of a token as a share of that of a single call (`BatchApi.price_factor`)
 * @param history what this judge’s answers took so far
 */
export function estimateQuestion(
  question: Question,
  priceFactor = 1,
  history: OutputHistory = NO_HISTORY,
): QuestionEstimate {
  const { judge, samples } = question
  if (judge.info.kind === 'lexical') {
    const spent = { ...NOTHING, calls: samples }
    return { expected: spent, most: spent }
  }
  const price = judge.info.price ?? UNKNOWN
  const plan = planSample(question)
  if (plan.decision === null) return { expected: NOTHING, most: NOTHING }
  const usual = expectedOf(plan, price, samples, history)
  const bound = mostOf(plan, question, price)
  const factorOf = (name: keyof Spent) => (name === 'usd' ? priceFactor : 1)
  return {
    expected: eachOf((name) => Math.min(usual[name], bound[name] * samples) * factorOf(name)),
    most: eachOf((name) => bound[name] * samples * factorOf(name)),
  }
}

/** Computes the usual cost: output and repairs as this judge’s stored answers had, and repeated input read from the provider’s cache. */
function expectedOf({ windows, decision }: SamplePlan, price: Price, samples: number, history: OutputHistory): Spent {
  const requests = [...windows, ...(decision === null ? [] : [decision.least])]
  const once = requests.reduce((sum, tokens) => sum + tokens, 0)
  const rounds = samples * callsPerQuestion(history)
  const calls = requests.length * rounds
  const output = calls * likelyOutput(history)
  const again = Math.min(price.input_per_mtok, price.cache_read_per_mtok)
  const usd = (once * (price.input_per_mtok + (rounds - 1) * again) + output * price.output_per_mtok) / 1e6
  return { calls, input: once * rounds, output, usd }
}

/** Bounds one sample: a window is asked again once, a decision as often as it is repaired, and each answer is cut off once. */
function mostOf({ windows, decision }: SamplePlan, question: Question, price: Price): Spent {
  if (decision === null) return NOTHING
  const { max_output_tokens, token_factor } = question.judge.info
  const limit = max_output_tokens ?? UNLIMITED_OUTPUT_TOKENS
  const limits = max_output_tokens === null ? [limit] : [limit, 2 * limit]
  const complaint = Math.max(...limits) + mostTokens(COMPLAINT_TOKENS * token_factor)
  const repair = Math.max(...limits) + mostTokens(COMPLAINT_TOKENS * token_factor + shownAgain(question))
  const inputs = [
    ...windows.map(mostTokens).flatMap((input) => [input, input + complaint]),
    ...Array.from({ length: MOST_REPAIRS + 1 }, (_, repairs) => mostTokens(decision.most) + repairs * repair),
  ]
  return inputs
    .flatMap((input) =>
      limits.map((output) => ({ calls: 1, input, output, usd: upperBoundUsd({ input, output }, price) })),
    )
    .reduce(add, NOTHING)
}

/** Plans the requests of `gradeSample` without asking. */
function planSample(question: Question): SamplePlan {
  const { judge, trajectory, nonce, anchors, rubric, ground_truth } = question
  const tokens = (text: string): number => Math.ceil(estimateTokens(text) * judge.info.token_factor)
  const around = tokens(rubric.system) + tokens(schemaText(rubric.answer_schema))
  const rendering = createRendering(trajectory, nonce)
  const asked = (note: string): number =>
    around +
    tokens(renderQuestion(rubric, ground_truth, rendering, { note, written_form: !judge.info.structured_output }))
  const budget = readingBudget(question, 1)
  const reading = planReading(trajectory, nonce, anchors, budget, judge.info)
  const shown = (text: string): number => tokens(text) + tokensOfPictures(picturesIn(reading.rendering.pictures, text))
  if (reading.kind === 'too_long') return { windows: [], decision: null }
  if (reading.kind === 'windows') {
    const window = asked(WINDOW_NOTE)
    const windows = reading.windows.map((piece) => shown(renderPiece(reading.rendering, piece)) + window)
    // The windows decide which steps the decision shows.
    const decision = asked(DECISION_NOTE)
    return { windows, decision: { least: decision, most: budget.tokens + decision } }
  }
  const all = shown(reading.text) + asked('')
  return { windows: [], decision: { least: all, most: all } }
}

/** Bounds the tokens of the trajectory in a complaint: a character counts as a token. */
function shownAgain({ trajectory, judge }: Question): number {
  const sizes = trajectory.steps.map((step) =>
    step.parts.reduce((sum, part) => sum + FRAME_TOKENS + Math.min(part.text.length, CHARS_SHOWN_AGAIN), FRAME_TOKENS),
  )
  const most = sizes.sort((a, b) => b - a).slice(0, STEPS_SHOWN_AGAIN)
  return Math.ceil(most.reduce((sum, size) => sum + size, 0) * judge.info.token_factor)
}

/** Estimates a batch without asking or keeping anything. Equal questions are asked once; questions with a stored grade cost nothing. */
export async function estimateBatch(
  deps: IntakeDeps & { readonly grades: GradeStore; readonly stores: Pick<Stores, 'attempts'> },
  plan: BatchPlan,
  items: AsyncIterable<Incoming>,
): Promise<{ readonly ok: true; readonly estimate: BatchEstimate } | Refused> {
  const keys = new Set<string>()
  const names = new Set<string>()
  const histories = new Map<string, OutputHistory>()
  const historyOf = async (judge: string): Promise<OutputHistory> => {
    const history = histories.get(judge) ?? (await deps.stores.attempts.outputHistory(judge))
    histories.set(judge, history)
    return history
  }
  const factorOf = ({ batch }: Judge) => (plan.mode === 'provider' ? (batch?.price_factor ?? 1) : 1)
  let [cached, expected, most] = [0, NOTHING, NOTHING]
  for await (const { item, place } of items) {
    // Other requests have a turn between two items.
    await new Promise(setImmediate)
    const name = item.item_id ?? String(names.size)
    if (names.has(name)) return twice(place)
    if (names.add(name).size > deps.most_items) return tooMany(deps.most_items, place)
    const request = withDefaults(item, plan)
    const resolved = await deps.service.resolve(request)
    if (!resolved.ok) return placed(resolved.refusal, place)
    const { question } = resolved
    const { key, judge } = question
    const fault = faultOf(plan, judge)
    if (fault !== null) return fault
    const isStored = request.cache !== 'refresh' && (await deps.grades.findByKey(key)) !== null
    if (plan.kind === 'recheck' || isStored || keys.has(key)) cached += 1
    else {
      const estimate = estimateQuestion(question, factorOf(judge), await historyOf(judge.info.name))
      ;[expected, most] = [add(expected, estimate.expected), add(most, estimate.most)]
    }
    keys.add(key)
  }
  const figures = (name: keyof Spent) => ({ expected: expected[name], most: most[name] })
  const estimate = {
    ...{ items: names.size, cached, to_grade: names.size - cached },
    ...{ calls: figures('calls'), input_tokens: figures('input'), output_tokens: figures('output') },
    cost_usd: Number.isNaN(most.usd) ? null : figures('usd'),
  }
  return names.size === 0 ? nothing(plan) : { ok: true, estimate }
}
