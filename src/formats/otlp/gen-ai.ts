import { leavesOf } from '../common/json-tree.ts'
import { pointer } from '../common/reading.ts'
import { decodeLocated, isOdd, messagesIn, plainMessagesIn, type Side, systemMessages } from '../traces/chat-shapes.ts'
import { contentOf, isConverseBlock, Located, placeMessage, type Tree } from '../traces/located.ts'
import type { Attribute } from './attributes.ts'

/** Messages of a span; null: a form that is not known; undefined: no messages. */
type SpanMessages = readonly Tree[] | null | undefined

export interface SpanEvent {
  readonly name: string
  readonly attributes: Attribute
}

/**
 * Reads the messages that a model call received or answered in the GenAI conventions: `gen_ai.system_instructions`, `gen_ai.input.messages`
 * and `gen_ai.output.messages` (since 1.37; of the span or of an event), `gen_ai.user.message`, `gen_ai.choice` and similar events (up to
 * 1.36), `gen_ai.prompt.0.content` and `gen_ai.completion.0.content` (OpenLLMetry). Undefined: none of these; null: a form that is not known.
 */
export function genAiMessages(own: Attribute, events: readonly SpanEvent[], path: string, side: Side): SpanMessages {
  const isOutput = side === 'assistant'
  for (const attributes of [own, ...events.map(({ attributes }) => attributes)]) {
    const messages = attributes.get(`gen_ai.${isOutput ? 'output' : 'input'}.messages`)
    const system = isOutput ? null : attributes.get('gen_ai.system_instructions')
    if (messages === null && system === null) continue
    const read = messages === null ? [] : messagesInTree(messages.tree(), path, (value) => messagesIn(value, side))
    const before = system === null ? [] : messagesInTree(system.tree(), path, systemMessages)
    return read === null || before === null ? null : [...before, ...read]
  }
  const older = events.flatMap((event) => eventMessages(event, isOutput, path, isStrands(own)))
  return older.length > 0 ? older : numbered(own.get(`gen_ai.${isOutput ? 'completion' : 'prompt'}`), side, path)
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

function eventMessages(
  { name, attributes }: SpanEvent,
  isOutput: boolean,
  path: string,
  isOfStrands: boolean,
): readonly Tree[] {
  const role = Object.hasOwn(EVENT_ROLES, name) ? EVENT_ROLES[name] : undefined
  if (role === undefined || (name === 'gen_ai.choice') !== isOutput) return []
  const own = isOfStrands ? attributes.value(isOutput ? 'message' : 'content') : null
  if (own !== null) return [strandsMessage(own, role)]
  const side: Side = role === 'assistant' ? 'assistant' : 'user'
  // The event's body as JSON, or its members as attributes; for a choice, the content of `message`.
  const body = attributes.value('gen_ai.event.content')
  const inner = isOutput ? attributes.get('message') : null
  const whole = body ?? (inner === null ? null : inner.tree())
  if (whole !== null && whole !== undefined)
    return (messagesInTree(whole, path, (value) => messagesIn(value, side)) ?? []).map((tree) => withRole(tree, role))
  const calls = attributes.get('tool_calls')?.tree()
  return [
    {
      role,
      content: contentIn(attributes, 'content'),
      tool_calls: calls instanceof Located ? (decodeLocated(calls) ?? calls) : calls,
      ...(role === 'tool' && { tool_call_id: attributes.value('id') }),
    },
  ]
}

const withRole = (tree: Tree, role: string): Tree =>
  typeof tree === 'object' && tree !== null && !(tree instanceof Located) && !Array.isArray(tree)
    ? { ...tree, role }
    : tree

function contentIn(attributes: Attribute, name: string): Tree {
  const tree = attributes.get(name)?.tree()
  return tree instanceof Located ? contentOf(tree) : tree
}

/**
 * Reads OpenLLMetry's numbered messages: `gen_ai.prompt.0.role`, `.content`, `.tool_calls.0.name` (traceloop/openllmetry,
 * opentelemetry-semantic-conventions-ai).
 */
function numbered(list: Attribute | null, side: Side, path: string): SpanMessages {
  if (list === null) return undefined
  const whole = list.tree()
  if (whole instanceof Located) return messagesIn(whole, side)
  return list.items().flatMap((item): Tree[] => {
    const calls = (item.get('tool_calls')?.items() ?? []).map(
      (call): Tree => ({
        id: call.value('id'),
        function: {
          name: call.value('name function.name'),
          arguments: call.value('arguments function.arguments'),
        },
      }),
    )
    const content = item.get('content')?.tree()
    const role = item.text('role') ?? side
    // The agent's calls are separate members, so JSON in its content is text that the agent wrote.
    const read = role === 'assistant' ? plainMessagesIn : messagesIn
    const messages = content === undefined ? [] : (messagesInTree(content, path, (value) => read(value, side)) ?? [])
    if (calls.length > 0 || messages.length !== 1 || role === 'tool')
      return [
        {
          role,
          content: content instanceof Located ? content : null,
          tool_call_id: item.value('tool_call_id'),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
      ]
    return messages.map((tree) => withRole(tree, role))
  })
}

/** Reads the messages of a value that was assembled from pieces: the whole value is searched, then each text gets the path of its piece. */
function messagesInTree(
  tree: Tree,
  path: string,
  read: (value: Located) => readonly Tree[] | null,
): readonly Tree[] | null {
  if (tree instanceof Located) return read(tree)
  const whole = placeMessage({ value: tree }, path)
  if (whole === null) return null
  const messages = read(new Located(whole.message['value'], '/value'))
  const back = (node: Tree, isGiven: boolean): Tree => {
    if (node instanceof Located) return spread(node, isGiven)
    if (Array.isArray(node)) return node.map((item: Tree) => back(item, isGiven))
    if (typeof node !== 'object' || node === null) return node
    return mapMembers(node as Readonly<Record<string, Tree>>, (member, name) =>
      back(member, isGiven || GIVEN.has(name)),
    )
  }
  const spread = ({ value, path: at }: Located, isGiven: boolean): Tree => {
    const inner = (item: unknown, name: string | number): Tree => spread(new Located(item, pointer(at, name)), isGiven)
    if (typeof value !== 'object' || value === null)
      return new Located(isGiven && value !== null && value !== undefined ? String(value) : value, whole.place(at))
    if (Object.keys(value).length === 0) return new Located(value, whole.place(at))
    // An array of plain values would be shown as one text, which has no place in such a document.
    if (Array.isArray(value) && !(isGiven && value.every((item) => typeof item !== 'object'))) return value.map(inner)
    return mapMembers(value as Readonly<Record<string, unknown>>, inner)
  }
  // An odd item beside messages stays whole, so that it is unread at the place of its first leaf.
  return (
    messages?.map((node) =>
      isOdd(node)
        ? new Located(node.value, whole.place(leavesOf(node.value, node.path)[0]?.pointer ?? node.path))
        : back(node, false),
    ) ?? null
  )
}

/** Members of a call that hold its arguments. */
const GIVEN: ReadonlySet<string> = new Set(['input', 'arguments'])

const mapMembers = <T>(record: Readonly<Record<string, T>>, map: (member: T, name: string) => Tree): Tree =>
  Object.fromEntries(Object.entries(record).map(([name, member]) => [name, map(member, name)]))
