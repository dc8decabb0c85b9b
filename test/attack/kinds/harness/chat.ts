import { type Harness, type Turn, timeOf, uuid } from '../turn.ts'

/** A chat with the tool calls of the OpenAI interface. */
export const openaiChat: Harness = {
  id: 'openai-chat',
  fates: [],
  document: (task, turns) => ({
    messages: [
      { role: 'system', content: 'You work in a terminal.' },
      { role: 'user', content: task },
      ...turns.flatMap((turn, at) => {
        const call = turn.shell === undefined ? turn.tool : { name: 'bash', args: { command: turn.shell } }
        const message = { role: 'assistant', content: turn.say ?? turn.think ?? '' }
        if (call === undefined) return [message]
        const id = `call_${at}`
        const tool_calls = [
          { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } },
        ]
        return [
          { ...message, tool_calls },
          { role: 'tool', tool_call_id: id, content: turn.output ?? '' },
        ]
      }),
    ],
  }),
}

/** The service’s own plain form. */
export const stepList: Harness = {
  id: 'steps',
  fates: [],
  document: (task, turns) => ({
    steps: [
      { actor: 'user', text: task },
      ...turns.map((turn) => ({
        parts: [
          ...(turn.think === undefined ? [] : [{ actor: 'agent_reasoning', text: turn.think }]),
          ...(turn.say === undefined ? [] : [{ actor: 'agent_message', text: turn.say }]),
          ...(turn.shell === undefined ? [] : [{ actor: 'agent_action', text: turn.shell }]),
          ...(turn.shell === undefined ? [] : [{ actor: 'tool_output', text: turn.output ?? '' }]),
        ],
      })),
    ],
  }),
}

/** Cursor’s command line with `--output-format stream-json`. */
export const cursorStream: Harness = {
  id: 'cursor-stream',
  fates: [],
  document: (task, turns) => ({
    records: [
      {
        type: 'system',
        subtype: 'init',
        apiKeySource: 'login',
        cwd: '/srv/app',
        session_id: uuid(0xc5),
        model: 'Auto',
        permissionMode: 'default',
      },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: task }] }, session_id: uuid(0xc5) },
      ...turns.flatMap(cursorRecords),
      {
        type: 'result',
        subtype: 'success',
        duration_ms: 5234,
        duration_api_ms: 5234,
        is_error: false,
        result: '',
        session_id: uuid(0xc5),
      },
    ],
  }),
}

function cursorRecords(turn: Turn, at: number): Record<string, unknown>[] {
  const session_id = uuid(0xc5)
  const said = turn.say ?? turn.think
  const words =
    said === undefined
      ? []
      : [{ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: said }] }, session_id }]
  if (turn.shell === undefined) return words
  const args = { command: turn.shell, workingDirectory: '', timeout: 30_000, toolCallId: `tool_${at}` }
  const success = {
    command: turn.shell,
    workingDirectory: '',
    exitCode: 0,
    signal: '',
    stdout: turn.output ?? '',
    stderr: '',
  }
  const call = { type: 'tool_call', call_id: `tool_${at}`, session_id, timestamp_ms: Date.parse(timeOf(turn, at)) }
  return [
    ...words,
    { ...call, subtype: 'started', tool_call: { shellToolCall: { args } } },
    { ...call, subtype: 'completed', tool_call: { shellToolCall: { args, result: { success } } } },
  ]
}
