import { wordSet } from '../../domain/text/words.ts'
import { isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { CLINE_TOOLS } from '../tools/cline.ts'
import { Located, placeMessage, type Tree } from '../traces/located.ts'
import { TraceSink } from '../traces/trace-span.ts'

/**
 * Cline and Roo Code: `api_conversation_history.json`, an array of Anthropic's messages (Roo Code also `{version: 2, messages}`, in the AI
 * SDK's form). Their tools are called in words (`<execute_command>…`), and what they answer stands in the user's messages; newer ones call
 * them as the provider has it. Source: cline/cline, src/core/task and src/shared/messages/content.ts; RooCodeInc/Roo-Code,
 * src/core/task-persistence/apiMessages.ts.
 */
export const CLINE: Format = { name: 'cline', recognizes: (document) => listOf(document) !== null, read: readCline }

function listOf(document: Json): 'records' | 'messages' | null {
  const name = document['version'] === 2 && Array.isArray(document['messages']) ? 'messages' : 'records'
  const list = document[name]
  return Array.isArray(list) && list.every(isMessage) && isOfCline(list as readonly Json[]) ? name : null
}

const isMessage = (value: unknown): value is Json =>
  isRecord(value) &&
  (value['role'] === 'user' ||
    value['role'] === 'assistant' ||
    value['role'] === 'tool' ||
    value['type'] === 'reasoning')

const ENVIRONMENT = '<environment_details>'
const TASKS = ['<task>', '<user_message>'] as const

/** The task in its tag and the state of the editor beside it, or that and calls of tools by their own names. */
function isOfCline(messages: readonly Json[]): boolean {
  let [task, environment, tool] = [false, false, false]
  for (const message of messages) {
    for (const text of textsOf(message['content'])) {
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
  return typeof name === 'string' && Object.hasOwn(CLINE_TOOLS, name)
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  return asList(content).flatMap((block) => asText(asRecord(block)['text']) ?? [])
}

/** Members beside those of a provider's message that say nothing of the run. */
const KNOWN: ReadonlySet<string> = wordSet(`role content id ts modelInfo metrics type summary encrypted_content text
  conversationHistoryIndex reasoning_content reasoning_details isSummary condenseId condenseParent truncationId
  truncationParent isTruncationMarker providerOptions`)

function readCline(reading: Reading, document: Json): ReadDocument {
  const name = listOf(document) ?? 'records'
  const list = asList(document[name])
  const agent = list.some((one) =>
    textsOf(asRecord(one)['content']).some((text) => text.includes('<slug>') && text.includes(ENVIRONMENT)),
  )
    ? 'roo-code'
    : 'cline'
  const sink = new TraceSink(reading, agent)
  for (const [message, at] of itemsIn(list, `/${name}`))
    if (isRecord(message)) readMessage(reading, sink, new Located(message, at), message)
  const models = list.flatMap((one) => asName(asRecord(asRecord(one)['modelInfo'])['modelId']) ?? [])
  const steps = sink.session.finish(`/${name}`)
  return { format: 'cline', agent: { name: agent, model: models.at(-1) ?? null }, steps }
}

function readMessage(reading: Reading, sink: TraceSink, message: Located, held: Json): void {
  const { path } = message
  reading.warnUnknown(held, path, KNOWN)
  sink.session.now = timeOf(held['ts'])
  const own = asText(held['id'])
  const content = message.member('content')
  const trees =
    held['type'] === 'reasoning'
      ? [{ type: 'reasoning', summary: message.member('summary') }]
      : // The summary of what came before, which later requests hold instead of it, is the agent's own, whichever speaker is named.
        held['role'] === 'assistant' || held['isSummary'] === true
        ? [{ role: 'assistant', content, reasoning_content: message.member('reasoning_content') }]
        : held['isTruncationMarker'] === true
          ? [{ role: 'system', content }]
          : messagesOfUser(content)
  for (const tree of trees) {
    const placed = placeMessage(tree, path)
    if (placed !== null) sink.take(placed, own)
  }
}

/** What the harness says in the user's name. */
const HARNESS = [
  ...[
    '<environment_details>',
    '[ERROR] ',
    '[TASK RESUMPTION]',
    '# task_progress',
    '# TODO LIST',
    'Tool [',
    '<hook_context',
  ],
  ...['[[NOTE] ', '<explicit_instructions', 'REMINDERS\n'],
] as const

/**
 * The messages in what is kept as one of the user: what a tool answered (`[execute_command for 'ls'] Result:` and the blocks behind it, or the
 * provider's own blocks), what the harness adds (the state of the editor, reminders), and what a person said. The head of an answer repeats its
 * call, so that a block of it alone is not shown.
 */
function messagesOfUser(content: Located): readonly Tree[] {
  const blocks: { readonly value: unknown; readonly tree: Tree }[] =
    typeof content.value === 'string'
      ? [{ value: { type: 'text', text: content.value }, tree: { type: 'text', text: content } }]
      : content.items().map((tree) => ({ value: tree.value, tree }))
  const groups: { readonly said: Said; readonly blocks: Tree[] }[] = []
  let answering: string | null = null
  let isBehindHead = false
  for (const { value, tree } of blocks) {
    // What stands behind the head of an answer is the tool's, whatever it prints.
    const isPrinted: boolean = isBehindHead && asRecord(value)['type'] === 'text'
    const said: Said = isPrinted ? { role: 'function', tool: answering, isHead: false } : saidBy(value, answering)
    answering = said.tool
    isBehindHead = said.isHead
    if (said.isHead) continue
    const last = groups.at(-1)
    if (last !== undefined && last.said.role === said.role && last.said.tool === said.tool) last.blocks.push(tree)
    else groups.push({ said, blocks: [tree] })
  }
  return groups.map(({ said: { role, tool }, blocks: own }) => ({
    role,
    content: own,
    ...(tool !== null && { name: tool }),
  }))
}

/** Whose a block is, and the tool whose answer it is part of. */
interface Said {
  readonly role: 'user' | 'system' | 'function'
  readonly tool: string | null
  /** Nothing but the head of an answer. */
  readonly isHead: boolean
}

const PICTURES: ReadonlySet<unknown> = new Set(['image', 'image_url'])

function saidBy(block: unknown, answering: string | null): Said {
  const { type, text } = isRecord(block) ? block : {}
  const answer: Said = { role: answering === null ? 'user' : 'function', tool: answering, isHead: false }
  // The provider's own answers name their calls.
  if (type !== 'text' || typeof text !== 'string')
    return PICTURES.has(type) ? answer : { ...answer, role: 'user', tool: null }
  const tool = answeredTool(text)
  if (tool !== null) return { role: 'function', tool, isHead: text.trimEnd().endsWith(RESULT) }
  const isHarness = HARNESS.some((head) => text.slice(0, MAX_HEAD).trimStart().startsWith(head))
  return isHarness ? { role: 'system', tool: null, isHead: false } : answer
}

const MAX_HEAD = 20_000
const RESULT = '] Result:'

/** `[execute_command for 'ls'] Result:`, at the beginning of a text: the tool. */
function answeredTool(text: string): string | null {
  if (!text.startsWith('[') || !text.slice(0, MAX_HEAD).includes(RESULT)) return null
  return Object.keys(CLINE_TOOLS).find((tool) => text.startsWith(`[${tool} `) || text.startsWith(`[${tool}]`)) ?? null
}
