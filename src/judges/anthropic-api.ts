import type Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../config/judges.ts'
import type { JudgeReply, JudgeRequest } from '../ports/judge.ts'
import type { Usage } from '../schemas/grade.ts'
import { answered, countOf, failed, servedTier, usageFrom } from './call.ts'
import { pictureParts, repairTurns } from './describe.ts'
import { wordOf } from './faults.ts'

type Params = Anthropic.MessageCreateParamsNonStreaming

/**
 * Builds the body of a Messages call. The raw `output_config.format` is used, because the SDK's own helper would move `enum` into the
 * description. The cache breakpoint is behind the trajectory and its pictures, so that another rubric, a sample or a repair reads them from
 * the cache.
 */
export function buildMessagesRequest(request: JudgeRequest, settings: JudgeSettings): Params {
  const breakpoint = { cache_control: { type: 'ephemeral' as const } }
  const shared = trajectoryBlocks(request)
  const output = {
    ...(settings.effort !== null && { effort: settings.effort }),
    ...(settings.structured_output === 'json_schema' && {
      format: { type: 'json_schema', schema: request.answer_schema },
    }),
  } as NonNullable<Params['output_config']>
  return {
    model: settings.model,
    max_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    system: request.system,
    messages: [
      {
        role: 'user',
        content: [
          ...shared.slice(0, -1),
          ...shared.slice(-1).map((last) => ({ ...last, ...breakpoint })),
          { type: 'text', text: request.question },
        ],
      },
      ...repairTurns(request, '(no answer)'),
    ],
    ...(Object.keys(output).length > 0 && { output_config: output }),
  }
}

type Block = Anthropic.TextBlockParam | Anthropic.ImageBlockParam

const trajectoryBlocks = (request: JudgeRequest): Block[] => [
  { type: 'text', text: request.trajectory },
  ...pictureParts<Block>(
    request,
    (text) => ({ type: 'text', text }),
    ({ media_type, data }) => ({ type: 'image', source: { type: 'base64', media_type, data } }),
  ),
]

/** Reads an answer of the Messages API, of a single call or of a batch. Throws a TypeError for a body of another form. */
export function replyOfMessage(answer: Anthropic.Message, requestId: string | null): JudgeReply {
  // A body that is no JSON, such as a proxy's page: the SDK returns it as a text.
  if (answer?.stop_reason === undefined) throw new TypeError('the answer is no message')
  const about = { usage: usageOf(answer.usage), model_resolved: wordOf(answer.model), request_id: requestId }
  switch (answer.stop_reason as string | null) {
    case 'refusal':
      return failed('refused', 'the model refused to answer', answer, about)
    case 'max_tokens':
      return failed('truncated', 'the answer reached the output limit', answer, about)
    case 'model_context_window_exceeded':
      return failed('context_overflow', 'the request and its answer do not fit the model’s window', answer, about)
    case 'end_turn':
    case 'stop_sequence':
      return answered(answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), answer, about)
    default:
      return failed('internal', 'the model stopped for a reason that this version does not know', answer, about)
  }
}

/** Converts Anthropic's usage, which counts uncached input apart; Veridict's input count includes all of it. */
function usageOf(usage: Anthropic.Usage | null | undefined): Usage | null {
  if (usage === null || usage === undefined) return null
  const read = usage.cache_read_input_tokens ?? 0
  const written = usage.cache_creation_input_tokens ?? 0
  const counts = usageFrom(usage.input_tokens + read + written, usage.output_tokens, read, written)
  const long = countOf(usage.cache_creation?.ephemeral_1h_input_tokens)
  return (
    counts && {
      ...counts,
      ...(long > 0 && { cache_write_long_tokens: long }),
      ...servedTier(usage.service_tier),
    }
  )
}
