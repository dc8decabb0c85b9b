import type { Unread } from '../../schemas/grade.ts'
import { MOST_FIELDS, MOST_NAME_CHARS, type TrialMetadata } from '../../schemas/trial.ts'
import type { TrajectorySummary } from '../../schemas/views.ts'
import type { ActLanguage, ActOutcome, Actor, ActRole } from '../../schemas/vocabulary.ts'
import type { Digest } from '../digest.ts'
import { type Issue, once } from '../result.ts'
import data from '../words.json' with { type: 'json' }

/** Bumped when a reader turns the same document into other steps, parts or actors: it is part of every cache key. */
export const READER_VERSION = 19

/** The place of a part in its trajectory. Compared by step, then by part: the order in which things happened. */
export interface Position {
  readonly step: number
  readonly part: number
}

/** The place of a string in a part; offsets are those of the part's text. */
export interface Hit {
  readonly needle: string
  readonly position: Position
  readonly step_id: number
  readonly path: string
  readonly start: number
  readonly end: number
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
  /** The kind of the action, from the format's own facts; null: no action, or not known to its reader. */
  readonly act: Act | null
  /** Of the agent's parts: the reply of the model that they stand in, where the source tells it. */
  readonly reply?: Reply
}

/** One reply of the model: all that it holds was written before anything that its calls brought was read. */
export interface Reply {
  readonly id: string
  /** The source names the reply; false where a reader concluded that several steps are one. */
  readonly isNamed: boolean
}

export interface Step {
  /** The id that citations name: an integer of the source where it is usable, else numbered from 1. */
  readonly id: number
  /** The source's own name of the step where it is not that integer. */
  readonly name: string | null
  /** When it happened, in milliseconds since 1970, where the source says so. */
  readonly at: number | null
  /** The agent of several that acted or spoke in the step, where the source says so. */
  readonly agent?: string
  /** The conversation of several, where the source does not tell the order of steps of different conversations. */
  readonly conversation?: string
  /** The run of several; a document beside them is of none. */
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
  /** Deviations from the format that were read all the same, and records that could not be read, up to a number. */
  readonly warnings: readonly Issue[]
  /** The number of records that could not be read, and of those that may hide an act of the agent. */
  readonly unread: Readonly<Unread>
  /** The record marks a compaction: the agent went on with a summary in the place of earlier text. */
  readonly compacted?: true
}

export const NOTHING_UNREAD: Readonly<Unread> = { records: 0, actions: 0 }

export const isBefore = (a: Position, b: Position): boolean => (a.step !== b.step ? a.step < b.step : a.part < b.part)

/** The earlier of two places that are known; the first of equal ones. */
export const earlier = (a: Position | null, b: Position | null): Position | null =>
  a === null || (b !== null && isBefore(b, a)) ? b : a

/** The names of the agents of a run, in the order in which they first appear; of a run of one, its name, or `agent`. */
export const agentsOf = once(({ steps, agent: { name } }: Trajectory): readonly string[] => {
  const named = new Set(steps.flatMap(({ agent }) => agent ?? []))
  return named.size > 0 ? [...named] : [name ?? 'agent']
}, new WeakMap())

/** Returns the metadata that the caller gave, with the agent and the model of the run where the caller names none. */
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

export type { ActLanguage, ActOutcome, ActRole } from '../../schemas/vocabulary.ts'

/** One tool call; all parts made of its arguments share it. */
export interface Call {
  /** The tool's name as the source has it. */
  readonly tool: string
  readonly outcome: ActOutcome
  /** Whether the tool’s name has a word of looking, planning or trying. Such a name only lowers confidence, where no table knows the tool. */
  readonly looks: boolean
  /** The id under which the source has the call: a later call of the same words under it may be a copy. */
  readonly id?: string
}

/** The kind of a part of the actor `agent_action`. */
export interface Act {
  readonly role: ActRole
  /** Null: plain text. */
  readonly language: ActLanguage | null
  /** The file that the call writes, edits or reads, where it names one. */
  readonly target: string | null
  readonly call: Call
}

/** Nothing came of it: turned down before it ran, or taken back. A call that failed may have done something before it did. */
export const NOT_RUN: ReadonlySet<ActOutcome> = new Set(['rejected', 'cancelled'])
/** The act began and did not come to its end. */
export const FAILED: ReadonlySet<ActOutcome> = new Set(['failed', 'interrupted'])

/** Notes in the frame of an action, beside its name; empty: none. */
const ROLE_NOTES: Readonly<Record<ActRole, string>> = data.role_notes
const OUTCOME_NOTES: Readonly<Record<ActOutcome, string>> = data.outcome_notes

/** Renders the kind and the outcome of an action for the frame of its part: ` · describes, not run`. Empty for what was plainly run. */
export function renderActNotes(act: Act | null): string {
  if (act === null) return ''
  const notes = [ROLE_NOTES[act.role], OUTCOME_NOTES[act.call.outcome]]
  return notes.map((note) => (note === '' ? '' : ` · ${note}`)).join('')
}

/** Types that both providers take. SVG is a program and not a picture: no provider takes it. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** A picture that a judge can be shown: its form was checked. What a trajectory holds besides is a placeholder only. */
export interface Picture {
  readonly media_type: (typeof PICTURE_TYPES)[number]
  /** Base64, as it stands in the document: a reference to its text, never a copy. */
  readonly data: string
  readonly digest: Digest
  readonly width: number
  readonly height: number
}

/** Characters of base64. Anthropic: 5 MB for one picture, counted on its base64; OpenAI takes more. */
export const MOST_PICTURE_CHARS = 5 * 1024 * 1024
/** Pixels of one side. Anthropic: 8000 where a request holds at most 20 pictures. */
export const MOST_PICTURE_SIDE = 8000

export function summarize(trajectory: Trajectory) {
  const parts = trajectory.steps.flatMap((step) => step.parts)
  return {
    id: trajectory.id,
    format: trajectory.format,
    agent: trajectory.agent,
    steps: trajectory.steps.length,
    parts: parts.length,
    chars: parts.reduce((sum, part) => sum + part.text.length, 0),
    first_step: trajectory.steps[0]?.id ?? 0,
    last_step: trajectory.steps.at(-1)?.id ?? 0,
    warnings: [...trajectory.warnings],
  } satisfies TrajectorySummary
}

/** Estimates the memory that a trajectory takes: UTF-16 units of its texts and pictures, and a constant for every step. */
export const textSize = ({ steps }: Trajectory): number =>
  // The base64 of a picture is kept by its part alone.
  steps
    .flatMap(({ parts }) => parts)
    .reduce(
      (sum, { text, picture }) => sum + text.length + (picture?.data.length ?? 0),
      1000 + STEP_SIZE * steps.length,
    )

const STEP_SIZE = 200

/** By document: its packed JSON text, where another thread has read the document. */
const packedTexts = new WeakMap<object, Buffer>()

/** Remembers the packed text of a document that another thread has read: this thread has none of its members. */
export const rememberPacked = (document: object, packed: Uint8Array): void =>
  void packedTexts.set(document, Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength))

/** Returns the packed text of a document; undefined where this thread has the document itself. */
export const packedTextOf = (document: object): Buffer | undefined => packedTexts.get(document)

export type Order = 'before' | 'after' | 'unknown'

/**
 * Orders an act and a sight by their places, and by every other clock that both have: a step whose timestamp or own id lies before that of the sight
 * was put behind it by the author of the file. Copied context repeats what was done before. Two conversations need a common clock. `sight.part: -1` is
 * before everything.
 */
export function orderOf(trajectory: Trajectory, act: Position, sight: Position): Order {
  const origins = originsOf(trajectory)
  const [later, earlier] = [trajectory.steps[act.step], trajectory.steps[sight.step]]
  if (later === undefined || earlier === undefined || (later.copied && origins.own < act.step)) return 'before'
  const isTimed = later.at !== null && earlier.at !== null
  if (later.conversation !== earlier.conversation && act.part >= 0 && sight.part >= 0 && !isTimed) return 'unknown'
  if (!isBefore(sight, act)) return 'before'
  // A step of a list may be a turn whose calls were all made before the first was answered.
  if (act.step === sight.step && trajectory.format === 'steps' && sight.part >= 0) return 'unknown'
  const isEarlierByClock = later.at !== null && earlier.at !== null && later.at < earlier.at
  if (act.step !== sight.step && (isEarlierByClock || later.id <= earlier.id)) return 'before'
  const part = later.parts[act.part]
  const origin = part && origins.of.get(part)
  // All calls of a reply come before what any of them brought.
  if (origin?.reply && !isBefore(sight, origin.reply)) return origin.isSure ? 'before' : 'unknown'
  // A repeated call may be a copy or another.
  return origin?.call && isBefore(origin.call, sight) ? 'unknown' : 'after'
}

/** Orders two steps by the same clocks. What one step or one reply holds is one decision, and has no order. */
export const orderOfSteps = (trajectory: Trajectory, later: Position, earlier: Position): Order =>
  later.step === earlier.step ? 'before' : orderOf(trajectory, later, earlier)

/** Tests whether the agent acted or spoke, in a later reply, after a place: else no model read the text there. A run without any agent tells nothing. */
export function isSeen(trajectory: Trajectory, at: Position): boolean {
  const last = originsOf(trajectory).last[at.step]
  return last === undefined || isBefore(at, last)
}

/** The first places of the reply and of the call to which a part of the agent belongs; undefined: the source names none. */
interface Origin {
  readonly reply: Position | undefined
  readonly call: Position | undefined
  /** Only a name of the source’s own is sure to be that of one reply. */
  readonly isSure: boolean
}

/** Reads the first places of replies and calls of a trajectory, once. */
const originsOf = once(({ steps }: Trajectory) => {
  const replies = new Map<string, Position>()
  /** By the run, the id and the tool of a call, then by the text of an argument. */
  const calls = once((_: string) => new Map<string, Position>())
  const agents: (Pick<Origin, 'reply' | 'call'> & { readonly part: Part; readonly at: Position })[] = []
  for (const [step, { parts, run = '' }] of steps.entries())
    for (const [index, part] of parts.entries()) {
      if (!part.actor.startsWith('agent_')) continue
      const at = { step, part: index }
      const { id, tool } = part.act?.call ?? {}
      const call = id === undefined ? undefined : firstPlace(calls(`${run}\n${id}\n${tool}`), part.text, at)
      agents.push({ part, at, reply: part.reply && firstPlace(replies, `${run}\n${part.reply.id}`, at), call })
    }
  let count = 0
  /** The number of texts of users before each step. */
  const users = steps.map(({ parts }) => {
    const before = count
    count += parts.filter(({ actor }) => actor === 'user').length
    return before
  })
  const conversations = steps.map(({ run = '', conversation = '' }) => `${run}\n${conversation}`)
  const ends = new Map<string | undefined, Position>()
  const of = new Map<Part, Origin>()
  for (const { part, at, reply, call } of agents) {
    const isNamed = part.reply?.isNamed === true && replies.size > 1
    const isSure = isNamed && reply !== undefined && users[reply.step] === users[at.step]
    of.set(part, { reply, call, isSure })
    const began = isSure ? reply : at
    const end = ends.get(conversations[at.step])
    if (end === undefined || isBefore(end, began)) ends.set(conversations[at.step], began)
  }
  return {
    of,
    /** The first step of an agent that is not copied; infinite: none. */
    own: agents.find(({ at }) => steps[at.step]?.copied === false)?.at.step ?? Number.POSITIVE_INFINITY,
    /** By step: the beginning of the agent’s last reply in the conversation of the step. */
    last: conversations.map((name) => ends.get(name)),
  }
}, new WeakMap())

/** Returns the first place of a key: the given place where the key is new. */
function firstPlace(places: Map<string, Position>, key: string, at: Position): Position {
  const first = places.get(key) ?? at
  places.set(key, first)
  return first
}
