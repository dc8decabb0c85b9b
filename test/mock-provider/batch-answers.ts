import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'

/** The three APIs that a request can be for. */
export type AnswerPath = '/v1/responses' | '/v1/chat/completions' | '/v1/messages'

/** What the model of the played provider is called. */
const RESOLVED_MODEL = 'mock-resolved-1'

/** A text in the envelope of an API, whole by the SDKs’ own types. */
export function answerBody(path: AnswerPath, id: string, text: string): object {
  if (path === '/v1/responses') return responseOf(id, text)
  return path === '/v1/messages' ? messageOf(id, text) : completionOf(id, text)
}

const responseOf = (id: string, text: string): Omit<OpenAI.Responses.Response, 'output_text'> => ({
  id: `resp_${id}`,
  object: 'response',
  access_programs: null,
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: null,
  model: RESOLVED_MODEL,
  output: [
    {
      type: 'message',
      id: `msg_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
    },
  ],
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'none',
  tools: [],
  top_p: null,
  usage: {
    input_tokens: 120,
    output_tokens: 30,
    total_tokens: 150,
    input_tokens_details: { cached_tokens: 20, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
})

const completionOf = (id: string, text: string): OpenAI.Chat.Completions.ChatCompletion => ({
  id: `chatcmpl_${id}`,
  object: 'chat.completion',
  created: 1,
  model: RESOLVED_MODEL,
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: text, refusal: null },
    },
  ],
  usage: {
    prompt_tokens: 120,
    completion_tokens: 30,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 20 },
  },
})

export const messageOf = (id: string, text: string): Anthropic.Message => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model: RESOLVED_MODEL,
  container: null,
  diagnostics: null,
  stop_details: null,
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text, citations: null }],
  usage: {
    cache_creation: null,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 20,
    inference_geo: null,
    input_tokens: 100,
    output_tokens: 30,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'batch',
    speed: null,
  },
})
