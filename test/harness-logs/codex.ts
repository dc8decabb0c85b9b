import { type Fate, type Harness, type Turn, timeOf, uuid } from './turn.ts'

/** Messages of Codex for calls that did not run. */
const FATE_TEXTS: Partial<Record<Fate, string>> = {
  rejected: 'exec command rejected by user',
  denied:
    'approval policy is Never; reject command — you should not ask for escalated permissions if the approval policy is Never',
  interrupted: 'aborted by user after 0.0s',
  patch: 'patch rejected by user',
  invalid: 'failed to parse function arguments: invalid type: string "10", expected u64 at line 1 column 92',
}

type Shell = (command: string) => { readonly name: string; readonly args: Readonly<Record<string, unknown>> }

/** Writer of Codex rollouts, with the shell tool of newer versions (`exec_command`) or of older versions (`shell` with argv). */
function makeCodex(id: string, shell: Shell): Harness {
  return {
    id,
    fates: (Object.keys(FATE_TEXTS) as Fate[]).filter((fate) => fate !== 'patch'),
    document: (task, turns) => ({
      records: [...head(task), ...turns.flatMap((turn, at) => turnRecords(turn, at, shell))],
    }),
  }
}

export const codex = makeCodex('codex', (cmd) => ({
  name: 'exec_command',
  args: { cmd, workdir: '/srv/app', yield_time_ms: 10_000, max_output_tokens: 20_000 },
}))

export const codexArgv = makeCodex('codex-argv', (command) => ({
  name: 'shell',
  args: { command: ['bash', '-lc', command], workdir: '/srv/app', timeout_ms: 120_000 },
}))

function head(task: string): Record<string, unknown>[] {
  const timestamp = timeOf({}, -1)
  const id = uuid(0xc0de)
  return [
    {
      timestamp,
      type: 'session_meta',
      payload: { id, timestamp, cwd: '/srv/app', originator: 'codex_exec', cli_version: '0.142.4', source: 'exec' },
    },
    {
      timestamp,
      type: 'turn_context',
      payload: { turn_id: uuid(0xc0d0), cwd: '/srv/app', approval_policy: 'never', model: 'gpt-5.5', summary: 'auto' },
    },
    {
      timestamp,
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: task }] },
    },
  ]
}

function turnRecords(turn: Turn, at: number, shell: Shell): Record<string, unknown>[] {
  const records: Record<string, unknown>[] = []
  const add = (payload: Record<string, unknown>, more = 0): void => {
    records.push({ timestamp: timeOf(turn, at, more), type: 'response_item', payload })
  }
  if (turn.think !== undefined)
    add({ type: 'reasoning', id: `rs_${at}`, summary: [{ type: 'summary_text', text: turn.think }] })
  if (turn.say !== undefined)
    add({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: turn.say }] })
  const call = turn.shell === undefined ? turn.tool : shell(turn.shell)
  if (call === undefined) return records
  const call_id = `call_${at}xQ`
  const patch = call.name === 'apply_patch'
  add(
    patch
      ? {
          type: 'custom_tool_call',
          id: `ctc_${at}`,
          status: 'completed',
          call_id,
          name: call.name,
          input: call.args['input'],
        }
      : { type: 'function_call', id: `fc_${at}`, name: call.name, arguments: JSON.stringify(call.args), call_id },
  )
  if (turn.answer === null) return records
  const text =
    turn.fate === undefined
      ? `Chunk ID: ac60${at}\nWall time: 0.0000 seconds\nProcess exited with code ${turn.code ?? 0}\nOriginal token count: 83\nOutput:\n${turn.output ?? ''}`
      : FATE_TEXTS[turn.fate]
  add({ type: patch ? 'custom_tool_call_output' : 'function_call_output', call_id, output: text, ...turn.answer }, 1)
  return records
}
