/** Finds the calls that a document holds without the readers' code: a reader may lose none of them. */

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const record = (value: unknown): Json => (isRecord(value) ? value : {})
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/**
 * Selects values by a path of names and `*`. `[…]` behind a name takes the records of a list for which every condition holds: `type=text`, `role=` for an
 * absent member, `id~` for a text.
 */
function select(root: unknown, path: string): unknown[] {
  let values: unknown[] = [root]
  for (const step of path.split('/')) {
    const [, name = '', conditions] = /^([^[]*)(?:\[(.*)\])?$/.exec(step) ?? []
    values = values.flatMap((value) => (name === '*' ? Object.values(value ?? {}) : [record(value)[name]]))
    if (conditions !== undefined)
      values = values.flatMap(list).filter((one) => conditions.split(' ').every((condition) => holds(one, condition)))
  }
  return values
}

function holds(one: Json, condition: string): boolean {
  const [, path = '', operator, wanted] = /^([^=~]*)(.?)(.*)$/.exec(condition) ?? []
  if (path === '') return true
  const value = path.split('.').reduce<unknown>((inside, name) => record(inside)[name], one)
  if (operator === '~') return typeof value === 'string'
  return wanted === '' ? value === undefined : value === wanted
}

const BLOCKS = 'messages[role=assistant]/content[type=tool_use args= arguments=]/input'
const UI_PARTS = '[role=assistant]/parts[type=dynamic-tool toolCallId~]/input'
const CURSOR = '[type=tool_call subtype=started]/tool_call/shellToolCall/args/command'

/** Paths to the arguments of calls, by format. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  atif: ['steps[]/tool_calls[]/arguments'],
  'claude-code': ['records[type=assistant]/message/content[type=tool_use]/input'],
  codex: [
    'records[type=response_item payload.type=function_call]/payload/arguments',
    'records[type=event_msg payload.type=exec_command_begin payload.call_id=]/payload/command',
    'records[type=item.completed item.type=command_execution]/item/command',
    'records[type=item.completed item.type=file_change]/item/changes',
    'records[type=item.completed item.type=mcp_tool_call]/item/arguments',
  ],
  // The harness makes further calls of a shell command, which are not the agent's.
  cursor: [`records${CURSOR}`, `steps${CURSOR}`],
  'gemini-cli': ['messages[type=gemini]/toolCalls[]/args'],
  opencode: ['messages[info.role=assistant]/parts[type=tool]/state/input'],
  openclaw: ['records[type=message message.role=assistant]/message/content[type=toolCall]/arguments'],
  cline: ['records[role=assistant type=]/content[type=tool_use]/input'],
  'anthropic-messages': [BLOCKS, `request/${BLOCKS}`],
  'vercel-ui': [`messages${UI_PARTS}`, `records${UI_PARTS}`],
  langchain: ['messages[type=ai role= data= lc=]/tool_calls[function=]/args'],
  'openai-responses': ['output[type=function_call raw_item=]/arguments'],
  'pydantic-ai': ['records[kind=response]/parts[part_kind=tool-call]/args'],
}

/** Paths to the calls of a chat of OpenAI, which write their arguments in several ways. */
const CHATS: Readonly<Record<string, string>> = {
  'openai-chat': 'messages[role=assistant]/tool_calls[]',
  inspect: 'messages[role=assistant]/tool_calls[]',
  'mini-swe-agent': 'messages[role=assistant]/tool_calls[]',
  docent: 'transcripts/*/messages[role=assistant]/tool_calls[]',
  langfuse:
    'observations[type=GENERATION output.role=assistant output.content~]/output/tool_calls[function.arguments~]',
}

function chatArguments(call: unknown): unknown {
  const { function: called, custom, arguments: own } = record(call)
  const inner = isRecord(called) ? called : isRecord(custom) ? custom : null
  if (inner === null) return own
  return 'input' in inner && !('arguments' in inner) ? inner['input'] : inner['arguments']
}

function openHandsCalls(document: Json): unknown[] {
  const events = ['records', 'history', 'events'].map((name) => document[name]).find(Array.isArray)
  return list(events).flatMap((event) => {
    if (event['kind'] === 'ActionEvent') {
      const call = record(event['tool_call'])
      return [call['arguments'] ?? record(call['function'])['arguments'] ?? undefined]
    }
    if (event['kind'] === 'ACPToolCallEvent') return [event['raw_input']]
    const isRun = event['kind'] === undefined && event['source'] === 'agent' && event['action'] === 'run'
    return isRun && !('tool_call_metadata' in event) ? [record(event['args'])['command']] : []
  })
}

/** Lists the actions of SWE-agent without those that the harness writes where it ended a run. */
const sweAgentCalls = (document: Json): unknown[] =>
  list(document['trajectory']).flatMap(({ action, thought }) =>
    typeof thought === 'string' && thought.startsWith('Exit due to ') ? [] : [action],
  )

/** Lists the texts in the calls of a document; empty for a format that is not counted. */
export function saidByCalls(format: string, document: Json): string[] {
  const known = format === 'atif' || format.startsWith('atif-1') ? 'atif' : format
  const name = known.startsWith('mini-swe') ? 'mini-swe-agent' : known
  // An action of SWE-agent is a command, also where the action looks like JSON.
  if (name === 'swe-agent') return sweAgentCalls(document).flatMap(textsIn)
  const chat = Object.hasOwn(CHATS, name) ? select(document, CHATS[name] ?? '').map(chatArguments) : []
  const calls = Object.hasOwn(PATHS, name) ? (PATHS[name] ?? []).flatMap((path) => select(document, path)) : []
  const all = [...chat, ...calls, ...(name === 'openhands' ? openHandsCalls(document) : [])]
  return all.flatMap((words) => textsIn(typeof words === 'string' ? decoded(words) : words))
}

function decoded(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && text.isWellFormed() && JSON.stringify(value).isWellFormed() ? value : text
  } catch {
    return text
  }
}

/** Length of a name above which a reader shows a member as one text of JSON. */
const MAX_NAME = 1000

/** Lists the non-empty strings at the leaves of a value. */
function textsIn(root: unknown): string[] {
  if (typeof root === 'string') return root === '' ? [] : [root]
  if (typeof root !== 'object' || root === null) return []
  return Object.entries(root).flatMap(([name, value]) => (name.length > MAX_NAME ? [] : textsIn(value)))
}
