import { wordSet } from '../../domain/words.ts'
import { textsIn } from '../common/content.ts'
import { isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { takeMessage } from '../openai-chat/chat-steps.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { CLINE_TOOLS, own } from '../tools/tool-table.ts'
import { Located, placeMessage, type Tree } from '../traces/located.ts'

/** The format of Cline and Roo Code (cline/cline, src/core/task): Anthropic messages, with calls in words or the provider's. */
export const CLINE: Format = { name: 'cline', recognizes: (document) => listOf(document) !== null, read: readCline }

function listOf(document: Json): 'records' | 'messages' | null {
  const name = document['version'] === 2 && Array.isArray(document['messages']) ? 'messages' : 'records'
  const list = asList(document[name])
  const isOther = list.some((item) => OTHER_ROLES.has(asRecord(item)['role']))
  return !isOther && isOfCline(list.filter(isMessage)) ? name : null
}

const ROLES: ReadonlySet<unknown> = wordSet('user assistant tool')
const OTHER_ROLES: ReadonlySet<unknown> = wordSet('system developer function')

const isMessage = (value: unknown): value is Json =>
  isRecord(value) && (ROLES.has(value['role']) || value['type'] === 'reasoning')

const ENVIRONMENT = '<environment_details>'
const TASKS = ['<task>', '<user_message>'] as const

/** Recognizes the marks of Cline: the tag of the environment, with either the tag of a task or calls of Cline's tools. */
function isOfCline(messages: readonly Json[]): boolean {
  let [task, environment, tool] = [false, false, false]
  for (const message of messages) {
    for (const text of textsIn(message['content'])) {
      const head = text.slice(0, 100).trimStart()
      if (message['role'] !== 'user') continue
      task ||= TASKS.some((tag) => head.startsWith(tag))
      environment ||=
        head.startsWith(ENVIRONMENT) || (TASKS.some((tag) => head.startsWith(tag)) && text.includes(ENVIRONMENT))
      tool ||= head.startsWith('[') && Object.keys(CLINE_TOOLS).some((name) => head.startsWith(`[${name}`))
    }
    if (message['role'] === 'assistant') tool ||= asList(message['content']).some(isToolUse)
    if (environment && (task || tool)) return true
  }
  return false
}

const isToolUse = (block: unknown): boolean => {
  const name = asRecord(block)['name'] ?? asRecord(block)['toolName']
  return own(CLINE_TOOLS, name) !== undefined
}

function readCline(reading: Reading, document: Json): ReadDocument {
  const name = listOf(document) ?? 'records'
  const list = asList(document[name])
  const isRoo = (text: string): boolean => text.includes('<slug>') && text.includes(ENVIRONMENT)
  const agent = list.some((message) => textsIn(asRecord(message)['content']).some(isRoo)) ? 'roo-code' : 'cline'
  const sink = new ChatSink(reading, agent)
  for (const [message, at] of itemsIn(list, `/${name}`))
    if (isMessage(message)) readMessage(reading, sink, new Located(message, at), message)
    else reading.odd(at, 'a message with a role', message)
  const models = list.flatMap((message) => asName(asRecord(asRecord(message)['modelInfo'])['modelId']) ?? [])
  const steps = sink.finish(`/${name}`)
  return { format: 'cline', agent: { name: agent, model: models.at(-1) ?? null }, steps }
}

function readMessage(reading: Reading, sink: ChatSink, message: Located, record: Json): void {
  const { path } = message
  sink.now = timeOf(record['ts'])
  const own = asText(record['id'])
  const content = message.member('content')
  const trees =
    record['type'] === 'reasoning'
      ? [{ type: 'reasoning', summary: message.member('summary') }]
      : // The summary that replaces earlier messages in later requests is the agent's, whichever role the record names.
        record['role'] === 'assistant' || record['isSummary'] === true
        ? [{ role: 'assistant', content, reasoning_content: message.member('reasoning_content') }]
        : record['isTruncationMarker'] === true
          ? [{ role: 'system', content }]
          : messagesOfUser(reading, content)
  for (const tree of trees) {
    const placed = placeMessage(tree, path)
    if (placed !== null) takeMessage(sink, placed, own)
  }
}

const HARNESS = [
  ...[ENVIRONMENT, '[ERROR] ', '[TASK RESUMPTION]', '# task_progress', '# TODO LIST', 'Tool [', '<hook_context'],
  ...['[[NOTE] ', '<explicit_instructions', 'REMINDERS\n'],
]

/** Splits a message of role `user` by its true speakers: tool results, texts of the harness, and the user's words. */
function messagesOfUser(reading: Reading, message: Located): readonly Tree[] {
  const isText = typeof message.value === 'string'
  const groups: { readonly role: Speaker['role']; readonly name: string | null; readonly content: Tree[] }[] = []
  let speaker: Speaker = { role: 'user', tool: null, isHead: false }
  for (const block of isText ? [message] : message.items()) {
    const value = isText ? { type: 'text', text: message.value } : block.value
    // Text behind the head of a result is the tool's output, whatever it says.
    const isPrinted: boolean = speaker.isHead && asRecord(value)['type'] === 'text'
    speaker = isPrinted ? { ...speaker, isHead: false } : speakerOf(value, speaker.tool)
    const { role, tool: name, isHead } = speaker
    const tree = isText ? { type: 'text', text: block } : block
    const last = groups.at(-1)
    // The head of a result alone repeats its call.
    if (isHead && !isText) reading.leaveOut(block.path)
    else if (!isHead && last?.role === role && last.name === name) last.content.push(tree)
    else if (!isHead) groups.push({ role, name, content: [tree] })
  }
  return groups.map(({ name, ...group }) => ({ ...group, ...(name !== null && { name }) }))
}

/** The speaker of a block, and the tool whose result holds the block. */
interface Speaker {
  readonly role: 'user' | 'system' | 'function'
  readonly tool: string | null
  readonly isHead: boolean
}

function speakerOf(block: unknown, answering: string | null): Speaker {
  const { type, text } = isRecord(block) ? block : {}
  const answer: Speaker = { role: answering === null ? 'user' : 'function', tool: answering, isHead: false }
  // The provider's own result blocks name their calls.
  if (type !== 'text' || typeof text !== 'string')
    return type === 'image' || type === 'image_url' ? answer : { ...answer, role: 'user', tool: null }
  const tool = answeredTool(text)
  if (tool !== null) return { role: 'function', tool, isHead: text.trimEnd().endsWith(RESULT) }
  const isHarness = HARNESS.some((head) => text.slice(0, MAX_HEAD).trimStart().startsWith(head))
  return isHarness ? { role: 'system', tool: null, isHead: false } : answer
}

const MAX_HEAD = 20_000
const RESULT = '] Result:'

/** Returns the tool that a result's head names: `[execute_command for 'ls'] Result:` at the start of a text. */
function answeredTool(text: string): string | null {
  if (!text.startsWith('[') || !text.slice(0, MAX_HEAD).includes(RESULT)) return null
  return Object.keys(CLINE_TOOLS).find((tool) => text.startsWith(`[${tool} `) || text.startsWith(`[${tool}]`)) ?? null
}
