import { isRecord } from '../common/reading.ts'
import { asRecord } from '../common/session.ts'
import { decodeLocated, messagesIn, opened, plainMessagesIn, type Side, systemMessages } from '../traces/chat-shapes.ts'
import { contentOf, isBareBlock, Located, type Tree } from '../traces/located.ts'
import type { SpanKind } from '../traces/trace-span.ts'
import { attribute, attributeItems, attributeText } from './attributes.ts'

/** Messages of a span; null: a form that is not known; undefined: no messages of this convention. */
type SpanMessages = readonly Tree[] | null | undefined

export type SpanEvent = { readonly name: string; readonly attributes: Located }

/** Reads the messages that a model call received or answered, by the convention of the span. */
export function messagesOfSpan(own: Located, events: readonly SpanEvent[], side: Side): readonly Tree[] | null {
  for (const read of [genAiMessages, eventMessages, numberedMessages, side === 'user' ? aiSdkInput : aiSdkOutput]) {
    const messages = read(own, side, events)
    if (messages !== undefined) return messages
  }
  return openInferenceMessages(own, side)
}

/** Reads messages of the GenAI conventions since 1.37, as attributes of the span or of an event. */
function genAiMessages(own: Located, side: Side, events: readonly SpanEvent[]): SpanMessages {
  for (const attributes of [own, ...events.map((event) => event.attributes)]) {
    const messages = attribute(attributes, `gen_ai.${side === 'assistant' ? 'output' : 'input'}.messages`)
    const system = side === 'assistant' ? null : attribute(attributes, 'gen_ai.system_instructions')
    if (messages === null && system === null) continue
    const read = messages === null ? [] : messagesIn(messages, side)
    return read === null ? null : [...(system === null ? [] : systemMessages(system)), ...read]
  }
  return undefined
}

const EVENT_ROLES: Readonly<Record<string, string>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
  'gen_ai.choice': 'assistant',
}

export const isMessageEvent = ({ name }: SpanEvent): boolean => Object.hasOwn(EVENT_ROLES, name)

/** Recognizes AWS's Strands Agents, whose events hold Converse blocks as JSON in a string, and an agent's last message as plain text. */
const isStrands = (own: Located): boolean =>
  [attributeText(own, 'gen_ai.system'), attributeText(own, 'gen_ai.provider.name')].includes('strands-agents')

/** Reads a message of Strands (strands-agents/sdk-python, telemetry/tracer.py), whose tool results are the user's blocks. */
function strandsMessage(content: Located, role: string): Tree {
  const blocks = decodeLocated(content)
  const isBlocks = blocks?.items().some((block) => isBareBlock(block.value)) === true
  const shown = isBlocks ? contentOf(blocks, role === 'assistant') : content
  return { role: role === 'tool' ? 'user' : role, content: shown }
}

/** Reads messages in events: the body of an event as JSON, or its members as attributes; for a choice, its `message`. */
function eventMessages(own: Located, side: Side, events: readonly SpanEvent[]): SpanMessages {
  const isOutput = side === 'assistant'
  const ofSide = events.filter((event) => isMessageEvent(event) && (event.name === 'gen_ai.choice') === isOutput)
  const messages = ofSide.flatMap(({ name, attributes }): readonly Tree[] => {
    const role = EVENT_ROLES[name] ?? ''
    const content = attribute(attributes, isOutput ? 'message' : 'content')
    if (content !== null && isStrands(own)) return [strandsMessage(content, role)]
    const said = content ?? attribute(attributes, 'content')
    const whole = attribute(attributes, 'gen_ai.event.content') ?? (isOutput ? content : null)
    if (whole !== null)
      return (messagesIn(whole, role === 'assistant' ? role : 'user') ?? []).map((tree) => withRole(tree, role))
    const calls = attribute(attributes, 'tool_calls')
    return [
      {
        role,
        ...(said !== null && { content: contentOf(said) }),
        ...(calls !== null && { tool_calls: opened(calls) }),
        ...(role === 'tool' && { tool_call_id: attribute(attributes, 'id') }),
      },
    ]
  })
  return messages.length > 0 ? messages : undefined
}

/** Span kinds of Vercel's AI SDK. A model call is `….doGenerate` or `….doStream`; the span around it repeats its input and output. */
export const AI_SDK: Readonly<Record<string, SpanKind>> = {
  ...{ 'ai.generateText': 'agent', 'ai.streamText': 'agent', 'ai.generateObject': 'agent', 'ai.streamObject': 'agent' },
  ...{ 'ai.generateText.doGenerate': 'model', 'ai.streamText.doStream': 'model', 'ai.toolCall': 'tool' },
  ...{ 'ai.generateObject.doGenerate': 'model', 'ai.streamObject.doStream': 'model' },
}

/** Reads the input of a model call of the AI SDK, with `tool-call` and `tool-result` blocks, as JSON. */
function aiSdkInput(own: Located): SpanMessages {
  const messages = attribute(own, 'ai.prompt.messages')
  if (messages !== null) return messagesIn(opened(messages), 'user')
  const prompt = attribute(own, 'ai.prompt')
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
function aiSdkOutput(own: Located): SpanMessages {
  const of = (name: string) => attribute(own, `ai.response.${name} ai.result.${name}`)
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

/** Reads messages of OpenInference (Arize-ai/openinference, spec/semantic_conventions.md), else `input.value`, the provider's request. */
function openInferenceMessages(own: Located, side: Side): readonly Tree[] | null {
  const way = side === 'user' ? 'input' : 'output'
  const list = attributeItems(attribute(own, `llm.${way}_messages`))
  if (list.length > 0) return list.map((item) => messageOf(attribute(item, 'message') ?? item, side))
  const value = attribute(own, `${way}.value`)
  const isJson = attributeText(own, `${way}.mime_type`) === 'application/json'
  return value === null ? [] : (isJson ? messagesIn : plainMessagesIn)(value, side)
}

/** Reads OpenLLMetry's numbered messages (traceloop/openllmetry): `gen_ai.prompt.0.role`, `.content`, `.tool_calls.0.name`. */
function numberedMessages(own: Located, side: Side): SpanMessages {
  const list = attribute(own, `gen_ai.${side === 'assistant' ? 'completion' : 'prompt'}`)
  if (list === null) return undefined
  if (typeof list.value === 'string') return messagesIn(list, side)
  return attributeItems(list).flatMap((item) => {
    const role = attributeText(item, 'role') ?? side
    const content = attribute(item, 'content')
    // The agent's calls are separate members, so JSON in its content is text that the agent wrote.
    const read = role === 'assistant' ? plainMessagesIn : messagesIn
    const messages = content === null ? [] : (read(content, side) ?? [])
    const isPlain = attribute(item, 'tool_calls') === null && role !== 'tool' && messages.length === 1
    return isPlain ? messages.map((tree) => withRole(tree, role)) : [messageOf(item, side)]
  })
}

const withRole = (tree: Tree, role: string): Tree =>
  typeof tree === 'object' && tree !== null && !(tree instanceof Located) && !Array.isArray(tree)
    ? { ...tree, role }
    : tree

function messageOf(message: Located, side: Side): Tree {
  const role = attributeText(message, 'role') ?? side
  const calls = attributeItems(attribute(message, 'tool_calls')).map((item) =>
    callOf(attribute(item, 'tool_call') ?? item),
  )
  const contents = attributeItems(attribute(message, 'contents'))
  const isShown = (item: Located): boolean => attribute(item, 'tool_call') === null || calls.length === 0
  const blocks = contents.filter(isShown).map((item) => blockOf(item, role === 'assistant'))
  const name = attribute(message, 'function_call_name')
  const content = attribute(message, 'content')
  const hasText = blocks.some((block) => isRecord(block) && block['type'] === 'text')
  const words = hasText || typeof content?.value !== 'string' ? [] : [{ type: 'text', text: content }]
  return {
    role,
    content: blocks.length === 0 ? content : [...words, ...blocks],
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(name !== null && { function_call: { name, arguments: attribute(message, 'function_call_arguments_json') } }),
    tool_call_id: attribute(message, 'tool_call_id'),
    name: attribute(message, 'name'),
  }
}

const callOf = (call: Located): Tree => ({
  id: attribute(call, 'id'),
  function: { name: attribute(call, 'function.name name'), arguments: attribute(call, 'function.arguments arguments') },
})

function blockOf(item: Located, isAgent: boolean): Tree {
  const content = attribute(item, 'message_content')
  const type = attributeText(content, 'type')
  const [text, call] = [attribute(content, 'text'), attribute(item, 'tool_call')]
  // Blocks that only an agent can write are shown unchanged in another speaker's message.
  if (!isAgent && (call !== null || type === 'reasoning')) return item
  if (call !== null) {
    const [id, name, input] = ['id', 'function.name', 'function.arguments'].map((member) => attribute(call, member))
    return { type: 'tool_use', id, name, input }
  }
  if (type === 'reasoning')
    return text === null ? { type: 'redacted_thinking' } : { type: 'reasoning', reasoning: text }
  if (type === 'text' || text !== null) return { type: 'text', text }
  const [image, audio] = ['image.image.url image.url', 'audio.audio.url'].map((name) => attribute(content, name))
  if (image) return { type: 'image_url', image_url: { url: image } }
  return audio ? { type: 'audio', source: { url: audio } } : (content ?? item)
}
