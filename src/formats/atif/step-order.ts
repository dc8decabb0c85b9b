import type { Reply, Step } from '../../domain/trajectory/trajectory.ts'
import { idText, isAbsent, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'

/** Bounds a step id: a larger number is a name, not a position, and ids counted on from this bound stay exact. */
const MAX_STEP_ID = 1_000_000_000

export const isUsableStepId = (own: unknown): own is number =>
  typeof own === 'number' && Number.isInteger(own) && own >= 1 && own <= MAX_STEP_ID

const nameOf = (own: unknown): string | null => asName(own) ?? (typeof own === 'boolean' ? String(own) : idText(own))

/** Numbers the steps: integer ids stay, other steps get their positions; all do where two ids collide. One integer twice is an error: a citation would be ambiguous. */
export function numberSteps(reading: Reading, own: readonly unknown[], path: string): Pick<Step, 'id' | 'name'>[] {
  const first = new Map<number, number>()
  for (const [index, value] of own.entries()) {
    if (!isUsableStepId(value)) continue
    const earlier = first.get(value)
    if (earlier === undefined) first.set(value, index)
    else reading.refuse(`${path}/${index}/step_id`, `${value} is the id of ${path}/${earlier} as well`)
  }
  const collides = own.some((value, index) => !isUsableStepId(value) && first.has(index + 1))
  if (collides) reading.warn(path, 'some steps have no usable step_id; all are numbered by position')
  return own.map((value, index) => {
    const position = index + 1
    if (!collides && isUsableStepId(value)) return { id: value, name: null }
    return { id: position, name: value === position ? null : nameOf(value) }
  })
}

/** Warns where step ids depart from 1, 2, 3, …, which ATIF requires. */
export function warnAboutOrder(reading: Reading, own: readonly unknown[], path: string): void {
  let expected = 1
  for (const [index, value] of own.entries()) {
    const at = `${path}/${index}/step_id`
    const isUsable = isUsableStepId(value)
    if (!isUsable) reading.warn(at, `${isAbsent(value) ? 'no' : 'not a usable'} step_id; the step is numbered`)
    else if (value !== expected) {
      const kept = value < expected ? '; the order of the file is kept' : ''
      reading.warn(at, `step_id is ${value} where ${expected} was due${kept}`)
    }
    expected = (isUsable ? value : expected) + 1
  }
}

/** Warns of steps whose time is before that of the preceding step. The order of the file is kept, because citations count by it. */
export function warnAboutTimes(reading: Reading, steps: readonly unknown[], path: string): void {
  let latest = Number.NEGATIVE_INFINITY
  for (const [index, step] of steps.entries()) {
    const at = isRecord(step) && step['is_copied_context'] !== true ? timeOf(step['timestamp']) : null
    if (at === null) continue
    if (at < latest)
      reading.warn(`${path}/${index}/timestamp`, 'earlier than the step before it; the order of the file is kept')
    else latest = at
  }
}

/** The last step of the agent with no other speaker since. */
interface Last {
  readonly reply: Reply
  /** Token counts of the reply's request, as a key; null where the file omits them. */
  readonly request: string | null
}

/**
 * Groups the steps of one reply of the model: converters write each call of a reply as a step with its result. Such steps share the token
 * counts of one request, or the later steps omit them; some converters keep the id of the request.
 */
export class StepReplies {
  #last: Last | null = null
  /** True when token counts tell requests apart: an answer without calls belongs to another request than the calls before it. */
  readonly #isTelling: boolean

  constructor(steps: readonly unknown[]) {
    const own = steps.map(asRecord).filter((step) => step['source'] === 'agent')
    const answer = own.at(-1) ?? {}
    const isAnswer = asList(answer['tool_calls']).length === 0
    const tokens = requestOf(answer)
    this.#isTelling = !isAnswer || tokens === null || requestOf(own.at(-2) ?? {}) !== tokens
  }

  /** Returns the reply of a step at `path`; null for a step of another speaker. */
  of(step: Json, path: string): Reply | null {
    if (step['source'] !== 'agent') {
      this.#last = null
      return null
    }
    const named = asText(asRecord(step['extra'])['api_call_id'])
    const request = requestOf(step)
    const last = this.#last
    const isSame = this.#isTelling && last !== null && last.request !== null && isOfRequest(step, request, last.request)
    const id = named ?? (isSame ? last.reply.id : path)
    const reply = { id, isNamed: named !== null }
    this.#last = { reply, request: request ?? (isSame ? last.request : null) }
    return reply
  }
}

function requestOf(step: Json): string | null {
  const { prompt_tokens: prompt, cached_tokens: cached } = asRecord(step['metrics'])
  return typeof prompt === 'number' && prompt > 0 ? `${prompt} ${idText(cached) ?? ''}` : null
}

/** Tells whether a step belongs to the last request: equal token counts, or none where it makes calls and notes no new call of the model. */
const isOfRequest = (step: Json, request: string | null, last: string): boolean =>
  request === null
    ? asList(step['tool_calls']).length > 0 && (isAbsent(step['llm_call_count']) || step['llm_call_count'] === 0)
    : request === last
