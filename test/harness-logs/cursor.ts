import { type Harness, type Turn, timeOf, uuid } from './turn.ts'

/** Writer of the output of Cursor's command line with `--output-format stream-json`. */
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
  const message = turn.say ?? turn.think
  const words =
    message === undefined
      ? []
      : [{ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: message }] }, session_id }]
  const shell = turn.shell ?? ''
  const name = turn.tool?.name ?? 'shellToolCall'
  if (turn.shell === undefined && turn.tool === undefined) return words
  const ran = { command: shell, workingDirectory: '', exitCode: 0, signal: '', stdout: turn.output ?? '', stderr: '' }
  const call_id = `tool_${at}`
  const args = turn.tool?.args ?? { command: shell, workingDirectory: '', timeout: 30_000, toolCallId: call_id }
  const call = { type: 'tool_call', call_id, session_id, timestamp_ms: Date.parse(timeOf(turn, at)) }
  const completed = { args, result: turn.answer ?? { success: ran } }
  return [
    ...words,
    { ...call, subtype: 'started', tool_call: { [name]: { args } } },
    ...(turn.answer === null ? [] : [{ ...call, subtype: 'completed', tool_call: { [name]: completed } }]),
  ]
}
