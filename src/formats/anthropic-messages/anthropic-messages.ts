import { isAbsent, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asList, asRecord } from '../common/session.ts'
import type { FileRun, Format, ReadDocument } from '../format.ts'
import { isAnswer, isChat, readRun } from '../openai-chat/openai-chat.ts'
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
  const { request, response } = exchangeIn(document) ?? { request: new Located(document, ''), response: ABSENT }
  const { value, path } = response
  if (asRecord(value)['type'] === 'error') reading.warn(path, 'the call failed: there is no answer')
  else if (!isAbsent(value) && !isAnswer(value)) reading.odd(path, 'an answer of the model', value)
  return readRun(reading, request, 'anthropic-messages', isAnswer(value) ? [response] : [])
}

/** A request to the model with its response. */
interface Exchange {
  readonly request: Located
  readonly response: Located
}

const ABSENT = new Located(null, '/response')

/**
 * Finds the exchange in a document: the document itself, where it is a request with a `system`; else the request under `request`, or in its
 * `body` as proxies write it, with the answer in the same place under `response`. Null for every other document: the chat format reads a
 * request without a `system`.
 */
function exchangeIn(document: Json): Exchange | null {
  const root = new Located(document, '')
  const [request, response] = [inside(root.member('request')), inside(root.member('response'))]
  const asked = asRecord(request.value)
  if (isChat(asked['messages'])) return 'system' in asked || isAnswer(response.value) ? { request, response } : null
  const { system, messages } = document
  const hasSystem = typeof system === 'string' || (Array.isArray(system) && system.every(isText))
  return hasSystem && isChat(messages) ? { request: root, response: ABSENT } : null
}

function inside(side: Located): Located {
  const body = side.member('body')
  return isRecord(body.value) ? body : side
}

const isText = (block: unknown): boolean => isRecord(block) && typeof block['text'] === 'string'

/**
 * Splits a log of exchanges into runs. An agent sends the whole conversation with every request, so an exchange whose request and answer
 * both begin the next request is left out.
 */
function splitExchanges(root: Json): readonly FileRun[] | null {
  const { records } = root
  const exchanges = asList(records).map((record) => (isRecord(record) ? exchangeIn(record) : null))
  if (!exchanges.some((exchange) => exchange !== null && exchange.request.path !== '')) return null
  const kept = asList(records).filter((_, index) => !isHead(exchanges[index] ?? null, exchanges[index + 1] ?? null))
  // A record that is no exchange stays unchanged, so that the reader refuses it alone.
  return kept.map((document, index) => ({
    name: kept.length === 1 ? '' : String(index + 1),
    document: isRecord(document) ? { ...document } : { records: [document] },
  }))
}

function isHead(exchange: Exchange | null, next: Exchange | null): boolean {
  if (exchange === null || next === null || !isRecord(exchange.response.value)) return false
  const [own, later] = [asRecord(exchange.request.value), asRecord(next.request.value)]
  const messages = asList(own['messages'])
  const following = asList(later['messages'])
  const answer = asRecord(following[messages.length])
  return (
    isSame(own['system'], later['system']) &&
    messages.every((message, index) => isSame(message, following[index])) &&
    answer['role'] === 'assistant' &&
    isSame(answer['content'], exchange.response.value['content'])
  )
}

/** Compares two values by their JSON text; values nested too deep to be written count as different, and are then refused. */
function isSame(a: unknown, b: unknown): boolean {
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    return false
  }
}
