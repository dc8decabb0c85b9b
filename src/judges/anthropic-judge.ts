import Anthropic, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../config/judge-settings.ts'
import type { Judge, JudgeReply, JudgeRequest } from '../grading/ports.ts'
import type { Usage } from '../schemas/grade.ts'
import { callProvider, failed, rawOf, type SdkErrors } from './call.ts'
import { describeJudge } from './describe.ts'
import { makeFetch } from './transport.ts'

const ERRORS: SdkErrors = {
  api: APIError,
  connection: APIConnectionError,
  timeout: APIConnectionTimeoutError,
  abort: APIUserAbortError,
}

/** An explicit time limit, which the SDK wants for long answers that are not streamed; the caller’s signal is shorter. */
const LONGEST_CALL_MS = 30 * 60_000

/** A judge behind Anthropic’s Messages API. One call a question; retries are ours, so the SDK makes none. */
export function createAnthropicJudge(name: string, settings: JudgeSettings, key: string): Judge {
  const client = new Anthropic({
    apiKey: key,
    authToken: null,
    baseURL: settings.base_url ?? 'https://api.anthropic.com',
    maxRetries: 0,
    fetch: makeFetch(),
    logLevel: 'off',
  })
  return {
    info: describeJudge(name, settings),
    ask: (request, signal) => callProvider(ERRORS, key, signal, () => callMessages(client, settings, request, signal)),
  }
}

type Params = Anthropic.MessageCreateParamsNonStreaming

/**
 * The bytes of a Messages call. The raw `output_config.format`: the SDK’s own helper would move `enum` into the description. The cache
 * breakpoint stands behind the trajectory, so that another rubric, a sample or a repair reads it from the cache.
 */
export function buildMessagesRequest(request: JudgeRequest, settings: JudgeSettings): Params {
  const breakpoint = settings.cache_control ? { cache_control: { type: 'ephemeral' as const } } : {}
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
          { type: 'text', text: request.trajectory, ...breakpoint },
          { type: 'text', text: request.question },
        ],
      },
      ...request.repairs.flatMap((repair) => [
        { role: 'assistant' as const, content: repair.answer === '' ? '(no answer)' : repair.answer },
        { role: 'user' as const, content: repair.complaint },
      ]),
    ],
    ...(Object.keys(output).length > 0 && { output_config: output }),
  }
}

async function callMessages(
  client: Anthropic,
  settings: JudgeSettings,
  request: JudgeRequest,
  signal: AbortSignal,
): Promise<JudgeReply> {
  const answer = await client.messages.create(buildMessagesRequest(request, settings), {
    signal,
    timeout: LONGEST_CALL_MS,
  })
  const about = { usage: usageOf(answer.usage), model: answer.model ?? null, request_id: answer._request_id ?? null }
  switch (answer.stop_reason as string | null) {
    case 'refusal':
      return failed('refused', 'the model refused to answer', answer, about)
    case 'max_tokens':
      return failed('truncated', 'the answer reached the output limit', answer, about)
    case 'model_context_window_exceeded':
      return failed('context_overflow', 'the request and its answer do not fit the model’s window', answer, about)
    case 'end_turn':
    case 'stop_sequence': {
      const text = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      return {
        ok: true,
        text,
        raw: rawOf(answer),
        usage: about.usage,
        model_resolved: about.model,
        request_id: about.request_id,
      }
    }
    default:
      return failed('internal', 'the model stopped for a reason that this version does not know', answer, about)
  }
}

/** Anthropic reports uncached input apart; ours counts all of it. */
const usageOf = (usage: Anthropic.Usage | undefined): Usage | null =>
  usage === undefined
    ? null
    : {
        input_tokens:
          usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_input_tokens ?? 0,
        cache_write_tokens: usage.cache_creation_input_tokens ?? 0,
      }
