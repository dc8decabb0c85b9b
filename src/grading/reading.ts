import type { Anchors, InstructionAnchors } from '../domain/anchors.ts'
import { type ElidableStep, planElision } from '../domain/elision.ts'
import { createRendering, type Rendering, renderSteps, shownByPlan } from '../domain/rendering.ts'
import { estimateTokens } from '../domain/tokens.ts'
import type { Position, Trajectory } from '../domain/trajectory.ts'
import { planWindows, splitOversized } from '../domain/windows.ts'

/** How the judge gets to see the trajectory, decided by what fits. */
export type Reading =
  | { readonly kind: 'whole' | 'elided'; readonly rendering: Rendering; readonly text: string }
  | {
      readonly kind: 'windows'
      readonly rendering: Rendering
      readonly windows: readonly string[]
      readonly steps: StepCosts
    }
  | { readonly kind: 'too_long'; readonly rendering: Rendering }

type StepCosts = readonly ElidableStep[]

const FRAME_TOKENS = 30
const WINDOW_OVERLAP = 1
const MOST_WINDOWS = 64

/** Plans the reading of a trajectory within `budget` tokens of the judge’s own tokenizer. */
export function planReading(
  trajectory: Trajectory,
  nonce: string,
  anchors: Anchors,
  budget: number,
  tokenFactor: number,
): Reading {
  const whole = createRendering(trajectory, nonce)
  const all = trajectory.steps.map((_, index) => index)
  if (mostTokens(whole, tokenFactor) <= budget)
    return { kind: 'whole', rendering: whole, text: renderSteps(whole, all) }
  const steps = costSteps(whole, anchors, tokenFactor)
  if (steps.reduce((sum, step) => sum + tokensOf(step), 0) <= budget)
    return { kind: 'whole', rendering: whole, text: renderSteps(whole, all) }
  const plan = planElision(steps, budget)
  if (plan.fits) {
    const rendering = createRendering(trajectory, nonce, shownByPlan(plan))
    return { kind: 'elided', rendering, text: renderSteps(rendering, all) }
  }
  const windows = renderWindows(whole, steps, budget)
  return windows.length > MOST_WINDOWS
    ? { kind: 'too_long', rendering: whole }
    : { kind: 'windows', rendering: whole, windows, steps }
}

/** The steps of the one decision after the windows: those with evidence, the first and the last, cut to fit. Null: too long. */
export function decisionText(
  reading: Extract<Reading, { kind: 'windows' }>,
  evidence: ReadonlySet<number>,
  budget: number,
): string | null {
  const { rendering, steps } = reading
  const last = rendering.trajectory.steps.length
  const chosen = rendering.trajectory.steps
    .map((_, index) => index)
    .filter((index) => evidence.has(index) || index < 2 || index >= last - 2)
  const costs = chosen.flatMap((index) => steps[index] ?? [])
  if (costs.reduce((sum, step) => sum + tokensOf(step), 0) <= budget) return renderSteps(rendering, chosen)
  const unprotected = costs.map((step) => ({
    ...step,
    parts: step.parts.map((part) => ({ ...part, protected: false })),
  }))
  const plan = planElision(unprotected, budget)
  if (!plan.fits) return null
  const cuts = plan.cuts.map((cut) => ({ ...cut, step: chosen[cut.step] ?? -1 }))
  return renderSteps(createRendering(rendering.trajectory, rendering.nonce, shownByPlan({ ...plan, cuts })), chosen)
}

/** What the estimate of all steps cannot exceed, without estimating: a UTF-16 unit is three bytes at most, and a byte is one token at most. */
function mostTokens(rendering: Rendering, factor: number): number {
  let sum = 0
  rendering.trajectory.steps.forEach((step, index) => {
    sum += FRAME_TOKENS
    for (const number of step.parts.keys())
      sum += Math.ceil(3 * rendering.view({ step: index, part: number }).text.length * factor) + FRAME_TOKENS
  })
  return sum
}

function costSteps(rendering: Rendering, anchors: Anchors, factor: number): ElidableStep[] {
  const needles = [...needlesOf(anchors.cue), ...needlesOf(anchors.distractor)]
  return rendering.trajectory.steps.map((step, index) => ({
    protected: false,
    parts: step.parts.map((part, number) => ({
      actor: part.actor,
      chars: part.text.length,
      tokens: Math.ceil(estimateTokens(rendering.view({ step: index, part: number }).text) * factor) + FRAME_TOKENS,
      protected: needles.some((needle) => part.text.includes(needle)),
    })),
  }))
}

const needlesOf = (one: InstructionAnchors | null): readonly string[] =>
  one === null ? [] : [...one.seen_given, ...one.seen_derived, ...one.acted_given]

const tokensOf = (step: ElidableStep): number => step.parts.reduce((sum, part) => sum + part.tokens, FRAME_TOKENS)

/** Windows on step boundaries; a step that is too large alone is read in overlapping slices of its parts. */
function renderWindows(whole: Rendering, steps: StepCosts, budget: number): string[] {
  return planWindows(steps.map(tokensOf), budget, WINDOW_OVERLAP).flatMap((window) => {
    const indexes = Array.from({ length: window.to - window.from }, (_, offset) => window.from + offset)
    const [only] = indexes
    if (indexes.length === 1 && only !== undefined && tokensOf(steps[only] ?? { protected: false, parts: [] }) > budget)
      return sliceStep(whole, steps, only, budget)
    return [renderSteps(whole, indexes)]
  })
}

function sliceStep(whole: Rendering, steps: StepCosts, step: number, budget: number): string[] {
  const parts = steps[step]?.parts ?? []
  return parts.flatMap((cost, part) =>
    splitOversized(cost.chars, cost.tokens, Math.max(1, budget - FRAME_TOKENS * (parts.length + 2))).map((range) => {
      const shown = (position: Position) => (position.step !== step ? undefined : position.part === part ? [range] : [])
      return renderSteps(createRendering(whole.trajectory, whole.nonce, shown), [step])
    }),
  )
}
