import { textOf, textsIn } from '../common/content.ts'
import { isAbsent, isRecord, type Json, objectsIn, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readTurns } from '../openai-chat/chat-steps.ts'
import { isChat } from '../openai-chat/openai-chat.ts'
import { outcomeOfMessage } from '../openai-chat/openai-chat-blocks.ts'
import { roleOf, speaksAsAgent } from '../openai-chat/openai-chat-message.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { fencesIn } from '../protocols/agent-replies.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { Located, placeMessage, type Tree, type TreeRecord } from '../traces/located.ts'

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
  const field = 'messages' in document ? 'messages' : 'records'
  const list = document[field]
  const agent = { name: 'mini-swe-agent', model: miniModelOf(document) }
  const { trajectory_format: named } = document
  const format = typeof named === 'string' && named.length < 40 ? named : 'mini-swe-agent'
  if (!Array.isArray(list)) reading.odd(`/${field}`, 'an array', list)
  const sink = new ChatSink(reading, agent.name, { isList: true })
  readTurns(sink, turnsIn(sink, new Located(list, `/${field}`)))
  return { format, agent, steps: sink.finish(`/${field}`) }
}

/** Returns the model in the run's configuration. */
export const miniModelOf = ({ info }: Json): string | null =>
  asName(asRecord(asRecord(asRecord(info)['config'])['model'])['model_name'])

/** The last reply of the agent: the calls of its acts in words; null without an act. */
type Acted = readonly OpenCall[] | null

/** Yields the messages with the acts of each reply as calls, and with the speakers of their answers. */
function* turnsIn(sink: ChatSink, list: Located): Generator<Located> {
  const fence = fenceOf(asList(list.value))
  let acted: Acted = null
  let isAnswered = true
  for (const message of list.items()) {
    const record = asRecord(message.value)
    const isUser = roleOf(record) === 'user'
    const acts = actsOf(sink, message, record, fence)
    const tree: TreeRecord | null = isUser && !isAnswered ? answerOf(message, acted) : acts
    yield (tree && placeMessage(tree, message.path)) ?? message
    if (isUser) settleCall(sink, acted, record)
    if (speaksAsAgent(record)) acted = acts && sink.calls
    else if (isUser) acted = null
    if (isRecord(message.value)) isAnswered = !speaksAsAgent(record)
  }
}

/**
 * Returns the user's message behind an act as its result, and behind another reply as the harness's complaint that the reply holds no act;
 * null where a person or the harness speaks.
 */
function answerOf(message: Located, acted: Acted): TreeRecord | null {
  const content = message.member('content')
  const text = textOf(content.value)
  if (SPEECH.some((words) => text.startsWith(words))) return null
  return acted === null ? { role: 'system', content } : { role: 'function', name: 'output', content }
}

function settleCall({ agent }: ChatSink, acted: Acted, message: Json): void {
  const [call, ...others] = acted ?? []
  if (call === undefined || others.length > 0) return
  call.outcome = outcomeOfMessage(agent, call.tool, message, message['content'])
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

const textsOf = (message: unknown): string[] => textsIn(asRecord(message)['content'])

const fencesOf = (text: string, fence: string) => [...fencesIn(text)].filter(({ name }) => name === fence)

/**
 * Returns a reply without calls, with its acts as those of a chat: the only fenced block of its text, which the harness runs, or the commands
 * that ran, from `extra.actions` (since 2.0), also where a model writes them in another form. Null for other messages.
 */
function actsOf({ reading }: ChatSink, message: Located, record: Json, fence: string | null): TreeRecord | null {
  const hasCalls = !isAbsent(record['tool_calls']) || !isAbsent(record['function_call'])
  if (hasCalls || roleOf(record) === null || !speaksAsAgent(record)) return null
  const members = Object.fromEntries(Object.keys(record).map((name) => [name, message.member(name)]))
  const content = fence === null ? null : blocksOf(message.member('content'), fence)
  // Such a reply may be of another agent, whose words this harness does not run.
  if (content !== null && roleOf(record) !== 'assistant') reading.countUnread(message.path, true)
  if (content !== null) return { ...members, content }
  const actions = message.member('extra').member('actions')
  const commands = [...objectsIn(reading, asList(actions.value), actions.path)].map(([, , index]) => {
    return actions.member(index).member('command')
  })
  for (const { value, path } of commands) if (typeof value !== 'string') reading.odd(path, 'text', value ?? null)
  const ran = commands.filter(({ value }) => asText(value) !== null)
  return ran.length === 0 ? null : { ...members, tool_calls: ran.map(bashOf) }
}

/** Returns a call of the shell. The whole text is the command, also a text that resembles the arguments of a call. */
const bashOf = (input: Located): TreeRecord => ({
  ...{ type: 'tool_use', name: 'bash' },
  input: String(input.value).trimStart().startsWith('{') ? { command: input } : input,
})

/** Returns the blocks of a text with exactly one block of the fence, which is a call; Anthropic's cache marks turn a text into an array of one block. */
function blocksOf(content: Located, fence: string): readonly Tree[] | null {
  const [first, ...more] = content.items()
  const isOne = more.length === 0 && first?.member('type').value === 'text'
  const { value, path } = isOne ? first.member('text') : content
  if (typeof value !== 'string') return null
  const [block, ...others] = fencesOf(value, fence)
  if (block === undefined || others.length > 0) return null
  const piece = (from: number, to: number) => new Located(value.slice(from, to), `${path}#char=${from},${to}`)
  const [before, after] = [piece(0, block.start), piece(block.end, value.length)]
  const speech = (text: Located) => (String(text.value).trim() === '' ? [] : [{ type: 'text', text }])
  const calls = block.to - 1 > block.from ? [bashOf(piece(block.from, block.to - 1))] : []
  return [...speech(before), ...calls, ...speech(after)]
}
