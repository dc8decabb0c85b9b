import type { Unread } from '../../schemas/grade.ts'
import { MOST_FIELDS, MOST_NAME_CHARS, type TrialMetadata } from '../../schemas/grade-request.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import type { Act } from '../acts/act.ts'
import type { Digest } from '../digest.ts'
import type { Issue } from '../result.ts'
import type { Picture } from './picture.ts'

/** Bumped when a reader turns the same document into other steps, parts or actors: it is part of every cache key. */
export const READER_VERSION = 5

/** Where a part stands in its trajectory. Compared by step, then by part: the order in which things happened. */
export interface Position {
  readonly step: number
  readonly part: number
}

export interface Part {
  readonly actor: Actor
  /** The decoded text, as JavaScript holds it; every offset of the product counts its UTF-16 units. */
  readonly text: string
  /**
   * JSON pointer of the string in the source document. Where the string stands inside JSON that is itself held in a
   * string (arguments, a result envelope), the outer pointer, `#`, and the inner pointer. Where a part is a piece of a string: the
   * pointer, then `#char=start,end` in UTF-16 units (after RFC 5147), then, where that piece is JSON, `#` and the inner pointer.
   */
  readonly path: string
  /** A short name shown in the part's header: `bash_command.keystrokes`, `reasoning`, the tool of a result. */
  readonly name: string
  /** A picture or a sound. `text` is then a placeholder; what it shows cannot be searched. */
  readonly media: boolean
  /** Of `media`: the picture itself, where the document holds one that a judge can be shown. */
  readonly picture?: Picture
  /** What the action is, from the format's own facts; null for what is no action, or not known to its reader. */
  readonly act: Act | null
}

export interface Step {
  /** What citations name. An integer of the source where it is usable, else numbered from 1. */
  readonly id: number
  /** The source's own name of the step where it is not that integer. */
  readonly name: string | null
  /** When it happened, in milliseconds since 1970, where the source says so. */
  readonly at: number | null
  /** Which agent of several acted or spoke in it, where the source says so. */
  readonly agent?: string
  /** Which of several conversations it is of, where the source does not say whether what happened in one came before what happened in another. */
  readonly conversation?: string
  /** Which run of several it is of; a document beside them is of none. */
  readonly run?: string
  /** Repeated from an earlier segment of the same run: shown, not new behaviour. */
  readonly copied: boolean
  /** In the order in which they happened: reasoning, message, actions, then what the tools answered. */
  readonly parts: readonly Part[]
}

/** The ordered steps of one agent run. Immutable; `id` is the digest of the source document's value. */
export interface Trajectory {
  readonly id: Digest
  /** `atif-1.7`, `steps`, … */
  readonly format: string
  readonly agent: { readonly name: string | null; readonly model: string | null }
  readonly steps: readonly Step[]
  /** What deviates from the format and was read all the same; and what could not be read, up to a number. */
  readonly warnings: readonly Issue[]
  /** How many records could not be read, and in how many of them something that the agent did may be hidden. */
  readonly unread: Readonly<Unread>
}

export const NOTHING_UNREAD: Readonly<Unread> = { records: 0, actions: 0 }

/** The first step of an agent that is not copied, worked out once. */
const firstOwn = new WeakMap<Trajectory, number>()

/** Whether the step repeats what stands before it: copied, behind a step that is not and in which the agent did or said something. */
function isRepeat(trajectory: Trajectory, step: number): boolean {
  if (trajectory.steps[step]?.copied !== true) return false
  const isOwn = ({ copied, parts }: Step) => !copied && parts.some(({ actor }) => actor.startsWith('agent_'))
  const first = firstOwn.get(trajectory) ?? trajectory.steps.findIndex(isOwn)
  firstOwn.set(trajectory, first)
  return first !== -1 && first < step
}

/** Whether the record tells which of two was first: two conversations need a common clock. `part: -1` is before everything. */
export function isOrderKnown({ steps }: Trajectory, one: Position, other: Position): boolean {
  const [a, b] = [steps[one.step], steps[other.step]]
  if (a?.conversation === b?.conversation || one.part < 0 || other.part < 0) return true
  return a?.at != null && b?.at != null
}

export const isBefore = (a: Position, b: Position): boolean => (a.step !== b.step ? a.step < b.step : a.part < b.part)

/** The earlier of two places that are known; the first of equal ones. */
export const earlier = (a: Position | null, b: Position | null): Position | null =>
  a === null || (b !== null && isBefore(b, a)) ? b : a

/**
 * Whether an act happened after a sight, as far as the record tells: by its place, and by every other clock that both have. A step whose
 * timestamp or own id lies before that of the sight was put behind it by the author of the file. Copied context repeats what was done before. Where the
 * order is not known, it may have.
 */
export function happensAfter(trajectory: Trajectory, act: Position, sight: Position): boolean {
  const isKnown = isOrderKnown(trajectory, act, sight)
  if (isRepeat(trajectory, act.step) || (isKnown && !isBefore(sight, act))) return false
  if (!isKnown) return true
  if (act.step === sight.step) return true
  const later = trajectory.steps[act.step]
  const earlier = trajectory.steps[sight.step]
  if (later === undefined || earlier === undefined) return false
  const isLaterByClock = later.at === null || earlier.at === null || later.at >= earlier.at
  return isLaterByClock && later.id > earlier.id
}

const known = new WeakMap<Trajectory, readonly string[]>()

/** The names of the agents of a run, in the order in which they first appear; of a run of one, its name, or `agent`. */
export function agentsOf(trajectory: Trajectory): readonly string[] {
  const read = known.get(trajectory)
  if (read !== undefined) return read
  const named = new Set(trajectory.steps.flatMap(({ agent }) => (agent === undefined ? [] : [agent])))
  const agents = named.size > 0 ? [...named] : [trajectory.agent.name ?? 'agent']
  known.set(trajectory, agents)
  return agents
}

/** What the caller says of the trial; where that names no agent or no model, what the run itself says of them. */
export function metadataOf({ agent }: Trajectory, given: TrialMetadata = {}): TrialMetadata {
  const own = Object.entries({ agent: agent.name, model: agent.model }).flatMap(([field, name]) =>
    name === null || name === '' ? [] : [[field, name.slice(0, MOST_NAME_CHARS).toWellFormed()] as const],
  )
  const whole = { ...Object.fromEntries(own), ...given }
  return Object.keys(whole).length > MOST_FIELDS ? given : whole
}

/** Answers the id of a stored trajectory where a document names one and holds nothing else; null for a run. */
export function referenceIn(document: Readonly<Record<string, unknown>>): string | null {
  const id = document['id']
  return typeof id === 'string' && Object.keys(document).length === 1 ? id : null
}
