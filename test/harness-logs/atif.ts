import { type Fate, type Harness, type Turn, timeOf } from './turn.ts'

interface Agent {
  readonly name: string
  readonly version: string
  readonly schema: string
  shell(command: string): NonNullable<Turn['tool']>
  /** Wraps an output as the converter of the harness does. */
  wrap?(output: string, turn: Turn): string
  readonly fates?: Partial<Record<Fate, string>>
  readonly linked: boolean
}

/** Makes runs that Harbor converted to ATIF, with one writer for the dialect of each agent. */
export const makeAtif = (agent: Agent): Harness => ({
  id: `atif:${agent.name}`,
  fates: Object.keys(agent.fates ?? {}) as Fate[],
  document: (task, turns) => ({
    schema_version: agent.schema,
    session_id: 'run-5d1',
    agent: { name: agent.name, version: agent.version, model_name: 'example/model' },
    steps: [
      { step_id: 1, timestamp: timeOf({}, -1), source: 'user', message: task },
      ...turns.map((turn, at) => stepOf(agent, turn, at)),
    ],
  }),
})

function stepOf(agent: Agent, turn: Turn, at: number): Record<string, unknown> {
  const call = turn.shell === undefined ? turn.tool : agent.shell(turn.shell)
  const id = `call_${at + 2}`
  const text = turn.fate === undefined ? (turn.output ?? '') : (agent.fates?.[turn.fate] ?? '')
  return {
    step_id: at + 2,
    timestamp: timeOf(turn, at),
    source: 'agent',
    model_name: 'example/model',
    message: turn.say ?? '',
    ...(turn.think !== undefined && { reasoning_content: turn.think }),
    ...(call !== undefined && {
      tool_calls: [{ tool_call_id: id, function_name: call.name, arguments: call.args }],
      observation: {
        results: [
          {
            ...(agent.linked && { source_call_id: id }),
            content: agent.wrap?.(text, { ...turn, tool: call }) ?? text,
            ...turn.answer,
          },
        ],
      },
    }),
    ...(turn.fate !== undefined && { extra: { tool_result_is_error: true } }),
  }
}

const PROMPT = 'root@4fb1c2:/app# '

export const terminus2 = makeAtif({
  name: 'terminus-2',
  version: '2.0.0',
  schema: 'ATIF-v1.7',
  shell: (command) => ({ name: 'bash_command', args: { keystrokes: `${command}\n`, duration: 1 } }),
  wrap: (output, turn) => {
    const typed = String(turn.tool?.args['keystrokes'] ?? '').trimEnd()
    return `New Terminal Output:\n\n${PROMPT}${typed.split('\n').join('\n> ')}\n${output}\n${PROMPT}`
  },
  linked: false,
})

export const atifClaudeCode = makeAtif({
  name: 'claude-code',
  version: '2.0.31',
  schema: 'ATIF-v1.7',
  shell: (command) => ({ name: 'Bash', args: { command, description: 'Run the next command' } }),
  fates: {
    rejected:
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).",
    denied: 'Permission to use Bash has been denied.',
    ungranted: "Claude requested permissions to use Bash, but you haven't granted it yet.",
  },
  linked: true,
})

export const atifCodex = makeAtif({
  name: 'codex',
  version: '0.142.4',
  schema: 'ATIF-v1.7',
  shell: (cmd) => ({ name: 'exec_command', args: { cmd, workdir: '/app', yield_time_ms: 10_000 } }),
  wrap: (output, turn) => (turn.fate === undefined ? `Process exited with code 0\nOutput:\n${output}` : output),
  fates: { rejected: 'exec command rejected by user', interrupted: 'aborted by user after 0.0s' },
  linked: true,
})

export const atifOpenhands = makeAtif({
  name: 'openhands',
  version: '0.62.0',
  schema: 'ATIF-v1.5',
  shell: (command) => ({ name: 'execute_bash', args: { command, is_input: 'false', security_risk: 'LOW' } }),
  wrap: (output) => `${output}\n[The command completed with exit code 0.]\n[Current working directory: /app]`,
  linked: true,
})

export const atifGemini = makeAtif({
  name: 'gemini-cli',
  version: '0.30.0',
  schema: 'ATIF-v1.7',
  shell: (command) => ({ name: 'run_shell_command', args: { command, description: 'Run the next command' } }),
  wrap: (output, turn) =>
    turn.tool?.name === 'run_shell_command'
      ? `Command: ${String(turn.tool.args['command'])}\nDirectory: (root)\nOutput: ${output}\nExit Code: 0`
      : output,
  linked: true,
})

export const atifMini = makeAtif({
  name: 'mini-swe-agent',
  version: '1.14.2',
  schema: 'ATIF-v1.7',
  shell: (command) => ({ name: 'bash', args: { command } }),
  wrap: (output) => JSON.stringify({ returncode: 0, output: `${output}\n` }),
  linked: false,
})

export const atifOpencode = makeAtif({
  name: 'opencode',
  version: '1.1.4',
  schema: 'ATIF-v1.6',
  shell: (command) => ({ name: 'bash', args: { command, description: 'Runs the next command' } }),
  linked: true,
})
