/** Shortest documents of each harness with one call and, where one is given, its answer. Shapes are those of the real files. */

type Row = Record<string, unknown>

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()

/** The answer of a call: a `tool_result` block, and what else its record holds. */
export interface ClaudeAnswer {
  readonly block: Row
  readonly record?: Row
}

export const claudeCode = (
  tool: string,
  input: unknown,
  answer: ClaudeAnswer | null = { block: { content: 'ok' } },
): Row => {
  const record = (type: string, content: unknown, more: Row = {}): Row => ({
    ...{ type, sessionId: 's', parentUuid: null, timestamp: at(1), message: { role: type, content }, ...more },
  })
  const result =
    answer === null ? [] : [record('user', [{ type: 'tool_result', tool_use_id: '1', ...answer.block }], answer.record)]
  return {
    records: [
      record('user', 'Go.'),
      record('assistant', [{ type: 'tool_use', id: '1', name: tool, input }]),
      ...result,
    ],
  }
}

export const codex = (tool: string, args: unknown, output?: unknown, more: readonly Row[] = []): Row => {
  const item = (payload: Row): Row => ({ timestamp: at(1), type: 'response_item', payload })
  const words = typeof args === 'string' ? args : JSON.stringify(args)
  const answer = output === undefined ? [] : [item({ type: 'function_call_output', call_id: '1', output })]
  const events = more.map((payload) => ({ timestamp: at(2), type: 'event_msg', payload }))
  return {
    records: [item({ type: 'function_call', call_id: '1', name: tool, arguments: words }), ...answer, ...events],
  }
}

/** One item of `codex exec --json`, started and completed. */
export const codexItem = (item: Row, end: Row): Row => ({
  records: [
    { type: 'thread.started', thread_id: 't' },
    { type: 'item.started', item: { id: '1', status: 'in_progress', ...item } },
    { type: 'item.completed', item: { id: '1', ...item, ...end } },
  ],
})

export const geminiCli = (name: string, args: unknown, end: Row = { status: 'success' }): Row => ({
  sessionId: 's',
  projectHash: 'h',
  messages: [
    { id: '1', timestamp: at(1), type: 'user', content: 'Go.' },
    {
      id: '2',
      timestamp: at(2),
      type: 'gemini',
      content: '',
      toolCalls: [{ id: 'c', name, args, timestamp: at(3), ...end }],
    },
  ],
})

export const geminiStream = (end: Row): Row => ({
  records: [
    { type: 'init', session_id: 's', model: 'm' },
    { type: 'tool_use', tool_name: 'run_shell_command', tool_id: '1', parameters: { command: 'ls' }, timestamp: at(1) },
    { type: 'tool_result', tool_id: '1', timestamp: at(2), ...end },
  ],
})

export const openHands = (action: string, args: Row, answer: Row | null = null): Row => ({
  history: [
    { id: 1, source: 'agent', timestamp: at(1), action, args },
    ...(answer === null
      ? []
      : [{ id: 2, source: 'agent', timestamp: at(2), cause: 1, content: 'out', extras: {}, ...answer }]),
  ],
})

export const openHandsSdk = (tool: string, args: Row, answer: Row | null = null): Row => ({
  records: [
    {
      ...{ kind: 'ActionEvent', id: 'a', source: 'agent', timestamp: at(1), tool_name: tool, tool_call_id: '1' },
      ...{ tool_call: { id: '1', name: tool, arguments: JSON.stringify(args) }, llm_response_id: 'r' },
    },
    ...(answer === null
      ? []
      : [{ id: 'b', timestamp: at(2), action_id: 'a', tool_call_id: '1', tool_name: tool, ...answer }]),
  ],
})

export const cursor = (tool: string, args: unknown, result: Row | null = { success: { stdout: 'out' } }): Row => {
  const event = (subtype: string, body: Row, ms: number): Row => ({
    ...{
      type: 'tool_call',
      subtype,
      call_id: 'c\n1',
      tool_call: { [tool]: body },
      session_id: 's',
      timestamp_ms: 1774379930122 + ms,
    },
  })
  const end = result === null ? [] : [event('completed', { args, result }, 9)]
  return {
    records: [
      {
        type: 'system',
        subtype: 'init',
        apiKeySource: 'env',
        cwd: '/',
        session_id: 's',
        model: 'm',
        permissionMode: 'default',
      },
      event('started', { args }, 0),
      ...end,
    ],
  }
}
