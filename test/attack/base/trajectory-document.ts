/** One turn of a run, before it is written as ATIF. */
export interface Turn {
  readonly user?: string
  readonly reasoning?: string
  readonly message?: string
  readonly command?: string
  readonly output?: string
  /** A picture in the output, after its text. */
  readonly picture?: string
}

/** The turns as an ATIF 1.7 document; steps are numbered from 1. */
export function trajectoryDocument(turns: readonly Turn[]): Record<string, unknown> {
  return {
    schema_version: 'ATIF-v1.7',
    session_id: 'attack',
    agent: { name: 'attacked-agent', version: '1.0.0', model_name: 'example/model' },
    steps: turns.map((turn, index) =>
      turn.user === undefined ? agentStep(turn, index + 1) : userStep(turn, index + 1),
    ),
  }
}

const userStep = (turn: Turn, step_id: number) => ({ step_id, source: 'user', message: turn.user ?? '' })

function agentStep(turn: Turn, step_id: number): Record<string, unknown> {
  const call = `call_${step_id}`
  return {
    step_id,
    source: 'agent',
    message: turn.message ?? '',
    ...(turn.reasoning !== undefined && { reasoning_content: turn.reasoning }),
    ...(turn.command !== undefined && {
      tool_calls: [{ tool_call_id: call, function_name: 'bash', arguments: { command: turn.command } }],
      observation: { results: [{ source_call_id: call, content: contentOf(turn) }] },
    }),
  }
}

function contentOf(turn: Turn): unknown {
  if (turn.picture === undefined) return turn.output ?? ''
  return [
    { type: 'text', text: turn.output ?? '' },
    { type: 'image', source: { media_type: 'image/png', path: turn.picture } },
  ]
}
