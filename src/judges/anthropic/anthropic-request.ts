import type Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { JudgeRequest } from '../../ports/judge-ports.ts'
import { pictureParts } from '../picture-parts.ts'

type Params = Anthropic.MessageCreateParamsNonStreaming

/**
 * The bytes of a Messages call. The raw `output_config.format`: the SDK’s own helper would move `enum` into the description. The cache
 * breakpoint stands behind the trajectory and its pictures, so that another rubric, a sample or a repair reads it from the cache.
 */
export function buildMessagesRequest(request: JudgeRequest, settings: JudgeSettings): Params {
  const breakpoint = { cache_control: { type: 'ephemeral' as const, ...ttlOf(settings) } }
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
      ...request.repairs.flatMap((repair) => [
        { role: 'assistant' as const, content: repair.answer === '' ? '(no answer)' : repair.answer },
        { role: 'user' as const, content: repair.complaint },
      ]),
    ],
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(settings.service_tier !== undefined && {
      service_tier: settings.service_tier as Params['service_tier'] & string,
    }),
  }
}

const ttlOf = ({ cache_ttl }: JudgeSettings): { ttl?: '5m' | '1h' } =>
  cache_ttl === undefined ? {} : { ttl: cache_ttl as '5m' | '1h' }

type Block = Anthropic.TextBlockParam | Anthropic.ImageBlockParam

const trajectoryBlocks = (request: JudgeRequest): Block[] => [
  { type: 'text', text: request.trajectory },
  ...pictureParts<Block>(
    request,
    (text) => ({ type: 'text', text }),
    ({ media_type, data }) => ({ type: 'image', source: { type: 'base64', media_type, data } }),
  ),
]
