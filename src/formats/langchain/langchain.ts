import { wordSet } from '../../domain/text/words.ts'
import { isRecord, itemsIn, type Json, type Reading, typeName } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { TraceSink } from '../traces/trace-span.ts'
import { readLangChainMessage } from './langchain-chat.ts'
import { isOwnMessage, modelOfMessage, openMessage } from './langchain-form.ts'

/**
 * The format of LangChain's messages and LangGraph's states: `{"messages": […]}`, the same under `values`, `state` or `output`, or an
 * array. Each message may have any of its written forms (langchain-form.ts).
 */
export const LANGCHAIN: Format = {
  name: 'langchain',
  recognizes: (document) => messagesIn(document) !== null,
  read: readLangChain,
  asides: new Set(['artifact']),
}

const STATES = ['values', 'state', 'output', 'outputs', 'channel_values'] as const
const ROOT_FIELDS: ReadonlySet<string> = wordSet(`next config metadata created_at createdAt parent_config parentConfig
  checkpoint parent_checkpoint checkpoint_id parent_checkpoint_id tasks interrupts thread_id model id
  structured_response remaining_steps is_last_step`)

function messagesIn(document: Json): { readonly list: readonly unknown[]; readonly path: string } | null {
  const states = STATES.map((name) => [document[name], `/${name}`] as const)
  for (const [state, path] of [[document, ''] as const, ...states]) {
    const list = isRecord(state) ? state['messages'] : undefined
    if (Array.isArray(list) && list.some(isOwnMessage)) return { list, path: `${path}/messages` }
  }
  const { records } = document
  return Array.isArray(records) && records.some(isOwnMessage) ? { list: records, path: '/records' } : null
}

function readLangChain(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const sink = new TraceSink(reading, null)
  reading.warnUnknown(document, '', new Set([...ROOT_FIELDS, path.split('/')[1] ?? '']))
  let model = asText(document['model'])
  for (const [message, at] of itemsIn(list, path)) {
    const open = openMessage(message, at)
    if (open === null) {
      reading.error(at, `must be a message, not ${typeName(message)}`)
      continue
    }
    model ??= modelOfMessage(open)
    readLangChainMessage(sink, open)
  }
  return { format: 'langchain', agent: { name: null, model }, steps: sink.session.finish(path) }
}
