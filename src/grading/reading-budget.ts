import { estimateTokens, mostTokens } from '../domain/money/tokens.ts'
import { renderQuestion } from '../domain/rubric/prompt.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { createRendering } from '../domain/trajectory/rendering.ts'
import type { Question } from './question.ts'

/** The shares of the window that a reading, or a decision over windows, tries one after the other while it overflows. */
export const WINDOW_SCALES = [1, 0.6, 0.36] as const

/** For two repairs with their complaints. */
const REPAIR_TOKENS = 8000

/** Tokens left for the trajectory once everything else has its share; 5 % are kept for a wrong estimate. */
export interface ReadingBudget {
  /** It is not less than this, which is known without an estimate. */
  readonly least: number
  /** Estimated when first asked for. */
  readonly tokens: number
}

export function readingBudget(question: Question, scale: number): ReadingBudget {
  const { judge, rubric, ground_truth, trajectory, nonce } = question
  const { window_tokens, max_output_tokens, structured_output, token_factor } = judge.info
  if (window_tokens === null) return { least: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY }
  const asking = { note: '', written_form: !structured_output }
  const asked = renderQuestion(rubric, ground_truth, createRendering(trajectory, nonce), asking)
  const window = window_tokens * 0.95 - (max_output_tokens ?? 0)
  const left = (tokens: number): number =>
    Math.max(1000, Math.floor((window - (systemTokens(rubric) + tokens) * token_factor - REPAIR_TOKENS) * scale))
  let tokens: number | undefined
  return {
    least: left(mostTokens(asked)),
    get tokens() {
      tokens ??= left(estimateTokens(asked))
      return tokens
    },
  }
}

const SYSTEM_TOKENS = new WeakMap<Rubric, number>()

/** The same for every question of a rubric. */
function systemTokens(rubric: Rubric): number {
  const known = SYSTEM_TOKENS.get(rubric) ?? estimateTokens(rubric.system)
  SYSTEM_TOKENS.set(rubric, known)
  return known
}
