import { createHmac } from 'node:crypto'
import type { Coverage } from '../schemas/grade.ts'
import type { ElisionPlan } from './elision.ts'
import type { Part, Position, Step, Trajectory } from './trajectory.ts'
import { type PartView, type Range, viewPart } from './view.ts'

/** Bumped when the same trajectory is shown otherwise: it is part of every cache key. */
export const RENDERING_VERSION = 1

/** What a judge is shown of a trajectory, part by part, made when first asked for. */
export interface Rendering {
  readonly trajectory: Trajectory
  readonly nonce: string
  view(position: Position): PartView
}

/**
 * The mark in every frame of the prompt: an HMAC of the trajectory's digest, so that it is stable for the provider's prompt
 * cache and unknown to whoever wrote the trajectory. In the unheard-of case that the text holds it, the next one is taken.
 */
export function makeNonce(secret: Uint8Array, trajectory: Trajectory): string {
  for (let round = 0; ; round++) {
    const nonce = createHmac('sha256', secret)
      .update(`${trajectory.id}/${RENDERING_VERSION}/${round}`)
      .digest('hex')
      .slice(0, 16)
    if (!trajectory.steps.some((step) => step.parts.some((part) => part.text.includes(nonce)))) return nonce
  }
}

export function createRendering(
  trajectory: Trajectory,
  nonce: string,
  shown?: (position: Position, part: Part) => readonly Range[] | undefined,
): Rendering {
  const views = new Map<Part, PartView>()
  return {
    trajectory,
    nonce,
    view(position) {
      const part = trajectory.steps[position.step]?.parts[position.part]
      if (part === undefined) throw new RangeError(`no part ${position.part} in step ${position.step}`)
      const known = views.get(part)
      if (known !== undefined) return known
      const view = viewPart(part.text, nonce, shown?.(position, part))
      views.set(part, view)
      return view
    },
  }
}

/** The ranges that an elision plan leaves of each part it cuts. */
export function shownByPlan(plan: ElisionPlan): (position: Position, part: Part) => readonly Range[] | undefined {
  const cuts = new Map(plan.cuts.map((cut) => [`${cut.step}/${cut.part}`, cut]))
  return (position, part) => {
    const cut = cuts.get(`${position.step}/${position.part}`)
    if (cut === undefined) return undefined
    const length = part.text.length
    return [
      { start: 0, end: cut.keep_head },
      { start: length - cut.keep_tail, end: length },
    ]
  }
}

/** Text of whole steps, framed. `omitted` says what stands between steps that do not follow each other. */
export function renderSteps(rendering: Rendering, steps: readonly number[]): string {
  const out: string[] = []
  let expected = 0
  for (const index of steps) {
    const step = rendering.trajectory.steps[index]
    if (step === undefined) continue
    if (index > expected) out.push(omission(rendering, expected, index))
    out.push(renderStep(rendering, step, index))
    expected = index + 1
  }
  const total = rendering.trajectory.steps.length
  if (expected < total) out.push(omission(rendering, expected, total))
  out.push(`=== END OF TRAJECTORY · ${rendering.nonce} ===\n`)
  return out.join('')
}

function omission(rendering: Rendering, from: number, to: number): string {
  const first = rendering.trajectory.steps[from]?.id
  const last = rendering.trajectory.steps[to - 1]?.id
  return `=== OMITTED here: steps ${first} to ${last} · ${rendering.nonce} ===\n`
}

function renderStep(rendering: Rendering, step: Step, index: number): string {
  const note = step.copied ? ' · copied from an earlier segment, not new behaviour' : ''
  const out = [`=== STEP ${step.id} · ${rendering.nonce}${note} ===\n`]
  step.parts.forEach((part, number) => {
    const name = part.name === '' ? '' : ` ${viewPart(part.name, rendering.nonce).text.replaceAll('\n', ' ')}`
    out.push(
      `--- ${part.actor}${name} · ${rendering.nonce} ---\n`,
      rendering.view({ step: index, part: number }).text,
      '\n',
    )
  })
  return out.join('')
}

/** What of the trajectory the judge saw, as the receipt says it. */
export function coverageOf(rendering: Rendering, windows: number): Coverage {
  let hidden = 0
  let media = 0
  rendering.trajectory.steps.forEach((step, index) => {
    step.parts.forEach((part, number) => {
      if (part.media) media++
      for (const range of rendering.view({ step: index, part: number }).hidden) hidden += range.end - range.start
    })
  })
  const total = rendering.trajectory.steps.length
  return { steps_shown: total, steps_total: total, elided_chars: hidden, media_parts: media, windows }
}

/** The same for a judge that reads the trajectory itself: nothing is rendered, nothing is hidden. */
export function fullCoverage(trajectory: Trajectory): Coverage {
  const total = trajectory.steps.length
  const media = trajectory.steps.reduce((sum, step) => sum + step.parts.filter((part) => part.media).length, 0)
  return { steps_shown: total, steps_total: total, elided_chars: 0, media_parts: media, windows: 1 }
}
