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
import type { Question } from '../grading/service.ts'
import { halvePiece, type Piece, renderPiece } from '../grading/window-pieces.ts'

/** Sums of calls. */
export interface Spent {
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly usd: number
}

/** Estimate of one question. `expected` rests on stored answers of the judge and never exceeds `most`. */
export interface QuestionEstimate {
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

const NOTHING: Spent = { calls: 0, input: 0, output: 0, usd: 0 }
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
  const most = times(mostOfSample(question, price ?? FREE), samples)
  const expected = expectedOf(planSample(question, 1), price ?? FREE, samples, history)
  const priced = ({ usd, ...spent }: Spent): Spent => ({ ...spent, usd: usd * priceFactor })
  return {
    expected: priced({
      calls: Math.min(expected.calls, most.calls),
      input: Math.min(expected.input, most.input),
      output: Math.min(expected.output, most.output),
      usd: Math.min(expected.usd, most.usd),
    }),
    most: priced(most),
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

const add = (a: Spent, b: Spent): Spent => ({
  calls: a.calls + b.calls,
  input: a.input + b.input,
  output: a.output + b.output,
  usd: a.usd + b.usd,
})

const times = ({ calls, input, output, usd }: Spent, factor: number): Spent => ({
  calls: calls * factor,
  input: input * factor,
  output: output * factor,
  usd: usd * factor,
})
