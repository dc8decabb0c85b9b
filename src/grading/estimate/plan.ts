import { DECISION_NOTE, renderQuestion, WINDOW_NOTE } from '../../domain/prompt.ts'
import { createRendering } from '../../domain/rendering.ts'
import { estimateTokens } from '../../domain/tokens.ts'
import { JudgeAnswerSchema } from '../../schemas/judge-answer.ts'
import type { Question } from '../question.ts'
import { planReading } from '../reading.ts'
import { readingBudget } from '../reading-budget.ts'
import { schemaText } from './margin.ts'

/** What one sample would send, in estimated tokens of the judge’s own tokenizer. */
export interface ReadingPlan {
  /** What stands before the trajectory: the same for every question of a rubric. */
  readonly system: number
  /** The answer’s schema, which providers count as input. */
  readonly schema: number
  /** Trajectory and question of each window, in order; empty where the trajectory is read in one. */
  readonly windows: readonly number[]
  /** Trajectory and question of the decision: the most and the least that it can be shown. Null: it fits in no way. */
  readonly decision: { readonly min: number; readonly max: number } | null
  /** The most that can be shown again of the trajectory in one complaint. */
  readonly shown_again: number
}

/** Plans what `SampleRun.attempt` of `sample.ts` asks, without asking. Pure. */
export function planSample(question: Question, scale: number): ReadingPlan {
  const { judge, trajectory, nonce, anchors, rubric } = question
  const tokens = (text: string): number => Math.ceil(estimateTokens(text) * judge.info.token_factor)
  const asked = (note: string): number => tokens(renderQuestion(rubric, question.ground_truth, rendering, note))
  const rendering = createRendering(trajectory, nonce)
  const budget = readingBudget(question, scale)
  const reading = planReading(trajectory, nonce, anchors, budget, judge.info.token_factor)
  const common = {
    system: tokens(rubric.system),
    schema: tokens(schemaText(JudgeAnswerSchema)),
    shown_again: shownAgain(question),
  }
  if (reading.kind === 'too_long') return { ...common, windows: [], decision: null }
  if (reading.kind === 'windows') {
    const note = asked(WINDOW_NOTE)
    const decision = asked(DECISION_NOTE)
    return {
      ...common,
      windows: reading.windows.map((text) => tokens(text) + note),
      // Which steps hold evidence is not known before the windows are read.
      decision: { min: decision, max: budget + decision },
    }
  }
  const all = tokens(reading.text) + asked('')
  return { ...common, windows: [], decision: { min: all, max: all } }
}

/** A complaint shows at most three steps, 3000 characters of each part (`prompt.ts`). */
const STEPS_SHOWN_AGAIN = 3
const CHARS_SHOWN_AGAIN = 3000
/** Marker and actor around a part that is shown again. */
const FRAME_TOKENS = 40

/** A character is taken for a token, unless all of the trajectory is less. */
function shownAgain({ trajectory, judge }: Question): number {
  const sizes = trajectory.steps.map((step) =>
    step.parts.reduce((sum, part) => sum + FRAME_TOKENS + Math.min(part.text.length, CHARS_SHOWN_AGAIN), FRAME_TOKENS),
  )
  const most = sizes.sort((a, b) => b - a).slice(0, STEPS_SHOWN_AGAIN)
  return Math.ceil(most.reduce((sum, size) => sum + size, 0) * judge.info.token_factor)
}
