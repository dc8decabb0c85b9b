import { isAbsent, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asList, asRecord } from '../common/session.ts'
import type { FileRun, Format, ReadDocument } from '../format.ts'
import { isAnswer, isChat, readRun, withoutHeads } from '../openai-chat/openai-chat.ts'
import { Located } from '../traces/located.ts'

/**
 * The format of a call of Anthropic's Messages API (@anthropic-ai/sdk, resources/messages/messages.d.ts): the request, with its `system`
 * beside its `messages`, alone or with its answer as `{"request", "response"}`. The chat reader reads the messages.
 */
export const ANTHROPIC_MESSAGES: Format = {
  name: 'anthropic-messages',
  recognizes: (document) => exchangeIn(document) !== null,
  read: readExchange,
  split: splitExchanges,
}

function readExchange(reading: Reading, document: Json): ReadDocument {
  const exchange = exchangeIn(document)
  const format = 'anthropic-messages'
  if (exchange === null || exchange.requestPath === '') return readRun(reading, document, '', format)
  const { request, requestPath, response, path } = exchange
  const answer = answerIn(reading, response, path)
  const placed = answer === null ? [] : [new Located(answer, path)]
  const read = readRun(reading, request, requestPath, format, placed)
  const model = answer?.['model']
  return typeof model === 'string' && read.agent.model === null ? { ...read, agent: { ...read.agent, model } } : read
}

/** Returns the model's answer; null, with a warning, where the response holds no readable answer. */
function answerIn(reading: Reading, response: unknown, path: string): Json | null {
  if (isRecord(response) && isAnswer(response)) return response
  if (isRecord(response) && response['type'] === 'error') reading.warn(path, 'the call failed: there is no answer')
  else if (!isAbsent(response)) reading.odd(path, 'an answer of the model', response)
  return null
}

/** A request to the model with its response, and the JSON pointer of each. */
interface Exchange {
  readonly request: Json
  readonly requestPath: string
  readonly response: unknown
  readonly path: string
}

/**
 * Finds the exchange in a document: the document itself, where it is a request with a `system`; else the request under `request`, or in its
 * `body` as proxies write it, with the answer in the same place under `response`. Null for every other document: the chat format reads a
 * request without a `system`.
 */
function exchangeIn(document: Json): Exchange | null {
  const [request, response] = ['request', 'response'].map((side) => inside(document[side], `/${side}`))
  if (request !== undefined && response !== undefined && isRecord(request.value) && isChat(request.value['messages'])) {
    const isAnthropic = 'system' in request.value || (isRecord(response.value) && isAnswer(response.value))
    return isAnthropic
      ? { request: request.value, requestPath: request.path, response: response.value, path: response.path }
      : null
  }
  const { system, messages } = document
  const hasSystem = typeof system === 'string' || (Array.isArray(system) && system.every(isText))
  if (!hasSystem || !isChat(messages)) return null
  return { request: document, requestPath: '', response: null, path: '/response' }
}

const inside = (value: unknown, path: string): { readonly value: unknown; readonly path: string } =>
  isRecord(value) && isRecord(value['body']) ? { value: value['body'], path: `${path}/body` } : { value, path }

const isText = (block: unknown): boolean => isRecord(block) && typeof block['text'] === 'string'

/**
 * Splits a log of exchanges into runs. An agent sends the whole conversation with every request, so an exchange whose request and answer
 * both begin the next request is left out.
 */
function splitExchanges(root: Json): readonly FileRun[] | null {
  const records = asList(root['records'])
  if (!records.some((record) => isRecord(record) && (exchangeIn(record)?.requestPath ?? '') !== '')) return null
  const kept = withoutHeads(records, conversationOf)
  // A record that is no exchange stays unchanged, so that the reader refuses it alone.
  return kept.map((document, index) => ({
    name: kept.length === 1 ? '' : String(index + 1),
    document: isRecord(document) ? { ...document } : { records: [document] },
  }))
}

/** Lists the prompt, the messages and the answer of an exchange. */
function conversationOf(record: unknown): readonly unknown[] | null {
  const exchange = isRecord(record) ? exchangeIn(record) : null
  if (exchange === null) return null
  const { request, response } = exchange
  const messages = asList(request['messages']).map(asRecord)
  const answer = isRecord(response) && isAnswer(response) ? ['assistant', response['content']] : [response]
  return [request['system'], ...messages.map(({ role, content }) => [role, content]), answer]
}
