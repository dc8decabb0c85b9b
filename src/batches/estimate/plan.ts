import { schemaText } from '../../asking/margin.ts'
import { estimateTokens } from '../../domain/money/tokens.ts'
import { DECISION_NOTE, renderQuestion, WINDOW_NOTE } from '../../domain/rubric/prompt.ts'
import { createRendering } from '../../domain/trajectory/rendering.ts'
import { picturesIn, tokensOfPictures } from '../../domain/trajectory/shown-pictures.ts'
import type { Question } from '../../grading/question.ts'
import { MOST_SPLITS } from '../../grading/read-windows.ts'
import { planReading, type WindowedReading } from '../../grading/reading.ts'
import { readingBudget } from '../../grading/reading-budget.ts'
import { halvePiece, type Piece, renderPiece } from '../../grading/window-pieces.ts'

/** What one sample would send, in estimated tokens of the judge’s own tokenizer. */
export interface ReadingPlan {
  /** What stands before the trajectory: the same for every question of a rubric. */
  readonly system: number
  /** The answer’s schema, which providers count as input. */
  readonly schema: number
  /** Trajectory and question of each window, in order; empty where the trajectory is read in one. */
  readonly windows: readonly number[]
  /** The same of all halves and quarters that windows are cut into where they overflow. Worked out when asked for. */
  readonly splits: () => readonly number[]
  /** Trajectory and question of the decision: the most and the least that it can be shown. Null: it fits in no way. */
  readonly decision: { readonly min: number; readonly max: number } | null
  /** The most that can be shown again of the trajectory in one complaint. */
  readonly shown_again: number
}

/** Plans what `gradeSample` of `sample.ts` asks at one scale of the window, without asking. Pure. */
export function planSample(question: Question, scale: number): ReadingPlan {
  const { judge, trajectory, nonce, anchors, rubric } = question
  const tokens = (text: string): number => Math.ceil(estimateTokens(text) * judge.info.token_factor)
  const asked = (note: string): number =>
    tokens(
      renderQuestion(rubric, question.ground_truth, rendering, { note, written_form: !judge.info.structured_output }),
    )
  const rendering = createRendering(trajectory, nonce)
  const budget = readingBudget(question, scale)
  const reading = planReading(trajectory, nonce, anchors, budget, judge.info)
  const shown = (text: string): number => tokens(text) + tokensOfPictures(picturesIn(reading.rendering.pictures, text))
  const common = {
    system: tokens(rubric.system),
    schema: tokens(schemaText(rubric.answer_schema)),
    shown_again: shownAgain(question),
  }
  if (reading.kind === 'too_long') return { ...common, windows: [], splits: () => [], decision: null }
  if (reading.kind === 'windows') {
    const note = asked(WINDOW_NOTE)
    const decision = asked(DECISION_NOTE)
    return {
      ...common,
      windows: reading.windows.map((piece) => shown(renderPiece(reading.rendering, piece)) + note),
      splits: () => splitsOf(reading).map((piece) => shown(renderPiece(reading.rendering, piece)) + note),
      // Which steps hold evidence is not known before the windows are read.
      decision: { min: decision, max: budget.tokens + decision },
    }
  }
  const all = shown(reading.text) + asked('')
  return { ...common, windows: [], splits: () => [], decision: { min: all, max: all } }
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
