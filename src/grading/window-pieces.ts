import type { ElidableStep } from '../domain/trajectory/elision.ts'
import { createRendering, type Rendering, renderSteps } from '../domain/trajectory/rendering.ts'
import type { Position } from '../domain/trajectory/trajectory.ts'
import { planWindows, SLICE_OVERLAP, splitOversized } from '../domain/trajectory/windows.ts'

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

export type StepCosts = readonly ElidableStep[]

/** Tokens of a frame, the kind and the end of a call included. */
export const FRAME_TOKENS = 40
const WINDOW_OVERLAP = 1

export const tokensOf = (step: ElidableStep): number =>
  step.parts.reduce((sum, part) => sum + part.tokens, FRAME_TOKENS)

/** Windows on step boundaries; a step that is too large alone is read in overlapping slices of its parts. */
export const planPieces = (steps: StepCosts, budget: number): Piece[] =>
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
  const stretches = ({ step, part }: Position) =>
    step === piece.step ? piece.stretches.filter((one) => one.part === part) : undefined
  return renderSteps(createRendering(whole.trajectory, whole.nonce, stretches, whole.pictures), [piece.step])
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
