import { decodeLocated, messagesIn, type Side, systemMessages } from '../traces/chat-shapes.ts'
import { contentOf, isConverseBlock, type Located, type Tree } from '../traces/located.ts'
import type { Attribute } from './attributes.ts'
import { numberedMessages, type SpanMessages, withRole } from './library-spans.ts'

export interface SpanEvent {
  readonly name: string
  readonly attributes: Attribute
}

/**
 * Reads the messages that a model call received or answered in the GenAI conventions: `gen_ai.system_instructions`, `gen_ai.input.messages`
 * and `gen_ai.output.messages` (since 1.37; of the span or of an event), `gen_ai.user.message`, `gen_ai.choice` and similar events (up to
 * 1.36), `gen_ai.prompt.0.content` and `gen_ai.completion.0.content` (OpenLLMetry). Undefined: none of these; null: a form that is not known.
 */
export function genAiMessages(own: Attribute, events: readonly SpanEvent[], side: Side): SpanMessages {
  const isOutput = side === 'assistant'
  for (const attributes of [own, ...events.map(({ attributes }) => attributes)]) {
    const messages = attributes.get(`gen_ai.${isOutput ? 'output' : 'input'}.messages`)
    const system = isOutput ? null : attributes.get('gen_ai.system_instructions')
    if (messages === null && system === null) continue
    const read = messages === null ? [] : messagesIn(messages.located, side)
    const before = system === null ? [] : systemMessages(system.located)
    return read === null ? null : [...before, ...read]
  }
  const older = events.flatMap((event) => eventMessages(event, isOutput, isStrands(own)))
  return older.length > 0 ? older : numberedMessages(own.get(`gen_ai.${isOutput ? 'completion' : 'prompt'}`), side)
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
const isStrands = (own: Attribute): boolean =>
  [own.text('gen_ai.system'), own.text('gen_ai.provider.name')].includes('strands-agents')

/** Returns a message of Strands (strands-agents/sdk-python, telemetry/tracer.py), whose tool results are the user's blocks. */
function strandsMessage(content: Located, role: string): Tree {
  const speaker = role === 'tool' ? 'user' : role
  const blocks = decodeLocated(content)
  const isBlocks = blocks?.items().some((block) => isConverseBlock(block.value)) === true
  return { role: speaker, content: isBlocks ? contentOf(blocks, role === 'assistant') : content }
}

function eventMessages({ name, attributes }: SpanEvent, isOutput: boolean, isOfStrands: boolean): readonly Tree[] {
  const role = Object.hasOwn(EVENT_ROLES, name) ? EVENT_ROLES[name] : undefined
  if (role === undefined || (name === 'gen_ai.choice') !== isOutput) return []
  const own = isOfStrands ? attributes.value(isOutput ? 'message' : 'content') : null
  if (own !== null) return [strandsMessage(own, role)]
  const side: Side = role === 'assistant' ? 'assistant' : 'user'
  // The event's body as JSON, or its members as attributes; for a choice, the content of `message`.
  const body = attributes.value('gen_ai.event.content')
  const whole = body ?? (isOutput ? attributes.value('message') : null)
  if (whole !== null) return (messagesIn(whole, side) ?? []).map((tree) => withRole(tree, role))
  const [calls, content] = [attributes.value('tool_calls'), attributes.value('content')]
  return [
    {
      role,
      content: content === null ? undefined : contentOf(content),
      tool_calls: calls === null ? undefined : (decodeLocated(calls) ?? calls),
      ...(role === 'tool' && { tool_call_id: attributes.value('id') }),
    },
  ]
}
