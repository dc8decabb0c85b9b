import { type Anchors, textOfAnchor } from '../domain/anchors/anchors.ts'
import { estimateTokens, mostTokens } from '../domain/money/tokens.ts'
import { renderQuestion } from '../domain/rubric/prompt.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { type ElidableStep, planElision } from '../domain/trajectory/elision.ts'
import { createRendering, type Rendering, renderSteps, shownByPlan } from '../domain/trajectory/rendering.ts'
import {
  choosePictures,
  NO_PICTURES,
  type ShownPictures,
  tokensOfPictures,
} from '../domain/trajectory/shown-pictures.ts'
import type { Part, Trajectory } from '../domain/trajectory/trajectory.ts'
import type { JudgeInfo } from '../ports/judge.ts'
import type { Question } from './service.ts'
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

/** The share of the budget that pictures may take; the rest is for the text. */
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

/** Bounds the estimate of all steps from above, without estimating. */
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
    one === null ? [] : [...one.seen_given, ...one.seen_derived, ...one.acted_given.map(textOfAnchor)],
  )

/** The shares of the window that a reading, or a decision over windows, tries one after the other while it overflows. */
export const WINDOW_SCALES = [1, 0.6, 0.36] as const

/** For two repairs with their complaints. */
const REPAIR_TOKENS = 8000

/** Tokens left for the trajectory once everything else has its share; 5 % are kept for a wrong estimate. */
export interface ReadingBudget {
  /** A lower bound of the tokens, known without an estimate. */
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
