/** The calls that a document holds, told without the readers' code: what no reader may lose. */

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const record = (value: unknown): Json => (isRecord(value) ? value : {})
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** What one call says: its arguments, as they stand. */
type Words = unknown

const CALLS: Readonly<Record<string, (document: Json) => Words[]>> = {
  atif: ({ steps }) => list(steps).flatMap((step) => list(step['tool_calls']).map((call) => call['arguments'])),
  'claude-code': ({ records }) =>
    list(records)
      .filter(({ type }) => type === 'assistant')
      .flatMap((one) => list(record(one['message'])['content']))
      .filter(({ type }) => type === 'tool_use')
      .map(({ input }) => input),
  codex: ({ records }) => list(records).flatMap(codexCalls),
  // What the harness makes of a command for itself is not the agent's.
  cursor: ({ records, steps }) =>
    list(records ?? steps)
      .filter(({ type, subtype }) => type === 'tool_call' && subtype === 'started')
      .flatMap(({ tool_call: call }) => Object.entries(record(call)))
      .filter(([name]) => name === 'shellToolCall')
      .map(([, body]) => record(record(body)['args'])['command']),
  'gemini-cli': ({ messages }) =>
    list(messages)
      .filter(({ type }) => type === 'gemini')
      .flatMap(({ toolCalls }) => list(toolCalls).map(({ args }) => args)),
  openhands: openHandsCalls,
  'openai-chat': ({ messages }) => chatCalls(messages),
  inspect: ({ messages }) => chatCalls(messages),
  'mini-swe-agent': ({ messages }) => chatCalls(messages),
  opencode: ({ messages }) =>
    list(messages)
      .filter(({ info }) => record(info)['role'] === 'assistant')
      .flatMap(({ parts }) => list(parts).filter(({ type }) => type === 'tool'))
      .map(({ state }) => record(state)['input']),
  openclaw: ({ records }) =>
    list(records)
      .filter(({ type, message }) => type === 'message' && record(message)['role'] === 'assistant')
      .flatMap(({ message }) => list(record(message)['content']).filter(({ type }) => type === 'toolCall'))
      .map(({ arguments: args }) => args),
  docent: ({ transcripts }) =>
    Object.values(record({ ...(transcripts as object) })).flatMap((one) => chatCalls(record(one)['messages'])),
  cline: ({ records }) =>
    list(records)
      .filter(({ role, type }) => role === 'assistant' && type === undefined)
      .flatMap(({ content }) => list(content).filter(({ type }) => type === 'tool_use'))
      .map(({ input }) => input),
  langfuse: ({ observations }) =>
    list(observations)
      .filter(
        ({ type, output }) =>
          type === 'GENERATION' &&
          record(output)['role'] === 'assistant' &&
          typeof record(output)['content'] === 'string',
      )
      .flatMap(({ output }) =>
        chatCalls([
          {
            ...record(output),
            tool_calls: list(record(output)['tool_calls']).filter((call) => isRecord(call['function'])),
          },
        ]),
      ),
  'anthropic-messages': ({ messages, request }) => blockCalls(messages ?? record(request)['messages']),
  'vercel-ui': ({ messages, records }) =>
    list(messages ?? records)
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ parts }) => list(parts))
      .filter(({ type, toolCallId }) => typeof toolCallId === 'string' && type === 'dynamic-tool')
      .map(({ input }) => input),
  langchain: ({ messages }) =>
    list(messages)
      .filter(({ type, role }) => type === 'ai' && role === undefined)
      .flatMap(({ tool_calls: calls, data, lc }) => (data === undefined && lc === undefined ? list(calls) : []))
      .filter((call) => !isRecord(call['function']))
      .map(({ args }) => args),
  'openai-responses': ({ output }) =>
    list(output)
      .filter(({ type, raw_item: inner }) => type === 'function_call' && !isRecord(inner))
      .map((item) => item['arguments']),
  'pydantic-ai': ({ records }) =>
    list(records)
      .filter(({ kind }) => kind === 'response')
      .flatMap(({ parts }) => list(parts))
      .filter(({ part_kind: kind }) => kind === 'tool-call')
      .map(({ args }) => args),
  // What the harness writes where a run that it ended has an action.
  'swe-agent': ({ trajectory }) =>
    list(trajectory).flatMap(({ action, thought }) =>
      typeof thought === 'string' && thought.startsWith('Exit due to ') ? [] : [action],
    ),
}

const CODEX_ITEMS: Readonly<Record<string, readonly string[]>> = {
  command_execution: ['command'],
  file_change: ['changes'],
  mcp_tool_call: ['arguments'],
}

function codexCalls({ type, payload, item }: Json): Words[] {
  const inner = record(payload)
  if (type === 'response_item' && inner['type'] === 'function_call') return [inner['arguments']]
  if (type === 'event_msg' && inner['type'] === 'exec_command_begin' && !('call_id' in inner)) return [inner['command']]
  if (type !== 'item.completed') return []
  const own = record(item)
  const fields =
    typeof own['type'] === 'string' && Object.hasOwn(CODEX_ITEMS, own['type']) ? CODEX_ITEMS[own['type']] : []
  return (fields ?? []).map((field) => own[field])
}

function openHandsCalls(document: Json): Words[] {
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

const blockCalls = (messages: unknown): Words[] =>
  list(messages)
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => list(content))
    .filter(({ type, args, arguments: given }) => type === 'tool_use' && args === undefined && given === undefined)
    .map(({ input }) => input)

const chatCalls = (messages: unknown): Words[] =>
  list(messages)
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ tool_calls: calls }) => list(calls))
    .map((call) => {
      const inner = isRecord(call['function']) ? call['function'] : isRecord(call['custom']) ? call['custom'] : null
      return inner === null
        ? call['arguments']
        : 'input' in inner && !('arguments' in inner)
          ? inner['input']
          : inner['arguments']
    })

/** The texts that the calls of a document say (an action of SWE-agent is a command, even where it looks like JSON); empty for a format that is not counted. */
export function saidByCalls(format: string, document: Json): string[] {
  const known =
    format.startsWith('atif-1') || format === 'atif'
      ? 'atif'
      : format.startsWith('mini-swe')
        ? 'mini-swe-agent'
        : format
  const calls = Object.hasOwn(CALLS, known) ? CALLS[known] : undefined
  return (calls?.(document) ?? []).flatMap((words) =>
    textsIn(typeof words === 'string' && known !== 'swe-agent' ? decoded(words) : words),
  )
}

function decoded(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && text.isWellFormed() && JSON.stringify(value).isWellFormed() ? value : text
  } catch {
    return text
  }
}

/** What stands under longer names is shown as one text of JSON. */
const MAX_NAME = 1000

/** Strings at the ends of a value that say something. */
function textsIn(root: unknown): string[] {
  if (typeof root === 'string') return root === '' ? [] : [root]
  if (typeof root !== 'object' || root === null) return []
  return Object.entries(root).flatMap(([name, value]) => (name.length > MAX_NAME ? [] : textsIn(value)))
}
