import { type Fate, type Harness, type Turn, timeOf } from './turn.ts'

/** Writer of OpenHands events: an action, then its observation, which refers to the action by `cause`. */
export const openhands: Harness = {
  id: 'openhands',
  fates: ['rejected'] satisfies Fate[],
  document(task, turns) {
    const history: Record<string, unknown>[] = []
    const add = (fields: Record<string, unknown>): number => history.push({ id: history.length, ...fields }) - 1
    add({
      timestamp: timeOf({}, -1).slice(0, -1),
      source: 'user',
      message: task,
      action: 'message',
      args: { content: task, image_urls: null, wait_for_response: false },
    })
    for (const [index, turn] of turns.entries()) addTurn(turn, timeOf(turn, index).slice(0, -1), add)
    return { history }
  },
}

function addTurn(turn: Turn, timestamp: string, add: (fields: Record<string, unknown>) => number): void {
  if (turn.shell === undefined && turn.tool === undefined) {
    const content = turn.say ?? turn.think ?? ''
    add({
      timestamp,
      source: 'agent',
      message: content,
      action: 'message',
      args: { content, wait_for_response: false },
    })
    return
  }
  const thought = turn.think ?? turn.say ?? ''
  const confirmation_state = turn.fate === undefined ? 'confirmed' : 'rejected'
  const [action, observation, args] =
    turn.shell !== undefined
      ? ['run', 'run', { command: turn.shell, is_input: false, blocking: false, hidden: false }]
      : [turn.tool?.name ?? '', turn.tool?.name ?? '', turn.tool?.args ?? {}]
  const cause = add({
    timestamp,
    source: 'agent',
    message: turn.shell === undefined ? '' : `Running command: ${turn.shell}`,
    action,
    args: { ...args, thought, confirmation_state, ...turn.tool?.args },
    timeout: 120,
  })
  if (turn.answer === null) return
  if (turn.fate !== undefined) {
    const content = 'Action has been rejected by the user! Waiting for further user input.'
    add({ timestamp, source: 'user', message: content, cause, observation: 'user_rejected', content, extras: {} })
    return
  }
  add({
    timestamp,
    source: 'agent',
    message: '',
    cause,
    observation,
    content: turn.output ?? '',
    extras:
      turn.shell === undefined
        ? {}
        : { command: turn.shell, metadata: { exit_code: turn.code ?? 0, pid: -1 }, hidden: false },
    ...turn.answer,
  })
}

/** Writes the first call of the turns as the SDK of OpenHands does: an `ActionEvent`, and the event that `answer` describes. */
export const openhandsSdk: Harness = {
  id: 'openhands-sdk',
  fates: [],
  document: (_task, [turn]) => {
    const { name = '', args = {} } = turn?.tool ?? {}
    const call = { tool_name: name, tool_call_id: '1' }
    const tool_call = { id: '1', name, arguments: JSON.stringify(args) }
    const action = { kind: 'ActionEvent', id: 'a', source: 'agent', timestamp: timeOf({}, 0), llm_response_id: 'r' }
    const answer = { id: 'b', timestamp: timeOf({}, 1), action_id: 'a', ...call, ...turn?.answer }
    return { records: [{ ...action, ...call, tool_call }, ...(turn?.answer == null ? [] : [answer])] }
  },
}
