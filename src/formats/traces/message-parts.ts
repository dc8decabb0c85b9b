import { isRecord } from '../common/reading.ts'
import { contentOf, type Located, type Tree } from './located.ts'

/**
 * A message with `parts`, as the GenAI conventions have them (open-telemetry/semantic-conventions-genai,
 * docs/gen-ai/gen-ai-input-messages.json), and Gemini's API. What tools answered becomes a message of its own, one for each.
 */
export function messagesOfParts(message: Located, role: string): readonly Tree[] {
  const blocks: Tree[] = []
  const results: Tree[] = []
  for (const part of message.member('parts').items()) {
    const result = resultOf(part)
    if (result === null) blocks.push(role !== 'assistant' && isAgentsOwn(part) ? part : blockOf(part))
    else results.push(result)
  }
  const words: Tree[] = blocks.length === 0 && results.length > 0 ? [] : [{ role, content: blocks }]
  return role === 'assistant' ? [...words, ...results] : [...results, ...words]
}

const AGENTS_OWN: ReadonlySet<unknown> = new Set(['tool_call', 'server_tool_call', 'reasoning', 'thinking'])

/** What only an agent says or does: in the message of another it is shown as it stands. */
const isAgentsOwn = ({ value }: Located): boolean =>
  isRecord(value) && (AGENTS_OWN.has(value['type']) || isRecord(value['functionCall']) || value['thought'] === true)

function resultOf(part: Located): Tree | null {
  const { value } = part
  if (!isRecord(value)) return null
  const type = value['type']
  if (type === 'tool_call_response' || type === 'server_tool_call_response') {
    // `response` as the schema has it; `result` as its examples do.
    const name = ['response', 'result', 'server_tool_call_response'].find((one) => one in value) ?? 'response'
    return { role: 'tool', tool_call_id: part.member('id'), content: contentOf(part.member(name)) }
  }
  const answer = part.member('functionResponse')
  if (!isRecord(answer.value)) return null
  return {
    role: 'function',
    name: answer.member('name'),
    tool_call_id: answer.member('id'),
    content: contentOf(answer.member('response')),
  }
}

function blockOf(part: Located): Tree {
  const { value } = part
  if (!isRecord(value)) return part
  const content = part.member('content')
  const mime = part.member('mime_type')
  switch (value['type']) {
    case 'text':
      return typeof value['content'] === 'string' ? { type: 'text', text: content } : part
    case 'reasoning':
    case 'thinking':
      return typeof value['content'] === 'string' ? { type: 'reasoning', reasoning: content } : part
    case 'tool_call':
      return { type: 'tool_use', id: part.member('id'), name: part.member('name'), input: part.member('arguments') }
    case 'server_tool_call':
      return {
        type: 'server_tool_use',
        id: part.member('id'),
        name: part.member('name'),
        input: part.member('server_tool_call'),
      }
    case 'blob':
      return { type: mediaOf(value['modality']), source: { media_type: mime, data: content } }
    case 'uri':
      return { type: mediaOf(value['modality']), source: { url: part.member('uri') } }
    case 'file':
      return { type: 'file', file: { filename: part.member('file_id') } }
    default:
      return value['type'] === undefined ? geminiBlock(part) : part
  }
}

const mediaOf = (modality: unknown): string =>
  ['image', 'audio', 'video'].includes(String(modality)) ? String(modality) : 'file'

function geminiBlock(part: Located): Tree {
  const text = part.member('text')
  const call = part.member('functionCall')
  const data = part.member('inlineData')
  if (isRecord(call.value))
    return { type: 'tool_use', id: call.member('id'), name: call.member('name'), input: call.member('args') }
  if (typeof text.value === 'string') {
    const isThought = part.member('thought').value === true
    return isThought ? { type: 'reasoning', reasoning: text } : { type: 'text', text }
  }
  if (isRecord(data.value))
    return { type: 'image', source: { media_type: data.member('mimeType'), data: data.member('data') } }
  return part
}
