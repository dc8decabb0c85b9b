import { estimateTokens } from '../domain/money/tokens.ts'
import { renderQuestion } from '../domain/rubric/prompt.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { createRendering } from '../domain/trajectory/rendering.ts'
import type { Question } from './question.ts'

/** The shares of the window that a reading, or a decision over windows, tries one after the other while it overflows. */
export const WINDOW_SCALES = [1, 0.6, 0.36] as const

/** For two repairs with their complaints. */
const REPAIR_TOKENS = 8000

/** Tokens left for the trajectory once everything else has its share; 5 % are kept for a wrong estimate. */
export function readingBudget(question: Question, scale: number): number {
  const { judge, rubric, ground_truth, trajectory, nonce } = question
  if (judge.info.window_tokens === null) return Number.POSITIVE_INFINITY
  const rendering = createRendering(trajectory, nonce)
  const asking = { note: '', written_form: !judge.info.structured_output }
  const around = systemTokens(rubric) + estimateTokens(renderQuestion(rubric, ground_truth, rendering, asking))
  const window = judge.info.window_tokens * 0.95 - (judge.info.max_output_tokens ?? 0)
  return Math.max(1000, Math.floor((window - around * judge.info.token_factor - REPAIR_TOKENS) * scale))
}

const SYSTEM_TOKENS = new WeakMap<Rubric, number>()

/** The same for every question of a rubric. */
function systemTokens(rubric: Rubric): number {
  const known = SYSTEM_TOKENS.get(rubric) ?? estimateTokens(rubric.system)
  SYSTEM_TOKENS.set(rubric, known)
  return known
}
