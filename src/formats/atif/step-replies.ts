import type { Reply } from '../../domain/trajectory/trajectory.ts'
import { idText, isAbsent, type Json } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'

/** The last step of the agent, while nobody else spoke. */
interface Last {
  readonly reply: Reply
  /** The tokens of its request; null where the file does not tell them. */
  readonly request: string | null
}

/**
 * Tells the steps that were one reply of the model: converters write each call of a reply as a step with its result. Such steps have the tokens of one
 * request, or the later ones have none. A converter that keeps the id of the request says so itself.
 */
export class StepReplies {
  #last: Last | null = null
  /** The tokens tell requests apart: an answer without calls is of another request than the calls before it. */
  readonly #isTelling: boolean

  constructor(steps: readonly unknown[]) {
    const own = steps.map(asRecord).filter((step) => step['source'] === 'agent')
    const answer = own.at(-1) ?? {}
    const isAnswer = asList(answer['tool_calls']).length === 0
    const tokens = requestOf(answer)
    this.#isTelling = !isAnswer || tokens === null || requestOf(own.at(-2) ?? {}) !== tokens
  }

  /** The reply of a step, which stands at `path`; null where the step is not the agent's. */
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

/** A step without tokens behind one that has them is of its request, where it makes calls and the model was not asked anew. */
const isOfRequest = (step: Json, request: string | null, last: string): boolean =>
  request === null
    ? asList(step['tool_calls']).length > 0 && (isAbsent(step['llm_call_count']) || step['llm_call_count'] === 0)
    : request === last
