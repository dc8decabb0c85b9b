import type OpenAI from 'openai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { Picture } from '../../domain/trajectory/picture.ts'
import type { JudgeRequest } from '../../ports/judge-ports.ts'
import { pictureParts } from '../picture-parts.ts'

type ResponsesParams = OpenAI.Responses.ResponseCreateParamsNonStreaming
type ChatParams = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

const SCHEMA_NAME = 'judge_answer'

/** The bytes of a Responses call. Trajectory first, question after it, repairs last: what is shared stands in front. */
export function buildResponsesRequest(request: JudgeRequest, settings: JudgeSettings): ResponsesParams {
  return {
    model: settings.model,
    instructions: request.system,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: request.trajectory },
          ...responsesPictures(request),
          { type: 'input_text', text: request.question },
        ],
      },
      ...request.repairs.flatMap((repair) => [
        { role: 'assistant' as const, content: repair.answer },
        { role: 'user' as const, content: repair.complaint },
      ]),
    ],
    max_output_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    prompt_cache_key: request.cache_hint,
    store: false,
    ...(settings.cache_ttl !== undefined && { prompt_cache_options: { ttl: settings.cache_ttl as '30m' | '12h' } }),
    ...tier(settings),
    ...(settings.effort !== null && {
      reasoning: { effort: settings.effort } as ResponsesParams['reasoning'] & object,
    }),
    ...(settings.structured_output === 'json_schema' && {
      text: {
        format: {
          type: 'json_schema' as const,
          name: SCHEMA_NAME,
          strict: true,
          schema: request.answer_schema as Record<string, unknown>,
        },
      },
    }),
  }
}

/** The bytes of a Chat Completions call, which every compatible server understands. */
export function buildChatRequest(request: JudgeRequest, settings: JudgeSettings): ChatParams {
  return {
    model: settings.model,
    messages: [
      { role: 'system', content: request.system },
      {
        role: 'user',
        content: [
          { type: 'text', text: request.trajectory },
          ...chatPictures(request),
          { type: 'text', text: request.question },
        ],
      },
      ...request.repairs.flatMap((repair) => [
        { role: 'assistant' as const, content: repair.answer },
        { role: 'user' as const, content: repair.complaint },
      ]),
    ],
    max_completion_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    ...(settings.effort !== null && { reasoning_effort: settings.effort as ChatParams['reasoning_effort'] & string }),
    // Gemini refuses the field with a 400; other servers may refuse it, too.
    ...(((settings.provider === 'openai' && settings.base_url === null) || settings.cache_ttl !== undefined) && {
      prompt_cache_key: request.cache_hint,
    }),
    ...(settings.cache_ttl !== undefined && { prompt_cache_options: { ttl: '30m' as const } }),
    ...tier(settings),
    ...constraint(request, settings),
  }
}

/** What is sent only where it is set: a server that does not know a field may refuse it. */
const tier = ({ service_tier }: JudgeSettings) =>
  service_tier === undefined ? {} : { service_tier: service_tier as 'auto' | 'default' | 'flex' | 'priority' | 'fast' }

/**
 * The schema by the field that a server documents. `json_schema`: OpenAI, and every newer server that speaks like it (llama.cpp, vLLM,
 * Ollama); `json_object` with a schema: llama.cpp; `structured_outputs`: vLLM from 0.12 on; `guided_json`: vLLM before.
 */
function constraint({ answer_schema }: JudgeRequest, { structured_output }: JudgeSettings): object {
  const schema = answer_schema as Record<string, unknown>
  switch (structured_output) {
    case 'json_schema':
      return { response_format: { type: 'json_schema', json_schema: { name: SCHEMA_NAME, strict: true, schema } } }
    case 'json_object':
      return { response_format: { type: 'json_object', schema } }
    case 'structured_outputs':
      return { structured_outputs: { json: schema } }
    case 'guided_json':
      return { guided_json: schema }
    case 'none':
      return {}
  }
}

const dataUrl = ({ media_type, data }: Picture): string => `data:${media_type};base64,${data}`

const responsesPictures = (request: JudgeRequest) =>
  pictureParts<OpenAI.Responses.ResponseInputContent>(
    request,
    (text) => ({ type: 'input_text', text }),
    (picture) => ({ type: 'input_image', image_url: dataUrl(picture), detail: 'auto' }),
  )

const chatPictures = (request: JudgeRequest) =>
  pictureParts<OpenAI.Chat.Completions.ChatCompletionContentPart>(
    request,
    (text) => ({ type: 'text', text }),
    (picture) => ({ type: 'image_url', image_url: { url: dataUrl(picture) } }),
  )
