import { isRecord } from '../common/reading.ts'
import { asRecord } from '../common/session.ts'
import { contentOf, isBareBlock } from '../traces/blocks.ts'
import { decodeLocated, messagesIn, plainMessagesIn, type Side, systemMessages } from '../traces/chat-shapes.ts'
import { Located, type Tree } from '../traces/located.ts'
import type { SpanKind } from '../traces/trace-span.ts'
import type { Attribute } from './attributes.ts'

/** Messages of a span; null: a form that is not known; undefined: no messages of this convention. */
type SpanMessages = readonly Tree[] | null | undefined

export interface SpanEvent {
  readonly name: string
  readonly attributes: Attribute
}

/** Reads the messages that a model call received or answered, by the convention of the span. */
export function messagesOfSpan(own: Attribute, events: readonly SpanEvent[], side: Side): readonly Tree[] | null {
  for (const read of [genAiMessages, eventMessages, numberedMessages, side === 'user' ? aiSdkInput : aiSdkOutput]) {
    const messages = read(own, side, events)
    if (messages !== undefined) return messages
  }
  return openInferenceMessages(own, side)
}

/**
 * Reads messages in the GenAI conventions: `gen_ai.system_instructions`, `gen_ai.input.messages` and `gen_ai.output.messages` (since 1.37),
 * as attributes of the span or of an event.
 */
function genAiMessages(own: Attribute, side: Side, events: readonly SpanEvent[]): SpanMessages {
  for (const attributes of [own, ...events.map((event) => event.attributes)]) {
    const messages = attributes.value(`gen_ai.${side === 'assistant' ? 'output' : 'input'}.messages`)
    const system = side === 'assistant' ? null : attributes.value('gen_ai.system_instructions')
    if (messages === null && system === null) continue
    const read = messages === null ? [] : messagesIn(messages, side)
    return read === null ? null : [...(system === null ? [] : systemMessages(system)), ...read]
  }
  return undefined
}

/** Roles by event of the GenAI conventions before 1.37. */
const EVENT_ROLES: Readonly<Record<string, string>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
  'gen_ai.choice': 'assistant',
}

export const isMessageEvent = ({ name }: SpanEvent): boolean => Object.hasOwn(EVENT_ROLES, name)

/** Recognizes AWS's Strands Agents, whose events hold Converse blocks as JSON in a string, and an agent's last message as plain text. */
const isStrands = (own: Attribute): boolean =>
  [own.text('gen_ai.system'), own.text('gen_ai.provider.name')].includes('strands-agents')

/** Reads a message of Strands (strands-agents/sdk-python, telemetry/tracer.py), whose tool results are the user's blocks. */
function strandsMessage(content: Located, role: string): Tree {
  const blocks = decodeLocated(content)
  const isBlocks = blocks?.items().some((block) => isBareBlock(block.value)) === true
  const shown = isBlocks ? contentOf(blocks, role === 'assistant') : content
  return { role: role === 'tool' ? 'user' : role, content: shown }
}

/** Reads messages in events: the body of an event as JSON, or its members as attributes; for a choice, its `message`. */
function eventMessages(own: Attribute, side: Side, events: readonly SpanEvent[]): SpanMessages {
  const isOutput = side === 'assistant'
  const ofSide = events.filter((event) => isMessageEvent(event) && (event.name === 'gen_ai.choice') === isOutput)
  const messages = ofSide.flatMap(({ name, attributes }): readonly Tree[] => {
    const role = EVENT_ROLES[name] ?? ''
    const content = attributes.value(isOutput ? 'message' : 'content')
    if (content !== null && isStrands(own)) return [strandsMessage(content, role)]
    const said = content ?? attributes.value('content')
    const whole = attributes.value('gen_ai.event.content') ?? (isOutput ? content : null)
    if (whole !== null)
      return (messagesIn(whole, role === 'assistant' ? role : 'user') ?? []).map((tree) => withRole(tree, role))
    const calls = attributes.value('tool_calls')
    return [
      {
        role,
        ...(said !== null && { content: contentOf(said) }),
        ...(calls !== null && { tool_calls: decodeLocated(calls) ?? calls }),
        ...(role === 'tool' && { tool_call_id: attributes.value('id') }),
      },
    ]
  })
  return messages.length > 0 ? messages : undefined
}

/**
 * Span kinds of Vercel's AI SDK (vercel/ai, packages/ai/src: `ai.operationId`, `ai.prompt.messages`, `ai.response.*`; `ai.result.*` before
 * version 4). A model call is `….doGenerate` or `….doStream`; the span around it repeats the call's input and output for the user.
 */
export const AI_SDK: Readonly<Record<string, SpanKind>> = {
  ...{ 'ai.generateText': 'agent', 'ai.streamText': 'agent', 'ai.generateObject': 'agent', 'ai.streamObject': 'agent' },
  ...{ 'ai.generateText.doGenerate': 'model', 'ai.streamText.doStream': 'model', 'ai.toolCall': 'tool' },
  ...{ 'ai.generateObject.doGenerate': 'model', 'ai.streamObject.doStream': 'model' },
}

/** Reads the input of a model call of the AI SDK, with `tool-call` and `tool-result` blocks, as JSON. */
function aiSdkInput(own: Attribute): SpanMessages {
  const messages = own.value('ai.prompt.messages')
  if (messages !== null) return messagesIn(decodeLocated(messages) ?? messages, 'user')
  const prompt = own.value('ai.prompt')
  const request = prompt === null ? null : decodeLocated(prompt)
  if (request === null) return prompt === null ? undefined : null
  const system = request.member('system')
  const first: Tree[] = typeof system.value === 'string' ? [{ role: 'system', content: system }] : []
  const words = request.member('prompt')
  if (typeof words.value === 'string') return [...first, { role: 'user', content: words }]
  const turns = messagesIn(Array.isArray(words.value) ? words : request.member('messages'), 'user')
  return turns === null ? null : [...first, ...turns]
}

/** Reads the output of a model call of the AI SDK: its text unchanged, and its calls. */
function aiSdkOutput(own: Attribute): SpanMessages {
  const of = (name: string) => own.value(`ai.response.${name} ai.result.${name}`)
  const [text, calls, reasoning] = [of('text') ?? of('object'), of('toolCalls'), of('reasoning')]
  if (text === null && calls === null && reasoning === null) return undefined
  const decoded = calls === null ? null : decodeLocated(calls)
  if (calls !== null && decoded === null) return null
  const list = decoded !== null && !Array.isArray(decoded.value) ? [decoded] : (decoded?.items() ?? [])
  const isCall = ({ value }: Located): boolean => isRecord(value) && value !== decoded?.value
  const content = [
    ...(reasoning === null ? [] : [{ type: 'reasoning', reasoning }]),
    ...(text === null || text.value === '' ? [] : [{ type: 'text', text }]),
    ...list.filter(isCall).map((call): Tree => {
      const input = call.member('input' in asRecord(call.value) ? 'input' : 'args')
      return { type: 'tool_use', id: call.member('toolCallId'), name: call.member('toolName'), input }
    }),
  ]
  // An odd call stays as it is beside the message, so that it is unread at its place.
  return [{ role: 'assistant', content }, ...list.filter((call) => !isCall(call))]
}

/**
 * Reads the messages of a model call in OpenInference (Arize-ai/openinference, spec/semantic_conventions.md and tool_calling.md):
 * `llm.input_messages.0.message.role` and so on, else `input.value`, the provider's request. Null: the value holds no messages.
 */
function openInferenceMessages(own: Attribute, side: Side): readonly Tree[] | null {
  const list = own.get(side === 'user' ? 'llm.input_messages' : 'llm.output_messages')?.items() ?? []
  if (list.length > 0) return list.map((item) => messageOf(item.get('message') ?? item, side))
  const value = own.value(side === 'user' ? 'input.value' : 'output.value')
  const isJson = own.text(side === 'user' ? 'input.mime_type' : 'output.mime_type') === 'application/json'
  return value === null ? [] : (isJson ? messagesIn : plainMessagesIn)(value, side)
}

/**
 * Reads OpenLLMetry's numbered messages: `gen_ai.prompt.0.role`, `.content`, `.tool_calls.0.name` (traceloop/openllmetry,
 * opentelemetry-semantic-conventions-ai).
 */
function numberedMessages(own: Attribute, side: Side): SpanMessages {
  const list = own.get(`gen_ai.${side === 'assistant' ? 'completion' : 'prompt'}`)
  if (list === null) return undefined
  if (typeof list.located.value === 'string') return messagesIn(list.located, side)
  return list.items().flatMap((item) => {
    const role = item.text('role') ?? side
    const content = item.value('content')
    // The agent's calls are separate members, so JSON in its content is text that the agent wrote.
    const read = role === 'assistant' ? plainMessagesIn : messagesIn
    const messages = content === null ? [] : (read(content, side) ?? [])
    const isPlain = item.get('tool_calls') === null && role !== 'tool' && messages.length === 1
    return isPlain ? messages.map((tree) => withRole(tree, role)) : [messageOf(item, side)]
  })
}

const withRole = (tree: Tree, role: string): Tree =>
  typeof tree === 'object' && tree !== null && !(tree instanceof Located) && !Array.isArray(tree)
    ? { ...tree, role }
    : tree

function messageOf(message: Attribute, side: Side): Tree {
  const role = message.text('role') ?? side
  const calls = (message.get('tool_calls')?.items() ?? []).map((item) => callOf(item.get('tool_call') ?? item))
  const contents = message.get('contents')?.items() ?? []
  const isShown = (item: Attribute): boolean => item.get('tool_call') === null || calls.length === 0
  const blocks = contents.filter(isShown).map((item) => blockOf(item, role === 'assistant'))
  const name = message.value('function_call_name')
  const content = message.value('content')
  const hasText = blocks.some((block) => isRecord(block) && block['type'] === 'text')
  const words = hasText || typeof content?.value !== 'string' ? [] : [{ type: 'text', text: content }]
  return {
    role,
    content: blocks.length === 0 ? content : [...words, ...blocks],
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(name !== null && { function_call: { name, arguments: message.value('function_call_arguments_json') } }),
    tool_call_id: message.value('tool_call_id'),
    name: message.value('name'),
  }
}

const callOf = (call: Attribute): Tree => ({
  id: call.value('id'),
  function: {
    name: call.value('function.name name'),
    arguments: call.value('function.arguments arguments'),
  },
})

function blockOf(item: Attribute, isAgent: boolean): Tree {
  const content = item.get('message_content')
  const type = content?.text('type')
  const text = content?.value('text') ?? null
  const call = item.get('tool_call')
  // Blocks that only an agent can write are shown unchanged in another speaker's message.
  if (!isAgent && (call !== null || type === 'reasoning')) return item.located
  if (call !== null) {
    const [id, name, input] = ['id', 'function.name', 'function.arguments'].map((member) => call.value(member))
    return { type: 'tool_use', id, name, input }
  }
  if (type === 'reasoning')
    return text === null ? { type: 'redacted_thinking' } : { type: 'reasoning', reasoning: text }
  if (type === 'text' || text !== null) return { type: 'text', text }
  const [image, audio] = ['image.image.url image.url', 'audio.audio.url'].map((name) => content?.value(name) ?? null)
  if (image) return { type: 'image_url', image_url: { url: image } }
  return audio ? { type: 'audio', source: { url: audio } } : (content?.located ?? item.located)
}
