import type { Reply } from '../../domain/trajectory/trajectory.ts'
import { idText, isAbsent, type Json } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'

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
    const reply =
      named !== null
        ? { id: named, isNamed: true }
        : isSame
          ? { ...last.reply, isNamed: false }
          : { id: path, isNamed: false }
    this.#last = { reply, request: request ?? (isSame ? last.request : null) }
    return reply
  }
}

function requestOf(step: Json): string | null {
  const { prompt_tokens: prompt, cached_tokens: cached } = asRecord(step['metrics'])
  return typeof prompt === 'number' && prompt > 0 ? `${prompt} ${idText(cached) ?? ''}` : null
}

/**
 * Tells whether a step belongs to the last request: equal token counts; or a step without counts that makes calls and notes no new call of
 * the model.
 */
const isOfRequest = (step: Json, request: string | null, last: string): boolean =>
  request === null
    ? asList(step['tool_calls']).length > 0 && (isAbsent(step['llm_call_count']) || step['llm_call_count'] === 0)
    : request === last
