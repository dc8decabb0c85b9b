import { type Fate, type Harness, type Turn, timeOf, uuid } from './turn.ts'

const SESSION = uuid(0xfeed)

/** Messages of Claude Code for calls that did not run, as its session logs have them. */
const FATE_TEXTS: Partial<Record<Fate, string>> = {
  rejected:
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
  denied: "Permission to use Bash has been denied because Claude Code is running in don't ask mode.",
  ungranted: "Claude requested permissions to use Bash, but you haven't granted it yet.",
  hook: 'PreToolUse:Bash hook error: [.claude/hooks/guard.sh]: this command is not allowed here',
  interrupted: '[Request interrupted by user for tool use]',
  invalid:
    '<tool_use_error>InputValidationError: Bash failed due to the following issue:\nThe parameter `timeout` type is expected as `number` but provided as `string`</tool_use_error>',
  sibling: '<tool_use_error>Sibling tool call errored</tool_use_error>',
}

/** Writer of session logs of Claude Code: one record for each block of an answer, results as user records. */
export const claudeCode: Harness = {
  id: 'claude-code',
  fates: Object.keys(FATE_TEXTS) as Fate[],
  document(task, turns) {
    let id = 1
    const records: Record<string, unknown>[] = []
    const add = (timestamp: string, fields: Record<string, unknown>): void => {
      const parentUuid = id === 1 ? null : uuid(id - 1)
      records.push({
        parentUuid,
        isSidechain: false,
        userType: 'external',
        cwd: '/srv/app',
        sessionId: SESSION,
        version: '2.0.31',
        gitBranch: 'main',
        ...fields,
        uuid: uuid(id++),
        timestamp,
      })
    }
    add(timeOf({}, -1), { type: 'user', message: { role: 'user', content: task } })
    for (const [index, turn] of turns.entries()) addTurn(turn, index, add)
    return { records }
  },
}

type Add = (timestamp: string, fields: Record<string, unknown>) => void

function addTurn(turn: Turn, index: number, add: Add): void {
  const answer = (block: Record<string, unknown>): void =>
    add(timeOf(turn, index), {
      type: 'assistant',
      requestId: `req_${index}`,
      message: {
        id: `msg_${index}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [block],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 4, output_tokens: 87, service_tier: 'standard' },
      },
    })
  if (turn.think !== undefined) answer({ type: 'thinking', thinking: turn.think, signature: 'c2ln' })
  if (turn.say !== undefined) answer({ type: 'text', text: turn.say })
  const call = callOf(turn)
  if (call === null) return
  const id = `toolu_01${String(index).padStart(22, 'A')}`
  answer({ type: 'tool_use', id, ...call })
  if (turn.answer === null) return
  if (turn.answer !== undefined) {
    const { record, ...block } = turn.answer
    const content = [{ tool_use_id: id, type: 'tool_result', ...block }]
    add(timeOf(turn, index, 2), { type: 'user', message: { role: 'user', content }, ...(record as object | undefined) })
    return
  }
  const exit = turn.code ?? 0
  const ran = exit === 0 ? (turn.output ?? '') : `Exit code ${exit}\n${turn.output ?? ''}`
  const text = turn.fate === undefined ? ran : (FATE_TEXTS[turn.fate] ?? '')
  const failed = turn.fate !== undefined || exit !== 0
  add(timeOf(turn, index, 2), {
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: id, type: 'tool_result', content: text, ...(failed && { is_error: true }) }],
    },
    toolUseResult: failed
      ? turn.fate === 'rejected'
        ? 'User rejected tool use'
        : `Error: ${text}`
      : { stdout: text, stderr: '', interrupted: false, isImage: false },
  })
}

const callOf = (turn: Turn) =>
  turn.shell !== undefined
    ? { name: 'Bash', input: { command: turn.shell, description: 'Run the next command' } }
    : turn.tool === undefined
      ? null
      : { name: turn.tool.name, input: turn.tool.args }
