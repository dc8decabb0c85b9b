import { createHmac } from 'node:crypto'
import type { Coverage } from '../../schemas/grade.ts'
import { renderActNotes } from './act.ts'
import type { ElisionPlan } from './elision.ts'
import { NO_PICTURES, type ShownPictures } from './shown-pictures.ts'
import type { Part, Position, Step, Trajectory } from './trajectory.ts'
import { hiddenRanges, type PartView, type Range, viewPart } from './view.ts'

/** Bumped when the same trajectory is shown otherwise: it is part of every cache key. */
export const RENDERING_VERSION = 3

/** The views of a trajectory for a judge, part by part, made when first asked for. */
export interface Rendering {
  readonly trajectory: Trajectory
  readonly nonce: string
  /** Pictures that go with the text; any other medium is a placeholder that says so. */
  readonly pictures: ShownPictures
  view(position: Position): PartView
  /** Lists the ranges of a part that are not shown, without making its view. */
  hidden(position: Position): readonly Range[]
}

/**
 * The mark in every frame of the prompt: an HMAC of the trajectory's digest, so that it is stable for the provider's prompt
 * cache and unknown to the author of the trajectory. In the unheard-of case that the text holds it, the next one is taken.
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
  pictures: ShownPictures = NO_PICTURES,
): Rendering {
  const views = new Map<Part, PartView>()
  const partAt = (position: Position): Part => {
    const part = trajectory.steps[position.step]?.parts[position.part]
    if (part === undefined) throw new RangeError(`no part ${position.part} in step ${position.step}`)
    return part
  }
  return {
    trajectory,
    nonce,
    pictures,
    view(position) {
      const part = partAt(position)
      const ranges = shown?.(position, part)
      const isMedia = part.media && ranges?.length !== 0
      const make = () =>
        isMedia ? viewMedia(part, nonce, pictures.get(part)?.mark) : viewPart(part.text, nonce, ranges)
      const view = views.get(part) ?? make()
      views.set(part, view)
      return view
    },
    hidden(position) {
      const part = partAt(position)
      const ranges = shown?.(position, part)
      return ranges === undefined ? [] : hiddenRanges(part.text, ranges)
    },
  }
}

/** A picture’s mark in place of its placeholder, which says of any other medium that the judge does not see it. */
function viewMedia(part: Part, nonce: string, mark: string | undefined): PartView {
  const { text: source } = part
  if (mark !== undefined) return { source, text: mark, edits: [0, mark.length, 0, source.length], hidden: [] }
  const view = viewPart(source, nonce)
  const text = `${view.text} ⟦not shown to you · ${nonce}⟧`
  return {
    ...view,
    text,
    edits: [...Array.from(view.edits), view.text.length, text.length, source.length, source.length],
  }
}

/** The ranges that an elision plan leaves of each part it cuts. */
export function shownByPlan(plan: ElisionPlan): (position: Position, part: Part) => readonly Range[] | undefined {
  const cuts = new Map(plan.cuts.map((cut) => [`${cut.step}/${cut.part}`, cut]))
  return (position, part) => {
    const cut = cuts.get(`${position.step}/${position.part}`)
    if (cut === undefined) return undefined
    const { length } = part.text
    return [0, length - cut.kept].map((start) => ({ start, end: start + cut.kept }))
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
    renderStep(out, rendering, step, index)
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

function renderStep(out: string[], rendering: Rendering, step: Step, index: number): void {
  const note = step.copied ? ' · copied from an earlier segment, not new behaviour' : ''
  const named = (what: string, name: string | undefined) =>
    name === undefined ? '' : ` · ${what}${renderName(name, rendering.nonce)}`
  const of = `${named('run', step.run)}${named('agent', step.agent)}`
  out.push(`=== STEP ${step.id}${of} · ${rendering.nonce}${note} ===\n`)
  step.parts.forEach((part, number) => {
    const name = renderName(part.name, rendering.nonce)
    out.push(
      `--- ${part.actor}${name}${renderActNotes(part.act)} · ${rendering.nonce} ---\n`,
      rendering.view({ step: index, part: number }).text,
      '\n',
    )
  })
}

/** A name comes from the trajectory: it must not pass for a note of ours, which the dot sets off. */
export const renderName = (name: string, nonce: string): string =>
  name === '' ? '' : ` ${viewPart(name, nonce).text.replaceAll('\n', ' ').replaceAll('·', '⟨U+00B7⟩')}`

/** Counts the steps, characters and media that the judge saw, as the receipt says it. */
export function coverageOf({ trajectory: { steps }, pictures, hidden }: Rendering, windows: number): Coverage {
  const parts = steps.flatMap((step, index) => step.parts.map((part, at) => ({ part, at: { step: index, part: at } })))
  return {
    steps_shown: steps.length,
    steps_total: steps.length,
    elided_chars: parts.flatMap(({ at }) => hidden(at)).reduce((sum, { start, end }) => sum + end - start, 0),
    media_parts: parts.filter(({ part }) => part.media).length,
    media_shown: parts.filter(({ part }) => pictures.has(part)).length,
    windows,
  }
}

/** Counts the same for a judge that reads the trajectory itself: nothing is rendered, nothing is hidden. */
export const fullCoverage = (trajectory: Trajectory): Coverage => coverageOf(createRendering(trajectory, ''), 1)
