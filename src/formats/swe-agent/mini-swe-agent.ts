import type { Part } from '../../domain/trajectory/trajectory.ts'
import { textsIn } from '../common/content.ts'
import { type Json, objectsIn, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readList } from '../openai-chat/chat-steps.ts'
import { isChat } from '../openai-chat/openai-chat.ts'
import type { ChatSink, Slice, TextProtocol } from '../openai-chat/openai-chat-sink.ts'
import { fencesIn } from '../protocols/agent-replies.ts'
import { Slices } from '../protocols/slices.ts'
import { meaningOfKind, openCall } from '../tools/tool-table.ts'
import { Located } from '../traces/located.ts'

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
  const messages = asList(list)
  const placed = new Located(messages, `/${field}`).items()
  return readList(reading, { format, agent }, `/${field}`, placed, fenced(fenceOf(messages)))
}

/** Returns the model in the run's configuration. */
export const miniModelOf = ({ info }: Json): string | null =>
  asName(asRecord(asRecord(asRecord(info)['config'])['model'])['model_name'])

const fenced = (fence: string | null): TextProtocol => ({
  split: (text) => (fence === null ? null : splitFence(text, fence)),
  isSpeech: (text) => SPEECH.some((words) => text.startsWith(words)),
  noted: readNotedActions,
})

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

/** Splits a reply with exactly one fenced block, which the harness runs; null for other replies, which the harness complains about. */
function splitFence(text: string, fence: string): readonly Slice[] | null {
  const [block, ...others] = fencesOf(text, fence)
  if (block === undefined || others.length > 0) return null
  const slices = new Slices(text)
  const command = { ...block, to: block.to - 1 }
  slices.marked(command, { name: 'bash', ...meaningOfKind('shell', null, openCall('bash')) })
  return slices.finish()
}

/** Adds the commands that ran from `extra.actions` (since 2.0), also where a model writes them in another form. */
function readNotedActions(sink: ChatSink, parts: Part[], message: Json, path: string): boolean {
  const actions = asList(asRecord(message['extra'])['actions'])
  const before = parts.length
  for (const [{ command = null }, place] of objectsIn(sink.reading, actions, `${path}/extra/actions`)) {
    const at = `${place}/command`
    const meaning = meaningOfKind('shell', null, openCall('bash'))
    if (typeof command === 'string') sink.reading.add(parts, { ...sink.locate(command, at), name: 'bash', ...meaning })
    else sink.reading.odd(at, 'text', command)
  }
  return parts.length > before
}
