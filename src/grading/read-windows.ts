import { checkEvidence, holds } from '../domain/evidence/evidence.ts'
import type { Issue } from '../domain/result.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import { renderFormComplaint, WINDOW_NOTE } from '../domain/rubric/prompt.ts'
import type { Failure } from '../schemas/grade.ts'
import type { Mark } from './decision-text.ts'
import { MOST_WINDOWS, type WindowedReading } from './reading.ts'
import { NOTHING_STORED, type SampleCalls, windowUnread } from './sample-calls.ts'
import { halvePiece, type Piece, renderPiece } from './window-pieces.ts'

type WindowsRead =
  | { readonly ok: true; readonly marks: readonly Mark[]; readonly windows: number }
  | { readonly ok: false; readonly failure: Failure }

/** How often a window that overflows is cut in two: into halves, and these into quarters. */
export const MOST_SPLITS = 2
/** A window, its halves and its quarters. */
const NODES = 2 ** (MOST_SPLITS + 1) - 1

/**
 * Reads every window for evidence. A window that overflows is halved, twice at the most, and only its halves are asked. A reply in the
 * wrong form is asked for once more. A window that could not be read fails the sample: every absence rests on all of them having been
 * read, so that a verdict over the rest would be a verdict over what was not looked at. A citation that does not hold marks nothing.
 *
 * Calls: at most two for each of the seven pieces of a window, each cut off once.
 */
export async function readWindows(calls: SampleCalls, reading: WindowedReading): Promise<WindowsRead> {
  const marks: Mark[] = []
  let windows = 0
  for (const [index, window] of reading.windows.entries()) {
    const open: { piece: Piece; node: number }[] = [{ piece: window, node: 0 }]
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { piece, node } = next
      const read = await readPiece(calls, reading, piece, index + MOST_WINDOWS * node)
      if (read.kind === 'read') {
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
  | { readonly kind: 'read'; readonly claims: Claims }
  | { readonly kind: 'unread'; readonly failure: Failure; readonly overflow: boolean }

/** `round` names the piece: replies are stored under it. */
async function readPiece(
  calls: SampleCalls,
  { rendering }: WindowedReading,
  piece: Piece,
  round: number,
): Promise<PieceRead> {
  let request = calls.request(rendering, renderPiece(rendering, piece), WINDOW_NOTE)
  let issues: readonly Issue[] = []
  for (const place of [round, round + MOST_WINDOWS * NODES]) {
    const asked = await calls.ask(request, place, 'window')
    // A piece that overflowed has no stored reply, but its halves have.
    if (asked === null) return { kind: 'unread', failure: NOTHING_STORED, overflow: true }
    const { reply } = asked
    if (!reply.ok)
      return { kind: 'unread', failure: reply.failure, overflow: reply.failure.code === 'context_overflow' }
    const claims = calls.read(reply.text)
    if (claims.ok) return { kind: 'read', claims: claims.value }
    issues = claims.error
    request = { ...request, repairs: [{ answer: reply.text, complaint: renderFormComplaint(issues) }] }
  }
  return {
    kind: 'unread',
    failure: windowUnread(nameOf(piece, rendering.trajectory.steps), issues, calls.question),
    overflow: false,
  }
}

function nameOf(piece: Piece, steps: readonly { readonly id: number }[]): string {
  if (piece.kind === 'parts') return `a piece of step ${steps[piece.step]?.id}`
  return `steps ${steps[piece.from]?.id} to ${steps[piece.to - 1]?.id}`
}

/** Marks the places of the real quotes of a window, whether the quotes come too early or not. */
function marksOf(calls: SampleCalls, claims: Claims, { rendering }: WindowedReading): Mark[] {
  const { steps } = rendering.trajectory
  const evidence = checkEvidence(claims, { ...calls.question, rendering })
  return evidence.citations.flatMap(({ status, step_id, path, start, end }): Mark[] => {
    if (!(holds(status) || status === 'out_of_order') || start === null || end === null) return []
    const step = steps.findIndex(({ id }) => id === step_id)
    const part = steps[step]?.parts.findIndex((one) => one.path === path) ?? -1
    return part === -1 ? [] : [{ step, part, start, end }]
  })
}
