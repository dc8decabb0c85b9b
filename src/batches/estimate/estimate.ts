import { likelyOutput, NO_HISTORY, type OutputHistory } from '../../domain/money/history.ts'
import { type Price, priceOn } from '../../domain/money/price.ts'
import type { Question } from '../../grading/question.ts'
import type { BatchEstimate } from '../../schemas/batch.ts'
import { planSample } from './plan.ts'
import { leastOfSamples, likelyOfSamples, mostOfSample, type Spent } from './sample.ts'

interface Range {
  readonly min: number
  readonly max: number
}

/** What one question would take. Tokens are estimated; dollars are null where no price is known. */
interface QuestionEstimate {
  readonly calls: Range
  readonly input_tokens: Range
  readonly output_tokens: Range
  readonly cost_usd: Range | null
  readonly likely: Likely
  /** What `likely` rests on: the mean of so many stored answers; 0: an assumption. */
  readonly output_tokens_per_call: number
  readonly answers: number
  readonly price_as_of: string | null
}

/** Between the least and the most. */
interface Likely {
  readonly calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number | null
}

const FREE: Price = {
  input_per_mtok: 0,
  output_per_mtok: 0,
  cache_read_per_mtok: 0,
  cache_write_per_mtok: 0,
  as_of: '',
}

/**
 * What a question would cost its judge, without asking. The least: one call for each sample and window with the shortest answer, and
 * what was sent before read from the provider’s cache where that is cheaper. The most: every repair, every answer cut off once and
 * asked for again at twice the limit, all output limits used, nothing cached; smaller windows too, where a reading could overflow.
 * Calls that are made again because a provider failed are not in it: they are not billed, as a rule. A trajectory that fits no window
 * costs nothing, as it is not asked about.
 *
 * @param date whose price counts
 * @param priceFactor the price of a token as a share of that of a single call (`BatchApi.price_factor`)
 * @param history what this judge’s answers took so far: what is likely rests on it
 */
export function estimateQuestion(
  question: Question,
  date: Date,
  priceFactor = 1,
  history: OutputHistory = NO_HISTORY,
): QuestionEstimate {
  const { info } = question.judge
  if (info.kind === 'lexical') {
    const calls = { min: question.samples, max: question.samples }
    const likely = { ...NOTHING_LIKELY, calls: question.samples }
    const nothing = { output_tokens_per_call: 0, answers: 0, price_as_of: null }
    return { calls, input_tokens: ZERO, output_tokens: ZERO, cost_usd: ZERO, likely, ...nothing }
  }
  const known = priceOn(info.prices, date)
  const price = known ?? FREE
  const plan = planSample(question, 1)
  const least = leastOfSamples(plan, price, question.samples)
  const likely = likelyOfSamples(plan, price, question.samples, history)
  const most = mostOfSample(question, price)
  const range = (key: keyof Spent, factor = 1): Range => ({
    min: least[key] * factor,
    max: most[key] * question.samples * factor,
  })
  const within = (key: keyof Spent, factor = 1): number => {
    const { min, max } = range(key, factor)
    return Math.min(max, Math.max(min, likely[key] * factor))
  }
  return {
    calls: range('calls'),
    input_tokens: range('input'),
    output_tokens: range('output'),
    cost_usd: known === null ? null : range('usd', priceFactor),
    likely: {
      calls: within('calls'),
      input_tokens: within('input'),
      output_tokens: within('output'),
      cost_usd: known === null ? null : within('usd', priceFactor),
    },
    output_tokens_per_call: likelyOutput(history),
    answers: history.answers,
    price_as_of: known?.as_of ?? null,
  }
}

const NOTHING_LIKELY: Likely = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 }
const ZERO: Range = { min: 0, max: 0 }

/** The estimate of a batch with no item yet. */
export const NO_ESTIMATE: BatchEstimate = {
  items: 0,
  cached: 0,
  equal: 0,
  to_grade: 0,
  calls: { min: 0, max: 0 },
  input_tokens: { min: 0, max: 0 },
  output_tokens: { min: 0, max: 0 },
  cost_usd: { min: 0, max: 0 },
  likely: NOTHING_LIKELY,
  judges: [],
}

/** One more item. `estimate` without numbers: it costs nothing, as a stored grade answers it or as it is equal to another. One unknown cost makes that of the batch unknown. */
export function addEstimates(
  total: BatchEstimate,
  judge: string,
  estimate: QuestionEstimate | 'stored' | 'equal',
): BatchEstimate {
  if (typeof estimate === 'string') {
    const equal = total.equal + (estimate === 'equal' ? 1 : 0)
    return { ...total, items: total.items + 1, cached: total.cached + 1, equal }
  }
  const cost =
    total.cost_usd === null || estimate.cost_usd === null ? null : addRanges(total.cost_usd, estimate.cost_usd)
  return {
    ...total,
    items: total.items + 1,
    to_grade: total.to_grade + 1,
    calls: addRanges(total.calls, estimate.calls),
    input_tokens: addRanges(total.input_tokens, estimate.input_tokens),
    output_tokens: addRanges(total.output_tokens, estimate.output_tokens),
    cost_usd: cost,
    likely: addLikely(total.likely, estimate.likely),
    judges: countJudge(total.judges, {
      judge,
      items: 1,
      price_as_of: estimate.price_as_of,
      output_tokens_per_call: estimate.output_tokens_per_call,
      answers: estimate.answers,
    }),
  }
}

const addLikely = (a: Likely, b: Likely): Likely => ({
  calls: a.calls + b.calls,
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cost_usd: a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
})

const addRanges = (a: Range, b: Range) => ({ min: a.min + b.min, max: a.max + b.max })

function countJudge(judges: BatchEstimate['judges'], more: BatchEstimate['judges'][number]) {
  if (!judges.some((one) => one.judge === more.judge)) return [...judges, more]
  return judges.map((one) => (one.judge === more.judge ? { ...one, items: one.items + 1 } : one))
}
