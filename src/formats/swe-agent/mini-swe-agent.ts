import { textOf, textsIn } from '../common/content.ts'
import { isAbsent, type Json, objectsIn, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat, withMembers } from '../openai-chat/chat-steps.ts'
import { isChat } from '../openai-chat/openai-chat.ts'
import { outcomeOfMessage } from '../openai-chat/openai-chat-blocks.ts'
import { speaksAsAgent } from '../openai-chat/openai-chat-message.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { addFence, fencesIn } from '../protocols/agent-replies.ts'
import { TextBlocks } from '../protocols/blocks.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { Located, type Tree } from '../traces/located.ts'

const FENCES = ['mswea_bash_command', 'bash'] as const
const MARK = '```'

/** Beginnings of texts that the interactive agent writes in place of an output: a person's own, or the harness's. */
const SPEECH = [
  'The user added a new task',
  'Command not executed.',
  'Interrupted by user',
  'Temporary interruption caught.',
  'The user rejected',
] as const

/** The format of mini-swe-agent: a chat whose acts are one fenced block of bash, or (since 2.0) tool calls. */
export const MINI_SWE_AGENT: Format = {
  name: 'mini-swe-agent',
  recognizes(document) {
    const { trajectory_format: format } = document
    if (typeof format === 'string') return format.startsWith('mini-swe-agent')
    return holdsFences(document['messages'] ?? document['records'])
  },
  read: readMiniSweAgent,
}

/** Recognizes older files, which are bare messages, by a fence name that no other harness uses. */
const holdsFences = (list: unknown): boolean =>
  isChat(list) &&
  list.map(asRecord).some(({ role, content }) => role === 'assistant' && asText(content)?.includes(MARK + FENCES[0]))

function readMiniSweAgent(reading: Reading, document: Json): ReadDocument {
  const list = new Located(document, '').member('messages' in document ? 'messages' : 'records')
  const agent = { name: 'mini-swe-agent', model: miniModelOf(document) }
  const format = versionOf(document['trajectory_format'])
  if (!Array.isArray(list.value)) reading.odd(list.path, 'an array', list.value)
  return readLocatedChat(reading, list.path, agent, format, (sink) => messagesIn(sink, list), true)
}

const versionOf = (format: unknown): string =>
  typeof format === 'string' && format.length < 40 ? format : 'mini-swe-agent'

/** Returns the model in the run's configuration. */
export const miniModelOf = ({ info }: Json): string | null =>
  asName(asRecord(asRecord(asRecord(info)['config'])['model'])['model_name'])

const isSpeech = ({ content }: Json): boolean => SPEECH.some((words) => textOf(content).startsWith(words))

/**
 * Yields the messages. A reply acts by its one fenced block, or by the commands noted beside it; the message of the user behind it is the
 * output of the act, or the harness's complaint of a reply without an act, unless a person speaks.
 */
function* messagesIn(sink: ChatSink, list: Located): Generator<LocatedMessage> {
  const fence = fenceOf(asList(list.value))
  /** The calls of the last reply that acted in words, until the user's next message. */
  let calls: readonly OpenCall[] = []
  /** The speaker of the user's message right behind a reply. */
  let answers: Readonly<Record<string, Tree>> | null = null
  for (const item of list.items()) {
    const message = asRecord(item.value)
    if (speaksAsAgent(message)) {
      const reply = replyOf(sink.reading, item, fence)
      yield { tree: reply ?? item }
      calls = reply === null ? [] : [...sink.calls]
      answers = reply === null ? { role: 'system' } : { role: 'function', name: 'output' }
      continue
    }
    const isUser = message['role'] === 'user'
    const [call, ...others] = isUser ? calls : []
    if (call !== undefined && others.length === 0)
      call.outcome = outcomeOfMessage(sink.agent, call.tool, message, message['content'])
    if (isUser) calls = []
    yield { tree: isUser && answers !== null && !isSpeech(message) ? withMembers(item, answers) : item }
    answers = null
  }
}

/** Returns the fence that the harness searches for: the first that a prompt names, else the first with a block. Null with tool calls: no fence runs then. */
function fenceOf(messages: readonly unknown[]): string | null {
  const answers = messages.filter((message) => asRecord(message)['role'] === 'assistant')
  if (answers.some((answer) => asList(asRecord(answer)['tool_calls']).length > 0)) return null
  const [first] = answers
  const prompt = (first === undefined ? messages : messages.slice(0, messages.indexOf(first))).map(textsOf)
  const announced = prompt.map((texts) => FENCES.find((name) => texts.some((text) => text.includes(MARK + name))))
  const texts = answers.flatMap(textsOf)
  const acted = FENCES.find((fence) => texts.some((text) => fencesOf(text, fence).length > 0))
  return announced.find((fence) => fence !== undefined) ?? acted ?? null
}

function textsOf(message: unknown): string[] {
  const { content } = asRecord(message)
  return typeof content === 'string' ? [content] : textsIn(content)
}

const fencesOf = (text: string, fence: string) => [...fencesIn(text)].filter(({ name }) => name === fence)

/** Returns a reply with its acts as calls; null for a reply without an act. */
function replyOf(reading: Reading, reply: Located, fence: string | null): Tree {
  const { role, tool_calls: calls, function_call: older } = asRecord(reply.value)
  if (role !== 'assistant' || !isAbsent(calls) || !isAbsent(older)) return null
  const content = fence === null ? null : contentOf(onlyText(reply.member('content')), fence)
  if (content !== null) return withMembers(reply, { content })
  const tool_calls = notedActions(reading, reply)
  return tool_calls.length === 0 ? null : withMembers(reply, { tool_calls })
}

/** Returns the content that is one text; Anthropic's cache marks turn a text into an array of one block. */
function onlyText(content: Located): Located {
  const [block, ...more] = content.items()
  return more.length === 0 && asRecord(block?.value)['type'] === 'text' && block !== undefined
    ? block.member('text')
    : content
}

/** Splits a text with exactly one fenced block, which the harness runs; null for other texts, which the harness complains about. */
function contentOf({ value, path }: Located, fence: string): readonly Tree[] | null {
  const text = asText(value) ?? ''
  const [block, ...others] = fencesOf(text, fence)
  if (block === undefined || others.length > 0) return null
  const blocks = new TextBlocks({ text, path })
  addFence(blocks, { ...block, to: block.to - 1 }, 'bash')
  return blocks.finish()
}

/** Returns the commands that ran, from `extra.actions` (since 2.0), also where a model writes them in another form. */
function notedActions(reading: Reading, reply: Located): readonly Tree[] {
  const actions = reply.member('extra').member('actions')
  return [...objectsIn(reading, asList(actions.value), actions.path)].flatMap(([action, path]): Tree[] => {
    const command = new Located(action, path).member('command')
    if (typeof command.value === 'string') return [{ function: { name: 'bash', arguments: command } }]
    reading.odd(command.path, 'text', command.value ?? null)
    return []
  })
}
