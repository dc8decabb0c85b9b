import { mostTokens, schemaText, UNLIMITED_OUTPUT_TOKENS } from '../asking/margin.ts'
import { callsPerQuestion, likelyOutput, NO_HISTORY, type OutputHistory } from '../domain/money/history.ts'
import { type Price, upperBoundUsd } from '../domain/money/price.ts'
import { estimateTokens } from '../domain/money/tokens.ts'
import { DECISION_NOTE, renderQuestion, WINDOW_NOTE } from '../domain/rubric/prompt.ts'
import { createRendering } from '../domain/trajectory/rendering.ts'
import { picturesIn, tokensOfPictures } from '../domain/trajectory/shown-pictures.ts'
import { MOST_SPLITS } from '../grading/read-windows.ts'
import { planReading, readingBudget, WINDOW_SCALES, type WindowedReading } from '../grading/reading.ts'
import { MOST_REPAIRS } from '../grading/sample.ts'
import type { Question, Refused } from '../grading/service.ts'
import { halvePiece, type Piece, renderPiece } from '../grading/window-pieces.ts'
import type { GradeStore } from '../ports/grade-ports.ts'
import type { Judge, Stores } from '../ports/ports.ts'
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

/** Sums of calls. */
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
  /** False: `usd` is unknown. */
  readonly is_priced: boolean
  readonly price_as_of: string | null
  readonly output_tokens_per_call: number
  /** Stored answers that `output_tokens_per_call` is the mean of; 0: an assumption. */
  readonly answers: number
}

/** Tokens of one sample, estimated by the judge’s own tokenizer. */
interface SamplePlan {
  /** System prompt and answer schema, which stand around every request. */
  readonly around: number
  /** Trajectory and question of each window, in order; empty where one request shows the whole trajectory. */
  readonly windows: readonly number[]
  /** The same of the halves and quarters that overflowing windows are cut into. */
  readonly splits: () => readonly number[]
  /** Trajectory and question of the decision. Null: the trajectory fits in no way. */
  readonly decision: { readonly least: number; readonly most: number } | null
  /** Tokens of the trajectory that one complaint shows again, at most. */
  readonly shown_again: number
}

const eachOf = (figureOf: (name: keyof Spent) => number): Spent => ({
  calls: figureOf('calls'),
  input: figureOf('input'),
  output: figureOf('output'),
  usd: figureOf('usd'),
})
const NOTHING = eachOf(() => 0)
const add = (a: Spent, b: Spent): Spent => eachOf((name) => a[name] + b[name])

const FREE: Price = {
  ...{ input_per_mtok: 0, output_per_mtok: 0, cache_read_per_mtok: 0, cache_write_per_mtok: 0 },
  as_of: '',
}
/** At most 60 lines of failed citations and unmet claims, with their reasons. */
const COMPLAINT_TOKENS = 3500
/** Tokens of the window that `sample.ts` keeps for repairs. */
const KEPT_FOR_REPAIRS = 8000
/** A complaint shows at most three steps, 3000 characters of each part (`prompt.ts`), each part in a frame. */
const STEPS_SHOWN_AGAIN = 3
const CHARS_SHOWN_AGAIN = 3000
const FRAME_TOKENS = 40

/**
 * Estimates a question without asking. `most` counts every repair, every answer cut off once and asked for again at twice the limit, whole output
 * limits, nothing cached, and smaller windows where a reading could overflow. Retries after a provider’s failure are not counted: providers do not
 * bill them as a rule. A trajectory that fits no window is not asked about and costs nothing.
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
    return { expected: spent, most: spent, is_priced: true, price_as_of: null, output_tokens_per_call: 0, answers: 0 }
  }
  const { price } = judge.info
  const sample = mostOfSample(question, price ?? FREE)
  const usual = expectedOf(planSample(question, 1), price ?? FREE, samples, history)
  const factorOf = (name: keyof Spent) => (name === 'usd' ? priceFactor : 1)
  return {
    expected: eachOf((name) => Math.min(usual[name], sample[name] * samples) * factorOf(name)),
    most: eachOf((name) => sample[name] * samples * factorOf(name)),
    is_priced: price !== null,
    price_as_of: price?.as_of ?? null,
    output_tokens_per_call: likelyOutput(history),
    answers: history.answers,
  }
}

/** Computes the usual cost: output and repairs as this judge’s stored answers had, and repeated input read from the provider’s cache. */
function expectedOf(plan: SamplePlan, price: Price, samples: number, history: OutputHistory): Spent {
  const shown = [...plan.windows, ...(plan.decision === null ? [] : [plan.decision.least])]
  const once = shown.reduce((sum, tokens) => sum + plan.around + tokens, 0)
  const rounds = samples * callsPerQuestion(history)
  const calls = shown.length * rounds
  const output = calls * likelyOutput(history)
  const again = Math.min(price.input_per_mtok, price.cache_read_per_mtok)
  const usd = (once * (price.input_per_mtok + (rounds - 1) * again) + output * price.output_per_mtok) / 1e6
  return { calls, input: once * rounds, output, usd }
}

/** Bounds one sample. A reading larger than estimated overflows: one request is made again smaller, windows are cut in two. */
function mostOfSample(question: Question, price: Price): Spent {
  let total = NOTHING
  for (const scale of WINDOW_SCALES) {
    const plan = planSample(question, scale)
    const overflows = mayOverflow(plan, question)
    total = add(total, mostOfReading(plan, question, price, overflows))
    if (plan.windows.length > 0 || !overflows) break
  }
  return total
}

/** Sums every call that one reading can lead to, each cut off once. */
export function mostOfReading(plan: SamplePlan, question: Question, price: Price, overflows: boolean): Spent {
  const { max_output_tokens, token_factor } = question.judge.info
  const limit = max_output_tokens ?? UNLIMITED_OUTPUT_TOKENS
  const limits = max_output_tokens === null ? [limit] : [limit, 2 * limit]
  const complaint = Math.max(...limits) + mostTokens(COMPLAINT_TOKENS * token_factor)
  const repair = Math.max(...limits) + mostTokens(COMPLAINT_TOKENS * token_factor + plan.shown_again)
  const pieces = [...plan.windows, ...(overflows ? plan.splits() : [])].map((tokens) =>
    mostTokens(plan.around + tokens),
  )
  const inputs = [
    ...pieces.flatMap((input) => [input, input + complaint]),
    ...repairsOf(plan, overflows).map(
      (repairs) => mostTokens(plan.around + (plan.decision?.most ?? 0)) + repairs * repair,
    ),
  ]
  return inputs
    .flatMap((input) =>
      limits.map((output) => ({ calls: 1, input, output, usd: upperBoundUsd({ input, output }, price) })),
    )
    .reduce(add, NOTHING)
}

/** Lists the decisions of a reading by the repairs before them. Over windows a decision is begun again while it overflows. */
function repairsOf({ windows, decision }: SamplePlan, overflows: boolean): readonly number[] {
  if (decision === null) return []
  const begun = windows.length > 0 && overflows ? WINDOW_SCALES.length : 1
  return [...Array.from({ length: begun }, () => 0), ...Array.from({ length: MOST_REPAIRS }, (_, round) => round + 1)]
}

function mayOverflow(plan: SamplePlan, question: Question): boolean {
  const { window_tokens, max_output_tokens } = question.judge.info
  const shown = Math.max(0, ...plan.windows, plan.decision?.most ?? 0)
  const input = mostTokens(plan.around + shown) + KEPT_FOR_REPAIRS
  return window_tokens !== null && shown > 0 && input + (max_output_tokens ?? 0) > window_tokens
}

/** Plans the requests of `gradeSample` at one scale of the window, without asking. */
export function planSample(question: Question, scale: number): SamplePlan {
  const { judge, trajectory, nonce, anchors, rubric, ground_truth } = question
  const tokens = (text: string): number => Math.ceil(estimateTokens(text) * judge.info.token_factor)
  const rendering = createRendering(trajectory, nonce)
  const asked = (note: string): number =>
    tokens(renderQuestion(rubric, ground_truth, rendering, { note, written_form: !judge.info.structured_output }))
  const budget = readingBudget(question, scale)
  const reading = planReading(trajectory, nonce, anchors, budget, judge.info)
  const shown = (text: string): number => tokens(text) + tokensOfPictures(picturesIn(reading.rendering.pictures, text))
  const around = tokens(rubric.system) + tokens(schemaText(rubric.answer_schema))
  const common = { around, shown_again: shownAgain(question), windows: [], splits: () => [] }
  if (reading.kind === 'too_long') return { ...common, decision: null }
  if (reading.kind === 'windows') {
    const [note, decision] = [asked(WINDOW_NOTE), asked(DECISION_NOTE)]
    const sizeOf = (piece: Piece) => shown(renderPiece(reading.rendering, piece)) + note
    return {
      ...common,
      windows: reading.windows.map(sizeOf),
      splits: () => splitsOf(reading).map(sizeOf),
      // The windows decide which steps the decision shows.
      decision: { least: decision, most: budget.tokens + decision },
    }
  }
  const all = shown(reading.text) + asked('')
  return { ...common, decision: { least: all, most: all } }
}

function splitsOf({ windows, steps }: WindowedReading): Piece[] {
  const all: Piece[] = []
  let level = windows
  for (let split = 0; split < MOST_SPLITS; split++) {
    level = level.flatMap((piece) => halvePiece(piece, steps) ?? [])
    all.push(...level)
  }
  return all
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
  const isStored = async (key: Question['key']) => (await deps.grades.findByKey(key)) !== null
  let estimate = NO_ESTIMATE
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
    const fault = faultOf(plan, question.judge)
    if (fault !== null) return fault
    const { key, judge } = question
    const isFree = plan.kind === 'recheck' || (request.cache !== 'refresh' && (await isStored(key)))
    const free = isFree ? 'stored' : keys.has(key) ? 'equal' : null
    keys.add(key)
    const { name: asked } = judge.info
    const history = histories.get(asked) ?? (await deps.stores.attempts.outputHistory(asked))
    histories.set(asked, history)
    estimate = addEstimate(estimate, asked, free ?? estimateQuestion(question, priceFactorOf(plan, judge), history))
  }
  return names.size === 0 ? nothing(plan) : { ok: true, estimate }
}

const priceFactorOf = ({ mode }: BatchPlan, { batch }: Judge): number =>
  mode === 'provider' ? (batch?.price_factor ?? 1) : 1

const ZERO = { expected: 0, most: 0 }
/** Estimate of a batch without items. */
export const NO_ESTIMATE: BatchEstimate = {
  ...{ items: 0, cached: 0, equal: 0, to_grade: 0 },
  ...{ calls: ZERO, input_tokens: ZERO, output_tokens: ZERO, cost_usd: ZERO },
  judges: [],
}

/** Adds one item. An item whose grade is stored, or that equals another item, costs nothing. One unknown cost makes the cost of the batch unknown. */
export function addEstimate(
  total: BatchEstimate,
  judge: string,
  estimate: QuestionEstimate | 'stored' | 'equal',
): BatchEstimate {
  const items = total.items + 1
  if (typeof estimate === 'string')
    return { ...total, items, cached: total.cached + 1, equal: total.equal + (estimate === 'equal' ? 1 : 0) }
  const { expected, most, is_priced, ...basis } = estimate
  const plus = (sum: typeof ZERO, name: keyof Spent) => ({
    expected: sum.expected + expected[name],
    most: sum.most + most[name],
  })
  const known = total.judges.find((row) => row.judge === judge)
  const counted = { judge, ...(known ?? basis), items: (known?.items ?? 0) + 1 }
  return {
    ...total,
    items,
    to_grade: total.to_grade + 1,
    calls: plus(total.calls, 'calls'),
    input_tokens: plus(total.input_tokens, 'input'),
    output_tokens: plus(total.output_tokens, 'output'),
    cost_usd: total.cost_usd === null || !is_priced ? null : plus(total.cost_usd, 'usd'),
    judges: known ? total.judges.map((row) => (row === known ? counted : row)) : [...total.judges, counted],
  }
}
