import { type Anchors, textOfAnchor } from '../domain/anchors/anchors.ts'
import { estimateTokens, mostTokens } from '../domain/money.ts'
import { renderQuestion } from '../domain/rubric/prompt.ts'
import type { ElidableStep } from '../domain/trajectory/reading-plan.ts'
import { planElision, planWindows, SLICE_OVERLAP, splitOversized } from '../domain/trajectory/reading-plan.ts'
import type { Rendering, ShownPictures } from '../domain/trajectory/rendering.ts'
import {
  choosePictures,
  createRendering,
  NO_PICTURES,
  renderSteps,
  shownByPlan,
  tokensOfPictures,
} from '../domain/trajectory/rendering.ts'
import type { Part } from '../domain/trajectory/trajectory.ts'
import { estimateShared } from './money.ts'
import type { Question } from './question.ts'

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
  { trajectory, nonce, anchors, judge }: Pick<Question, 'trajectory' | 'nonce' | 'anchors' | 'judge'>,
  budget: ReadingBudget,
  images = judge.info.images,
): Reading {
  const { token_factor } = judge.info
  const pictures = images ? choosePictures(trajectory, nonce, () => budget.tokens * SHARE_OF_PICTURES) : NO_PICTURES
  const whole = createRendering(trajectory, nonce, undefined, pictures)
  const all = trajectory.steps.map((_, index) => index)
  if (mostOfSteps(whole, token_factor) <= budget.least)
    return { kind: 'whole', rendering: whole, text: renderSteps(whole, all) }
  const needles = needlesOf(anchors)
  const steps = costSteps(whole, needles, token_factor)
  if (steps.reduce((sum, step) => sum + tokensOf(step), 0) <= budget.tokens)
    return { kind: 'whole', rendering: whole, text: renderSteps(whole, all) }
  const plan = planElision(steps, budget.tokens)
  if (plan.fits) {
    const rendering = createRendering(trajectory, nonce, shownByPlan(trajectory, plan), pictures)
    return { kind: 'elided', rendering, text: renderSteps(rendering, all) }
  }
  const windows = planPieces(steps, budget.tokens)
  return windows.length > MOST_WINDOWS
    ? { kind: 'too_long', rendering: whole }
    : { kind: 'windows', rendering: whole, windows, steps, needles, token_factor }
}

/** Bounds the estimate of all steps from above, without estimating. */
function mostOfSteps(rendering: Rendering, factor: number): number {
  let sum = tokensOfParts(rendering.pictures, rendering.pictures.keys())
  for (const { parts } of rendering.trajectory.steps) {
    sum += FRAME_TOKENS
    for (const part of parts) sum += Math.ceil(mostTokens(rendering.view(part).text) * factor) + FRAME_TOKENS
  }
  return sum
}

function costSteps(rendering: Rendering, needles: readonly string[], factor: number): ElidableStep[] {
  return rendering.trajectory.steps.map(({ parts }) => ({
    protected: false,
    parts: parts.map((part) => ({
      actor: part.actor,
      chars: part.text.length,
      tokens:
        Math.ceil(estimateTokens(rendering.view(part).text) * factor) +
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
interface ReadingBudget {
  /** A lower bound of the tokens, known without an estimate. */
  readonly least: number
  /** The budget, estimated at its first reading. */
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
    Math.max(
      1000,
      Math.floor((window - (estimateShared(rubric.system) + tokens) * token_factor - REPAIR_TOKENS) * scale),
    )
  let tokens: number | null = null
  return {
    least: left(mostTokens(asked)),
    get tokens() {
      tokens ??= left(estimateTokens(asked))
      return tokens
    },
  }
}

/** The content of one window: whole steps, or stretches of the parts of one step. */
export type Piece =
  | { readonly kind: 'steps'; readonly from: number; readonly to: number }
  | { readonly kind: 'parts'; readonly step: number; readonly stretches: readonly Stretch[] }

/** UTF-16 units of one part, `end` not included. */
interface Stretch {
  readonly part: number
  readonly start: number
  readonly end: number
  readonly tokens: number
}

type StepCosts = readonly ElidableStep[]

/** Tokens of a frame, the kind and the end of a call included. */
export const FRAME_TOKENS = 40
const WINDOW_OVERLAP = 1

export const tokensOf = (step: ElidableStep): number =>
  step.parts.reduce((sum, part) => sum + part.tokens, FRAME_TOKENS)

/** Windows on step boundaries; a step that is too large alone is read in overlapping slices of its parts. */
const planPieces = (steps: StepCosts, budget: number): Piece[] =>
  planWindows(steps.map(tokensOf), budget, WINDOW_OVERLAP).flatMap(({ from, to, oversized }): Piece[] =>
    oversized ? sliceStep(steps, from, budget) : [{ kind: 'steps', from, to }],
  )

function sliceStep(steps: StepCosts, step: number, budget: number): Piece[] {
  const parts = steps[step]?.parts ?? []
  const room = Math.max(1, budget - FRAME_TOKENS * (parts.length + 2))
  return parts.flatMap(({ chars, tokens }, part) =>
    splitOversized(chars, tokens, room).map((slice): Piece => {
      const share = Math.ceil((tokens * (slice.end - slice.start)) / chars)
      return { kind: 'parts', step, stretches: [{ part, ...slice, tokens: share }] }
    }),
  )
}

/** The text of a window. What it leaves out of a step is marked. */
export function renderPiece(whole: Rendering, piece: Piece): string {
  if (piece.kind === 'steps') {
    const indexes = Array.from({ length: piece.to - piece.from }, (_, offset) => piece.from + offset)
    return renderSteps(whole, indexes)
  }
  const parts = whole.trajectory.steps[piece.step]?.parts ?? []
  const shown = new Map(parts.map((part, at) => [part, piece.stretches.filter((one) => one.part === at)]))
  return renderSteps(createRendering(whole.trajectory, whole.nonce, shown, whole.pictures), [piece.step])
}

/** Two windows that together show what this one does, each with about half of its tokens. Null: it is too short for that. */
export function halvePiece(piece: Piece, steps: StepCosts): readonly [Piece, Piece] | null {
  if (piece.kind === 'parts') return halveStretches(piece.step, piece.stretches)
  const { from, to } = piece
  if (to - from < 2) return halveStretches(from, wholeParts(steps[from]))
  const middle = from + middleOf(steps.slice(from, to).map(tokensOf))
  return [
    { kind: 'steps', from, to: middle },
    { kind: 'steps', from: middle, to },
  ]
}

const wholeParts = (step: ElidableStep | undefined): Stretch[] =>
  (step?.parts ?? []).map(({ chars, tokens }, part) => ({ part, start: 0, end: chars, tokens }))

function halveStretches(step: number, stretches: readonly Stretch[]): readonly [Piece, Piece] | null {
  const pieceOf = (some: readonly Stretch[]): Piece => ({ kind: 'parts', step, stretches: some })
  const [only] = stretches
  if (only === undefined) return null
  if (stretches.length > 1) {
    const middle = middleOf(stretches.map(({ tokens }) => tokens))
    return [pieceOf(stretches.slice(0, middle)), pieceOf(stretches.slice(middle))]
  }
  const { start, end } = only
  if (end - start <= 2 * SLICE_OVERLAP) return null
  const middle = Math.floor((start + end) / 2)
  const tokens = Math.ceil(only.tokens / 2)
  return [
    pieceOf([{ ...only, end: middle + SLICE_OVERLAP / 2, tokens }]),
    pieceOf([{ ...only, start: middle - SLICE_OVERLAP / 2, tokens }]),
  ]
}

/** Finds the cut of a list of sizes that makes the halves nearly equal; neither is empty. */
function middleOf(sizes: readonly number[]): number {
  const half = sizes.reduce((sum, size) => sum + size, 0) / 2
  let sum = 0
  let at = 0
  while (at < sizes.length - 1 && sum + (sizes[at] ?? 0) / 2 < half) sum += sizes[at++] ?? 0
  return Math.max(1, at)
}
