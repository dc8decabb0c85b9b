import { type Fate, type Harness, type Turn, timeOf } from './turn.ts'

const FATE_RESULTS: Partial<Record<Fate, { readonly status: string; readonly error: string }>> = {
  rejected: { status: 'cancelled', error: '[Operation Cancelled] Reason: User did not allow tool call' },
  ungranted: { status: 'cancelled', error: '[Operation Cancelled] Reason: User denied execution.' },
  interrupted: { status: 'cancelled', error: '[Operation Cancelled] Reason: User cancelled the operation.' },
  denied: { status: 'error', error: 'Tool execution denied by policy.' },
  invalid: { status: 'error', error: 'Invalid parameters provided. Reason: params/is_background must be boolean' },
}

/** Writer of sessions of Gemini CLI. */
export const geminiCli: Harness = {
  id: 'gemini-cli',
  fates: Object.keys(FATE_RESULTS) as Fate[],
  document: (task, turns) => ({
    sessionId: 'b7c1e7f2-0e0a-4a51-8f6a-2d4c3e1f0a99',
    projectHash: '9f86d081884c7d65',
    startTime: timeOf({}, -1),
    lastUpdated: timeOf({}, turns.length),
    messages: [
      { id: 'm-user', type: 'user', timestamp: timeOf({}, -1), content: [{ text: task }] },
      ...turns.map(messageOf),
    ],
  }),
}

function messageOf(turn: Turn, at: number): Record<string, unknown> {
  const call = turn.shell === undefined ? turn.tool : { name: 'run_shell_command', args: { command: turn.shell } }
  return {
    id: `m-${at}`,
    type: 'gemini',
    timestamp: timeOf(turn, at),
    model: 'gemini-3.1-pro',
    thoughts:
      turn.think === undefined ? [] : [{ subject: 'Next', description: turn.think, timestamp: timeOf(turn, at) }],
    content: turn.say ?? '',
    ...(call !== undefined && { toolCalls: [toolCall(turn, at, call)] }),
  }
}

function toolCall(turn: Turn, at: number, call: NonNullable<Turn['tool']>): Record<string, unknown> {
  const id = `${call.name}-17725${at}`
  const fate = turn.fate === undefined ? undefined : FATE_RESULTS[turn.fate]
  const ran =
    call.name === 'run_shell_command'
      ? `Command: ${String(call.args['command'])}\nDirectory: (root)\nOutput: ${turn.output ?? ''}\nError: (none)\nExit Code: ${turn.code ?? 0}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4${at}`
      : (turn.output ?? '')
  const response = fate === undefined ? { output: ran } : { error: fate.error }
  return {
    id,
    name: call.name,
    args: call.args,
    ...(turn.answer ?? {
      result: [{ functionResponse: { id, name: call.name, response } }],
      status: fate?.status ?? 'success',
    }),
    timestamp: timeOf(turn, at, 3),
  }
}
