import { checkEvidence, holds } from '../domain/evidence/evidence.ts'
import { estimateTokens } from '../domain/money.ts'
import type { Issue } from '../domain/result.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import { renderFormComplaint, WINDOW_NOTE } from '../domain/rubric/prompt.ts'
import { planElision } from '../domain/trajectory/reading-plan.ts'
import { createRendering, type Range, renderSteps, shownByPlan } from '../domain/trajectory/rendering.ts'
import type { Part } from '../domain/trajectory/trajectory.ts'
import type { Failure } from '../schemas/grade.ts'
import { type Calls, NOTHING_STORED, schemaInvalid } from './calls.ts'
import { halvePiece, MOST_WINDOWS, type Piece, renderPiece, tokensOf, type WindowedReading } from './reading.ts'

type WindowsRead =
  | { readonly ok: true; readonly marks: readonly Mark[]; readonly windows: number }
  | { readonly ok: false; readonly failure: Failure }

/** How often a window that overflows is cut in two: into halves, and these into quarters. */
const MOST_SPLITS = 2
/** A window, its halves and its quarters. */
const NODES = 2 ** (MOST_SPLITS + 1) - 1

/**
 * Reads every window for evidence. A window that overflows is halved, twice at the most, and only its halves are asked. A reply in the
 * wrong form is asked for once more. A window that could not be read fails the sample: every absence rests on all of them having been
 * read, so that a verdict over the rest would be a verdict over what was not looked at. A citation that does not hold marks nothing.
 *
 * Calls: at most two for each of the seven pieces of a window, each cut off once.
 */
export async function readWindows(calls: Calls, reading: WindowedReading): Promise<WindowsRead> {
  const marks: Mark[] = []
  let windows = 0
  for (const [index, window] of reading.windows.entries()) {
    const open: { piece: Piece; node: number }[] = [{ piece: window, node: 0 }]
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { piece, node } = next
      const read = await readPiece(calls, reading, piece, index + MOST_WINDOWS * node)
      if (read.ok) {
        marks.push(...marksOf(calls, read.claims, reading))
        windows++
        continue
      }
      const halves = read.overflow && 2 * node + 2 < NODES ? halvePiece(piece, reading.steps) : null
      if (halves === null) return { ok: false, failure: read.failure }
      open.unshift({ piece: halves[0], node: 2 * node + 1 }, { piece: halves[1], node: 2 * node + 2 })
    }
  }
  return { ok: true, marks, windows }
}

type PieceRead =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly failure: Failure; readonly overflow: boolean }

/** Asks about a piece. `round` names the piece: replies are stored under it. */
async function readPiece(
  calls: Calls,
  { rendering }: WindowedReading,
  piece: Piece,
  round: number,
): Promise<PieceRead> {
  let request = calls.request(rendering, renderPiece(rendering, piece), WINDOW_NOTE)
  let issues: readonly Issue[] = []
  for (const place of [round, round + MOST_WINDOWS * NODES]) {
    const asked = await calls.ask(request, place, 'window')
    // A piece that overflowed has no stored reply, but its halves have.
    if (asked === null) return unread(NOTHING_STORED, true)
    const { reply } = asked
    if (!reply.ok) return unread(reply.failure, reply.failure.code === 'context_overflow')
    const claims = calls.read(reply.text)
    if (claims.ok) return { ok: true, claims: claims.value }
    issues = claims.error
    request = { ...request, repairs: [{ answer: reply.text, complaint: renderFormComplaint(issues) }] }
  }
  return unread(schemaInvalid(issues, calls.question, nameOf(piece, rendering.trajectory.steps)), false)
}

const unread = (failure: Failure, overflow: boolean): PieceRead => ({ ok: false, failure, overflow })

function nameOf(piece: Piece, steps: readonly { readonly id: number }[]): string {
  if (piece.kind === 'parts') return `a piece of step ${steps[piece.step]?.id}`
  return `steps ${steps[piece.from]?.id} to ${steps[piece.to - 1]?.id}`
}

/** Marks the places of the real quotes of a window, whether the quotes come too early or not. */
function marksOf(calls: Calls, claims: Claims, { rendering }: WindowedReading): Mark[] {
  const { steps } = rendering.trajectory
  const evidence = checkEvidence(claims, { ...calls.question, rendering })
  return evidence.citations.flatMap(({ status, step_id, path, start, end }): Mark[] => {
    if (!(holds(status) || status === 'out_of_order') || start === null || end === null) return []
    const step = steps.findIndex(({ id }) => id === step_id)
    const part = steps[step]?.parts.findIndex((one) => one.path === path) ?? -1
    return part === -1 ? [] : [{ step, part, start, end }]
  })
}

/** A place that the decision has to see: what a window cited, or a string of the instructions. UTF-16 units of the part. */
export interface Mark {
  readonly step: number
  readonly part: number
  readonly start: number
  readonly end: number
}

/** Characters that stay on either side of a mark, the more the better. */
const AROUND = [1500, 400, 120] as const
const LEAST_AROUND = 120
/** Of a part without a mark, in a step that has one: enough to see what it is. */
const HEAD = 200

/** Renders the decision after the windows, the most that fits: marked, first and last steps; these cut; marked ones and neighbours; else null. */
export function decisionText(reading: WindowedReading, cited: readonly Mark[], budget: number): string | null {
  const anchors = anchorMarks(reading)
  const alone = (some: readonly Mark[], around: number): string | null => {
    const text = marksAlone(reading, [...some, ...anchors], around)
    return estimateTokens(text) * reading.token_factor <= budget ? text : null
  }
  let text = wholeSteps(reading, [...cited, ...anchors], budget)
  for (const around of AROUND) text ??= alone(cited, around)
  // A judge that cites everything cites nothing: then every other of its places is left out, and so on, but never one that holds the instructions.
  for (let step = 2; text === null && step < 2 * cited.length; step *= 2)
    text = alone(
      cited.filter((_, index) => index % step === 0),
      LEAST_AROUND,
    )
  return text
}

/** Marks the first place of each string of the instructions in every part that holds the string: always shown, whatever the windows cited. */
const anchorMarks = ({ rendering, steps, needles }: WindowedReading): Mark[] =>
  rendering.trajectory.steps.flatMap(({ parts }, step) =>
    parts.flatMap(({ text }, part) => {
      if (steps[step]?.parts[part]?.protected !== true) return []
      return needles.flatMap((needle) => {
        const start = text.indexOf(needle)
        return start === -1 ? [] : [{ step, part, start, end: start + needle.length }]
      })
    }),
  )

const placeOf = ({ step, part }: Pick<Mark, 'step' | 'part'>): string => `${step}/${part}`

function wholeSteps({ rendering, steps }: WindowedReading, marks: readonly Mark[], budget: number): string | null {
  const evidence = new Set(marks.map(({ step }) => step))
  const marked = new Set(marks.map(placeOf))
  const last = rendering.trajectory.steps.length
  const chosen = rendering.trajectory.steps
    .map((_, index) => index)
    .filter((index) => evidence.has(index) || index < 2 || index >= last - 2)
  const costs = chosen.map((step) => ({
    protected: false,
    // Cut at both ends, a part could lose what it is shown for.
    parts: (steps[step]?.parts ?? []).map((one, part) => ({ ...one, protected: marked.has(placeOf({ step, part })) })),
  }))
  if (costs.reduce((sum, step) => sum + tokensOf(step), 0) <= budget) return renderSteps(rendering, chosen)
  const plan = planElision(costs, budget)
  if (!plan.fits) return null
  const cuts = plan.cuts.map((cut) => ({ ...cut, step: chosen[cut.step] ?? -1 }))
  const shown = shownByPlan(rendering.trajectory, { cuts })
  return renderSteps(createRendering(rendering.trajectory, rendering.nonce, shown, rendering.pictures), chosen)
}

function marksAlone({ rendering }: WindowedReading, marks: readonly Mark[], around: number): string {
  const byPart = Map.groupBy(marks, placeOf)
  const chosen = [...new Set(marks.map(({ step }) => step))].sort((a, b) => a - b)
  const shown = chosen.flatMap((step) =>
    (rendering.trajectory.steps[step]?.parts ?? []).map((one, part): [Part, Range[]] => {
      const here = byPart.get(placeOf({ step, part }))
      if (here !== undefined) return [one, stretchesAround(here, around, one.text.length)]
      return [one, around > HEAD ? [{ start: 0, end: Math.min(HEAD, one.text.length) }] : []]
    }),
  )
  const { trajectory, nonce, pictures } = rendering
  return renderSteps(createRendering(trajectory, nonce, new Map(shown), pictures), chosen)
}

/** In order, and none touches the next. */
function stretchesAround(marks: readonly Mark[], around: number, length: number): Range[] {
  const ranges: { start: number; end: number }[] = []
  for (const mark of marks.toSorted((a, b) => a.start - b.start)) {
    const start = Math.max(0, mark.start - around)
    const end = Math.min(length, mark.end + around)
    const before = ranges.at(-1)
    if (before !== undefined && start <= before.end) before.end = Math.max(before.end, end)
    else ranges.push({ start, end })
  }
  return ranges
}
