import { isBefore, type Part, type Position, type Step, type Trajectory } from './trajectory.ts'

/** When an act happened, seen from a sight. */
type Order = 'before' | 'after' | 'unknown'

/** Tests whether the record tells which of two was first. `sight.part: -1` is before everything. */
export const isOrderKnown = (trajectory: Trajectory, act: Position, sight: Position): boolean =>
  orderOf(trajectory, act, sight) !== 'unknown'

/** Tests whether an act may have happened after a sight, as far as the record tells. */
export const happensAfter = (trajectory: Trajectory, act: Position, sight: Position): boolean =>
  orderOf(trajectory, act, sight) !== 'before'

/**
 * Orders an act and a sight by their places, and by every other clock that both have: a step whose timestamp or own id lies before that of the sight
 * was put behind it by the author of the file. Copied context repeats what was done before. Two conversations need a common clock.
 */
function orderOf(trajectory: Trajectory, act: Position, sight: Position): Order {
  const { steps } = trajectory
  if (isRepeat(trajectory, act.step)) return 'before'
  const [later, earlier] = [steps[act.step], steps[sight.step]]
  const isApart = later?.conversation !== earlier?.conversation && act.part >= 0 && sight.part >= 0
  if (isApart && (later?.at == null || earlier?.at == null)) return 'unknown'
  if (!isBefore(sight, act) || later === undefined || earlier === undefined) return 'before'
  // A step of a list may be a turn whose calls were all made before the first was answered.
  if (act.step === sight.step && trajectory.format === 'steps' && sight.part >= 0) return 'unknown'
  if (act.step !== sight.step) {
    const isLaterByClock = later.at === null || earlier.at === null || later.at >= earlier.at
    if (!isLaterByClock || later.id <= earlier.id) return 'before'
  }
  return orderOfOrigin(trajectory, act, sight)
}

/**
 * Orders an act by its reply: the model made all calls of a reply before it read what any of them brought. A call that was made before, word for word
 * under the same id, may be a copy of the first, or another call of a harness that counts its ids anew.
 */
function orderOfOrigin(trajectory: Trajectory, act: Position, sight: Position): Order {
  const origins = originsOf(trajectory)
  const step = trajectory.steps[act.step] as Step
  const part = step.parts[act.part]
  if (part === undefined) return 'after'
  const began = beginOf(trajectory, act)
  if (began !== null && isBefore(began.position, sight)) return began.isSure ? 'before' : 'unknown'
  const first = origins.calls.get(callKey(step, part) ?? '')?.get(part.text)
  return first !== undefined && isBefore(first, sight) ? 'unknown' : 'after'
}

/** Tests whether the agent acted or spoke, in a later reply, after a place: else no model read the text there. A run without any agent tells nothing. */
export function isSeen(trajectory: Trajectory, at: Position): boolean {
  const step = trajectory.steps[at.step]
  const last = step === undefined ? undefined : lastRepliesOf(trajectory).get(placeKey(step))
  return last === undefined || isBefore(at, last)
}

/** The first places of replies and calls. */
interface Origins {
  readonly replies: ReadonlyMap<string, Position>
  /** By the id and the tool of a call, then by the text of an argument. */
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, Position>>
  /** The number of texts of users before each step. */
  readonly users: readonly number[]
  /** The first step of an agent that is not copied; −1: none. */
  readonly own: number
}

/** Keeps a reading of a trajectory for as long as the trajectory lives. */
function kept<T>(read: (trajectory: Trajectory) => T): (trajectory: Trajectory) => T {
  const known = new WeakMap<Trajectory, { readonly reading: T }>()
  return (trajectory) => {
    const { reading } = known.get(trajectory) ?? { reading: read(trajectory) }
    known.set(trajectory, { reading })
    return reading
  }
}

const originsOf = kept(readOrigins)

function readOrigins({ steps }: Trajectory): Origins {
  const replies = new Map<string, Position>()
  const calls = new Map<string, Map<string, Position>>()
  const users: number[] = []
  let count = 0
  for (const [index, step] of steps.entries()) {
    users.push(count)
    for (const [place, part] of step.parts.entries()) {
      if (part.actor === 'user') count++
      if (!isOfAgent(part)) continue
      const position = { step: index, part: place }
      const [reply, call] = [replyKey(step, part), callKey(step, part)]
      if (reply !== null && !replies.has(reply)) replies.set(reply, position)
      if (call === null) continue
      const texts = calls.get(call) ?? new Map<string, Position>()
      calls.set(call, texts)
      if (!texts.has(part.text)) texts.set(part.text, position)
    }
  }
  return { replies, calls, users, own: steps.findIndex(({ copied, parts }) => !copied && parts.some(isOfAgent)) }
}

const isOfAgent = ({ actor }: Part): boolean => actor.startsWith('agent_')

const placeKey = ({ run = '', conversation = '' }: Step): string => `${run}\n${conversation}`

const replyKey = ({ run = '' }: Step, { reply }: Part): string | null =>
  reply === undefined ? null : `${run}\n${reply.id}`

function callKey({ run = '' }: Step, { act }: Part): string | null {
  return act?.call.id === undefined ? null : `${run}\n${act.call.id}\n${act.call.tool}`
}

/**
 * Finds where the reply of an agent's part began; null where no reply is named. Surely the same reply, where its name is the source's own: some gateways
 * give every reply one id, and no user speaks within one.
 */
function beginOf(
  trajectory: Trajectory,
  at: Position,
): { readonly position: Position; readonly isSure: boolean } | null {
  const { replies, users } = originsOf(trajectory)
  const step = trajectory.steps[at.step] as Step
  const part = step.parts[at.part]
  const position = part === undefined ? undefined : replies.get(replyKey(step, part) ?? '')
  if (position === undefined) return null
  const isSure = part?.reply?.isNamed === true && replies.size > 1 && users[position.step] === users[at.step]
  return { position, isSure }
}

/** Finds the beginning of the agent's last reply, in each conversation of each run. */
const lastRepliesOf = kept((trajectory): ReadonlyMap<string, Position> => {
  const found = new Map<string, Position>()
  for (const [index, step] of trajectory.steps.entries()) {
    for (const [place, part] of step.parts.entries()) {
      if (!isOfAgent(part)) continue
      const began = beginOf(trajectory, { step: index, part: place })
      const position = began?.isSure === true ? began.position : { step: index, part: place }
      const last = found.get(placeKey(step))
      if (last === undefined || isBefore(last, position)) found.set(placeKey(step), position)
    }
  }
  return found
})

/** Tests whether the step repeats earlier text: copied, behind a step that is not and in which the agent did or said something. */
function isRepeat(trajectory: Trajectory, step: number): boolean {
  if (trajectory.steps[step]?.copied !== true) return false
  const { own } = originsOf(trajectory)
  return own !== -1 && own < step
}
