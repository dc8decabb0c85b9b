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
  if (exchange === null || exchange.response === null) return readRun(reading, new Located(document, ''), format)
  const { request, response } = exchange
  const answer = isRecord(response.value) && isAnswer(response.value) ? response.value : null
  if (answer === null && response.record['type'] === 'error')
    reading.warn(response.path, 'the call failed: there is no answer')
  else if (answer === null && !isAbsent(response.value))
    reading.odd(response.path, 'an answer of the model', response.value)
  const read = readRun(reading, request, format, answer === null ? [] : [response])
  const model = answer?.['model']
  return typeof model === 'string' && read.agent.model === null ? { ...read, agent: { ...read.agent, model } } : read
}

/** A request to the model with its response; null for a request alone. */
interface Exchange {
  readonly request: Located
  readonly response: Located | null
}

/**
 * Finds the exchange in a document: the document itself, where it is a request with a `system`; else the request under `request`, or in its
 * `body` as proxies write it, with the answer in the same place under `response`. Null for every other document: the chat format reads a
 * request without a `system`.
 */
function exchangeIn(document: Json): Exchange | null {
  const root = new Located(document, '')
  const [request, response] = [bodyOf(root.member('request')), bodyOf(root.member('response'))]
  if (isRecord(request.value) && isChat(request.value['messages'])) {
    const isAnthropic = 'system' in request.value || (isRecord(response.value) && isAnswer(response.value))
    return isAnthropic ? { request, response } : null
  }
  const { system, messages } = document
  const hasSystem = typeof system === 'string' || (Array.isArray(system) && system.every(isText))
  return hasSystem && isChat(messages) ? { request: root, response: null } : null
}

const bodyOf = (side: Located): Located => (isRecord(side.member('body').value) ? side.member('body') : side)

const isText = (block: unknown): boolean => isRecord(block) && typeof block['text'] === 'string'

/**
 * Splits a log of exchanges into runs. An agent sends the whole conversation with every request, so an exchange whose request and answer
 * both begin the next request is left out.
 */
function splitExchanges(root: Json): readonly FileRun[] | null {
  const records = asList(root['records'])
  if (!records.some((record) => isRecord(record) && (exchangeIn(record)?.response ?? null) !== null)) return null
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
  const { system, messages } = exchange.request.record
  const response = exchange.response?.value ?? null
  const answer = isRecord(response) && isAnswer(response) ? ['assistant', response['content']] : [response]
  return [
    system,
    ...asList(messages)
      .map(asRecord)
      .map(({ role, content }) => [role, content]),
    answer,
  ]
}
