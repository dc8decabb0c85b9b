import type { Anchors } from '../domain/evidence/anchors.ts'
import { estimateTokens, mostTokens } from '../domain/money/tokens.ts'
import { type ElidableStep, planElision } from '../domain/trajectory/elision.ts'
import { createRendering, type Rendering, renderSteps, shownByPlan } from '../domain/trajectory/rendering.ts'
import {
  choosePictures,
  NO_PICTURES,
  type ShownPictures,
  tokensOfPictures,
} from '../domain/trajectory/shown-pictures.ts'
import type { Part, Trajectory } from '../domain/trajectory/trajectory.ts'
import type { JudgeInfo } from '../ports/judge-ports.ts'
import type { ReadingBudget } from './reading-budget.ts'
import { FRAME_TOKENS, type Piece, planPieces, type StepCosts, tokensOf } from './window-pieces.ts'

/** How the judge gets to see the trajectory, decided by what fits. */
type Reading =
  | { readonly kind: 'whole' | 'elided'; readonly rendering: Rendering; readonly text: string }
  | WindowedReading
  | { readonly kind: 'too_long'; readonly rendering: Rendering }

export interface WindowedReading {
  readonly kind: 'windows'
  readonly rendering: Rendering
  readonly windows: readonly Piece[]
  readonly steps: StepCosts
  /** Strings of the instructions: the parts that hold one are `protected` in `steps`. */
  readonly needles: readonly string[]
  readonly token_factor: number
}

export const MOST_WINDOWS = 64

/** What is left of the budget for the text. */
const SHARE_OF_PICTURES = 0.5

/** Plans the reading of a trajectory within a budget of the judge’s own tokens; pictures get at most half of it. */
export function planReading(
  trajectory: Trajectory,
  nonce: string,
  anchors: Anchors,
  budget: ReadingBudget,
  { token_factor: tokenFactor, images }: Pick<JudgeInfo, 'token_factor' | 'images'>,
): Reading {
  const pictures = images ? choosePictures(trajectory, nonce, () => budget.tokens * SHARE_OF_PICTURES) : NO_PICTURES
  const whole = createRendering(trajectory, nonce, undefined, pictures)
  const all = trajectory.steps.map((_, index) => index)
  if (mostOfSteps(whole, tokenFactor) <= budget.least)
    return { kind: 'whole', rendering: whole, text: renderSteps(whole, all) }
  const needles = needlesOf(anchors)
  const steps = costSteps(whole, needles, tokenFactor)
  if (steps.reduce((sum, step) => sum + tokensOf(step), 0) <= budget.tokens)
    return { kind: 'whole', rendering: whole, text: renderSteps(whole, all) }
  const plan = planElision(steps, budget.tokens)
  if (plan.fits) {
    const rendering = createRendering(trajectory, nonce, shownByPlan(plan), pictures)
    return { kind: 'elided', rendering, text: renderSteps(rendering, all) }
  }
  const windows = planPieces(steps, budget.tokens)
  return windows.length > MOST_WINDOWS
    ? { kind: 'too_long', rendering: whole }
    : { kind: 'windows', rendering: whole, windows, steps, needles, token_factor: tokenFactor }
}

/** What the estimate of all steps cannot exceed, without estimating. */
function mostOfSteps(rendering: Rendering, factor: number): number {
  let sum = tokensOfParts(rendering.pictures, rendering.pictures.keys())
  rendering.trajectory.steps.forEach((step, index) => {
    sum += FRAME_TOKENS
    for (const number of step.parts.keys())
      sum += Math.ceil(mostTokens(rendering.view({ step: index, part: number }).text) * factor) + FRAME_TOKENS
  })
  return sum
}

function costSteps(rendering: Rendering, needles: readonly string[], factor: number): ElidableStep[] {
  return rendering.trajectory.steps.map((step, index) => ({
    protected: false,
    parts: step.parts.map((part, number) => ({
      actor: part.actor,
      chars: part.text.length,
      tokens:
        Math.ceil(estimateTokens(rendering.view({ step: index, part: number }).text) * factor) +
        tokensOfParts(rendering.pictures, [part]) +
        FRAME_TOKENS,
      protected: rendering.pictures.has(part) || needles.some((needle) => part.text.includes(needle)),
    })),
  }))
}

const tokensOfParts = (pictures: ShownPictures, parts: Iterable<Part>): number =>
  tokensOfPictures([...parts].flatMap((part) => pictures.get(part) ?? []))

const needlesOf = (anchors: Anchors): readonly string[] =>
  Object.values(anchors).flatMap((one) =>
    one === null ? [] : [...one.seen_given, ...one.seen_derived, ...one.acted_given],
  )
