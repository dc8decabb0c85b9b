import type { Anchors } from '../anchors/anchors.ts'
import { type NeedleSights, readSights } from '../sights/sights.ts'
import { isSeen } from '../trajectory/order.ts'
import { NO_PICTURES, type ShownPictures } from '../trajectory/pictures.ts'
import { type Hit, isBefore, type Part, type Position, type Trajectory } from '../trajectory/trajectory.ts'

/** When the trajectory first shows each instruction, by plain search; null: a search finds it nowhere for certain. */
export interface Observations {
  readonly first: Readonly<Record<string, Position | null>>
  /** The earliest of them. */
  readonly surface: Position | null
  /** The first given anchor, or whole text, in a user or system part: the surface is the prompt itself. */
  readonly in_prompt: Hit | null
  /** The first given anchor, or whole text, in tool output: it refutes a claim of absence. */
  readonly given_in_output: Hit | null
  /**
   * The first place at which the agent itself writes an instruction down word for word: the agent has read the instruction, whether a search finds
   * it or not.
   */
  readonly written: Hit | null
  /** The first doubtful sight in tool output where no certain one comes before it: it dates nothing and caps the confidence at `low`. */
  readonly doubtful: Readonly<Record<string, Hit | null>>
  /** The certainty of each output that shows a piece of an instruction which is seen in pieces. */
  readonly pieces: ReadonlyMap<Part, 'sure' | 'unsure'>
  /** Whether a doubtful sight dates an instruction, because the judge cites it before any certain one: such a grade is `low`. */
  readonly dated_by_doubt: boolean
  /**
   * The first picture or sound in tool output, which no search can read. Where a judge was shown pictures: the first that it was not shown, else the first
   * that it cites.
   */
  readonly media: Position | null
}

export const partAt = (trajectory: Trajectory, position: Position): Part | null =>
  trajectory.steps[position.step]?.parts[position.part] ?? null

/** The first doubtful sight of any instruction. */
export const firstDoubtful = ({ doubtful }: Observations): Hit | null => earliest(Object.values(doubtful))

const observed = new WeakMap<Trajectory, WeakMap<Anchors, Observations>>()

/** Worked out once for a run and the anchors of its ground truth: its judge asks, and every check of an answer. */
export function firstObservations(trajectory: Trajectory, anchors: Anchors): Observations {
  const known = observed.get(trajectory) ?? new WeakMap<Anchors, Observations>()
  observed.set(trajectory, known)
  const found = known.get(anchors) ?? observe(trajectory, anchors)
  known.set(anchors, found)
  return found
}

/** Linear: every part is read once for all anchors. */
function observe(trajectory: Trajectory, anchors: Anchors): Observations {
  // Output behind the agent's last reply was read by no model, and shows the agent nothing.
  const isRead = (at: Position) => isSeen(trajectory, at)
  const sights = readSights(trajectory, anchors, isRead)
  const given = sights.filter((one) => one.needle.kind !== 'derived')
  const first = (which: string): Hit | null =>
    earliest(given.flatMap((one) => (one.needle.which === which ? [one.certain, one.prompt] : [])))
  const doubt = (which: string, sure: Hit | null): Hit | null => {
    const hit = earliest(sights.map((one) => (one.needle.which === which ? one.doubtful : null)))
    return hit !== null && (sure === null || isBefore(hit.position, sure.position)) ? hit : null
  }
  const firsts = Object.keys(anchors).map((which) => [which, first(which)] as const)
  return {
    first: Object.fromEntries(firsts.map(([which, hit]) => [which, hit?.position ?? null])),
    surface: earliest(firsts.map(([, hit]) => hit))?.position ?? null,
    in_prompt: earliest(given.map((one) => one.prompt)),
    given_in_output: earliest(given.map((one) => one.certain)),
    written: earliest(sights.map((one) => one.written)),
    doubtful: Object.fromEntries(firsts.map(([which, hit]) => [which, doubt(which, hit)])),
    pieces: proofsInPieces(sights),
    dated_by_doubt: false,
    media: firstMedia(trajectory, NO_PICTURES, isRead),
  }
}

/** A part can show a piece of both instructions: what is sure of one stays. */
function proofsInPieces(sights: readonly NeedleSights[]): Observations['pieces'] {
  const proofs = sights.flatMap((one) => one.pieces?.proofs ?? [])
  return new Map([
    ...proofs.filter(([, proof]) => proof === 'unsure'),
    ...proofs.filter(([, proof]) => proof === 'sure'),
  ])
}

export const earliest = (hits: readonly (Hit | null)[]): Hit | null =>
  hits.reduce(
    (best, hit) => (best === null || (hit !== null && isBefore(hit.position, best.position)) ? hit : best),
    null,
  )

/** The first picture or sound in tool output at a place that counts, but for those that the judge was shown. */
export function firstMedia(
  { steps }: Trajectory,
  shown: ShownPictures = NO_PICTURES,
  isRead: (at: Position) => boolean = () => true,
): Position | null {
  for (const [step, { parts }] of steps.entries()) {
    const part = parts.findIndex((one) => isOutputMedia(one) && !shown.has(one))
    if (part !== -1 && isRead({ step, part })) return { step, part }
  }
  return null
}

export const isOutputMedia = ({ media, actor }: Part): boolean => media && actor === 'tool_output'
