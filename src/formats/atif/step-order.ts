import { pushTo } from '../../domain/result.ts'
import type { Reply, Step } from '../../domain/trajectory/trajectory.ts'
import { idText, isAbsent, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { OpenCall } from '../tools/tool-table.ts'

/** Bounds a step id: a larger number is a name, not a position, and ids counted on from this bound stay exact. */
const MAX_STEP_ID = 1_000_000_000

export const isUsableStepId = (own: unknown): own is number =>
  typeof own === 'number' && Number.isInteger(own) && own >= 1 && own <= MAX_STEP_ID

const nameOf = (own: unknown): string | null => asName(own) ?? (typeof own === 'boolean' ? String(own) : idText(own))

/** Numbers the steps: integer ids stay, other steps get their positions; all do where two ids collide. One integer twice is an error: a citation would be ambiguous. */
export function numberSteps(reading: Reading, steps: readonly unknown[], path: string): Pick<Step, 'id' | 'name'>[] {
  const own = steps.map((step) => asRecord(step)['step_id'])
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

/** Warns once where step ids depart from 1, 2, 3, …, which ATIF requires, and once where times go back: citations count by the file's order. */
export function warnAboutOrder(reading: Reading, steps: readonly unknown[], path: string): void {
  let expected = 1
  let latest = 0
  for (const [step, at] of itemsIn(steps, path)) {
    const { step_id: own, is_copied_context: isCopied, timestamp } = asRecord(step)
    if (own !== expected)
      reading.warnOnce(`${at}/step_id`, 'the step ids are not 1, 2, 3, …; the order of the file is kept')
    expected = (isUsableStepId(own) ? own : expected) + 1
    const time = isCopied === true ? null : timeOf(timestamp)
    if (time !== null && time < latest)
      reading.warnOnce(`${at}/timestamp`, 'earlier than the step before it; the order of the file is kept')
    latest = Math.max(latest, time ?? 0)
  }
}

/**
 * Groups the steps of one reply of the model: converters write each call of a reply as a step with its result. Such steps share the token
 * counts of one request, or the later steps omit them; some converters keep the id of the request.
 */
export class StepReplies {
  /** The reply of the agent's last step with no other speaker since, and the token counts of its request, as a key; null where the file omits them. */
  #last: { readonly reply: Reply; readonly request: string | null } | null = null
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

/** A call of a step, with the facts by which its result is matched. */
export interface StepCall {
  readonly id: string | null
  readonly call: OpenCall
  /** The converter's note beside the call. */
  readonly extra: unknown
}

/**
 * Matches the results of an ATIF trajectory to its calls: by their ids to the calls of their step, else to calls of earlier steps without a
 * result. Several calls and results with one id belong together in their order; where their numbers differ, no call gets another call's
 * outcome or name.
 */
export class CallAnswers {
  /** Calls of earlier steps without a result, by id. */
  readonly #open = new Map<string, StepCall[]>()

  /** Returns the answered calls of each result of a step. ATIF: a result that names no call belongs to the whole step. */
  match(results: readonly unknown[], calls: readonly StepCall[]): readonly (readonly StepCall[])[] {
    const ids = results.map((result) => asRecord(result)['source_call_id'])
    const isOfStep = results.length === 1 || calls.length === 1
    const matched = ids.map((id) => (isAbsent(id) && isOfStep ? calls : []))
    const own = Map.groupBy(calls, ({ id }) => id)
    for (const [id, places] of Map.groupBy(ids.keys(), (index) => ids[index])) {
      const named = typeof id === 'string' ? (own.get(id) ?? this.#open.get(id)) : undefined
      if (typeof id !== 'string' || named?.length !== places.length) continue
      for (const [turn, place] of places.entries()) matched[place] = named.slice(turn, turn + 1)
      if (!own.has(id)) this.#open.delete(id)
    }
    const answered = new Set(matched.flat())
    for (const call of calls) if (call.id !== null && !answered.has(call)) pushTo(this.#open, call.id, call)
    return matched
  }
}
