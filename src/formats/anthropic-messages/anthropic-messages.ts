import { wordSet } from '../../domain/text/words.ts'
import { isAbsent, isRecord, type Json, type Reading } from '../common/reading.ts'
import type { Format, ReadDocument } from '../format.ts'
import { isAnswer, readRun } from '../openai-chat/openai-chat.ts'
import { exchangeIn } from './exchange.ts'

/**
 * A call of Anthropic's Messages API (@anthropic-ai/sdk, resources/messages/messages.d.ts): the request, which has its `system` beside the
 * `messages`, alone or with its answer, `{"request", "response"}`. The messages are read as those of any chat.
 */
export const ANTHROPIC_MESSAGES: Format = {
  name: 'anthropic-messages',
  recognizes: (document) => exchangeIn(document) !== null,
  read: readExchange,
}

const DOCUMENT_FIELDS = wordSet(`request response id custom_id timestamp logged_at metadata duration_ms error`)
/** Of a request or an answer whose `body` is the message. */
const HTTP_FIELDS = wordSet(`url method path headers timestamp status_code status body request_id`)
const REQUEST_FIELDS = wordSet(`stop_sequences top_k thinking betas cache_control container context_management
  diagnostics inference_geo mcp_servers output_config output_format service_tier speed user_profile_id workspace_id
  billing_policy compaction fallbacks fallback_credit_token thread anthropic_version anthropic_beta`)

function readExchange(reading: Reading, document: Json): ReadDocument {
  const exchange = exchangeIn(document)
  const form = { format: 'anthropic-messages', fields: REQUEST_FIELDS }
  if (exchange === null || exchange.requestPath === '') return readRun(reading, document, '', form)
  reading.warnUnknown(document, '', DOCUMENT_FIELDS)
  for (const side of ['request', 'response'] as const) {
    const outer = document[side]
    if (isRecord(outer) && isRecord(outer['body'])) reading.warnUnknown(outer, `/${side}`, HTTP_FIELDS)
  }
  const { request, requestPath, response, path } = exchange
  const answer = answerIn(reading, response, path)
  const read = readRun(reading, request, requestPath, {
    ...form,
    answer: answer === null ? [] : [{ message: answer, path }],
  })
  const model = answer?.['model']
  return typeof model === 'string' && read.agent.model === null ? { ...read, agent: { ...read.agent, model } } : read
}

/** The answer; null, with a warning, where there is none that can be read. */
function answerIn(reading: Reading, response: unknown, path: string): Json | null {
  if (isRecord(response) && isAnswer(response)) return response
  if (isRecord(response) && response['type'] === 'error') reading.warn(path, 'the call failed: there is no answer')
  else if (!isAbsent(response)) reading.unread(path, 'not an answer of the model; not read', true)
  return null
}
