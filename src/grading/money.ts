import { estimateTokens, upperBoundUsd } from '../domain/money.ts'
import { FewAnswers, once } from '../domain/result.ts'
import { tokensOfPictures } from '../domain/trajectory/rendering.ts'
import type { JudgeInfo, JudgeRequest } from '../judges/judge.ts'

/**
 * How far `estimateTokens` may be off, either way. Measured against o200k_base (js-tiktoken 1.0.21, November 2026): 101 real
 * trajectories of more than 2000 characters came to 0.99…1.24 of their tokens, median 1.09; the 17 kinds of terminal text of
 * `tokens.yaml` to 1.01…1.14. So 1.25 holds both ways for what agents write and print. It does not hold for text made to be
 * expensive: random capitals come to 0.79 of their tokens, random marks to 0.63, random Han to 0.39, random Hangul to 0.29. Such a call may
 * cost more than it reserved; its real cost takes the place of the reservation when it ends, so a cap is passed by at most the calls
 * in flight. Another vendor’s tokenizer is `token_factor`’s business.
 */
export const ESTIMATE_MARGIN = 1.25

/** Tokens that a provider adds to what is sent: frames of messages, its own instruction for structured output. */
export const HIDDEN_TOKENS = 500

/** Output that is reserved where no limit is set: more than the models of November 2026 write. */
export const UNLIMITED_OUTPUT_TOKENS = 128_000

/** Input tokens that so many estimated ones, of the judge’s own tokenizer, do not exceed. */
export const boundOfTokens = (estimated: number): number => Math.ceil(estimated * ESTIMATE_MARGIN) + HIDDEN_TOKENS

/** Renders a schema. Judges are asked with one schema object, thousands of times. */
export const schemaText = once((schema: object) => JSON.stringify(schema), new WeakMap())

/** Estimates the tokens of a text that thousands of questions share: a system prompt, a schema. */
export const estimateShared = once(estimateTokens, new FewAnswers<number>(50))

/**
 * Computes the dollars that one call cannot exceed, which are reserved before the call is made, without a cap, too: a call of unknown end may have cost
 * as much. Null where no price is known, 0 for a judge without a model. `factor`: the price of a token here as a share of that of a single call
 * (`BatchApi.price_factor`).
 */
export function boundOfCall(info: JudgeInfo, request: JudgeRequest, factor = 1): number | null {
  if (info.kind === 'lexical') return 0
  if (info.price === null) return null
  const repairs = request.repairs.flatMap(({ answer, complaint }) => [answer, complaint])
  const shared = estimateShared(request.system) + estimateShared(schemaText(request.answer_schema))
  const texts = [request.trajectory, request.question, ...repairs]
  const words = texts.reduce((sum, text) => sum + estimateTokens(text), shared) * info.token_factor
  const output = request.max_output_tokens ?? info.max_output_tokens ?? UNLIMITED_OUTPUT_TOKENS
  return upperBoundUsd({ input: boundOfTokens(words + tokensOfPictures(request.images)), output }, info.price) * factor
}
