import { once } from '../memo.ts'
import { isBefore, type Part, type Position, type Step, type Trajectory } from './trajectory.ts'

export type Order = 'before' | 'after' | 'unknown'

/**
 * Orders an act and a sight by their places, and by every other clock that both have: a step whose timestamp or own id lies before that of the sight
 * was put behind it by the author of the file. Copied context repeats what was done before. Two conversations need a common clock. `sight.part: -1` is
 * before everything.
 */
export function orderOf(trajectory: Trajectory, act: Position, sight: Position): Order {
  const { steps } = trajectory
  if (steps[act.step]?.copied === true && originsOf(trajectory).own < act.step) return 'before'
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
  const step = trajectory.steps[act.step]
  const part = step?.parts[act.part]
  if (step === undefined || part === undefined) return 'after'
  const began = beginOf(origins, { step, part, position: act })
  if (began !== null && !isBefore(sight, began.position)) return began.isSure ? 'before' : 'unknown'
  const first = origins.calls.get(callKey(step, part) ?? '')?.get(part.text)
  return first !== undefined && isBefore(first, sight) ? 'unknown' : 'after'
}

/** Orders two steps by the same clocks. What one step or one reply holds is one decision, and has no order. */
export const orderOfSteps = (trajectory: Trajectory, later: Position, earlier: Position): Order =>
  later.step === earlier.step ? 'before' : orderOf(trajectory, later, earlier)

/** Tests whether the agent acted or spoke, in a later reply, after a place: else no model read the text there. A run without any agent tells nothing. */
export function isSeen(trajectory: Trajectory, at: Position): boolean {
  const step = trajectory.steps[at.step]
  const last = step === undefined ? undefined : originsOf(trajectory).last.get(placeKey(step))
  return last === undefined || isBefore(at, last)
}

/** Words or an act of the agent. */
interface AgentPart {
  readonly step: Step
  readonly part: Part
  readonly position: Position
}

/** Reads the first places of replies and calls of a trajectory, once. */
const originsOf = once(({ steps }: Trajectory) => {
  const parts = steps.flatMap((step, index) =>
    step.parts.map((part, place): AgentPart => ({ step, part, position: { step: index, part: place } })),
  )
  const agents = parts.filter(({ part }) => part.actor.startsWith('agent_'))
  const replies = new Map<string, Position>()
  /** By the id and the tool of a call, then by the text of an argument. */
  const calls = new Map<string, Map<string, Position>>()
  for (const { step, part, position } of agents) {
    const [reply, call] = [replyKey(step, part), callKey(step, part)]
    if (reply !== null && !replies.has(reply)) replies.set(reply, position)
    if (call === null) continue
    const texts = calls.get(call) ?? new Map<string, Position>()
    calls.set(call, texts.set(part.text, texts.get(part.text) ?? position))
  }
  let count = 0
  /** The number of texts of users before each step. */
  const users = steps.map((step) => {
    const before = count
    count += step.parts.filter(({ actor }) => actor === 'user').length
    return before
  })
  /** The first step of an agent that is not copied; infinite: none. */
  const own = agents.find(({ step }) => !step.copied)?.position.step ?? Number.POSITIVE_INFINITY
  /** The beginning of the agent's last reply, in each conversation of each run. */
  const last = new Map<string, Position>()
  for (const agent of agents) {
    const began = beginOf({ replies, users }, agent)
    const position = began?.isSure === true ? began.position : agent.position
    const before = last.get(placeKey(agent.step))
    if (before === undefined || isBefore(before, position)) last.set(placeKey(agent.step), position)
  }
  return { replies, calls, users, own, last }
}, new WeakMap())

const placeKey = ({ run = '', conversation = '' }: Step): string => `${run}\n${conversation}`

const replyKey = ({ run = '' }: Step, { reply }: Part): string | null =>
  reply === undefined ? null : `${run}\n${reply.id}`

const callKey = ({ run = '' }: Step, { act }: Part): string | null =>
  act?.call.id === undefined ? null : `${run}\n${act.call.id}\n${act.call.tool}`

/**
 * Finds where the reply of an agent's part began; null where no reply is named. Surely the same reply, where its name is the source's own: some gateways
 * give every reply one id, and no user speaks within one.
 */
function beginOf(
  { replies, users }: { readonly replies: ReadonlyMap<string, Position>; readonly users: readonly number[] },
  { step, part, position: at }: AgentPart,
) {
  const position = replies.get(replyKey(step, part) ?? '')
  if (position === undefined) return null
  const isSure = part.reply?.isNamed === true && replies.size > 1 && users[position.step] === users[at.step]
  return { position, isSure }
}
