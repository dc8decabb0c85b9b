import type { Fate, Harness, Turn } from './turn.ts'

const SWE_FATES: Partial<Record<Fate, (action: string) => string>> = {
  blocked: (action) => `Operation '${action}' is not supported by this environment.`,
  invalid: () =>
    'Your bash command contained syntax errors and was NOT executed. Please fix the syntax errors and try again.',
}

const actionOf = (turn: Turn): string => turn.shell ?? String(turn.tool?.args['command'] ?? '')

/** Writer of a `.traj` of SWE-agent, whose other tools are commands, too. */
export const sweAgent: Harness = {
  id: 'swe-agent',
  fates: Object.keys(SWE_FATES) as Fate[],
  document: (task, turns) => ({
    environment: 'swe_main',
    trajectory: turns.map((turn) => ({
      action: actionOf(turn),
      observation: observationOf(turn),
      response: [turn.think ?? turn.say ?? '', actionOf(turn) === '' ? '' : `\`\`\`\n${actionOf(turn)}\n\`\`\``]
        .filter((line) => line !== '')
        .join('\n\n'),
      thought: turn.think ?? turn.say ?? '',
      execution_time: 0.2,
      state: { working_dir: '/testbed' },
    })),
    history: [
      {
        role: 'system',
        content: 'SETTING: You are an autonomous programmer.',
        agent: 'main',
        message_type: 'system_prompt',
      },
      { role: 'user', content: task, agent: 'main', message_type: 'observation' },
    ],
    info: { exit_status: 'submitted' },
  }),
}

const observationOf = (turn: Turn): string =>
  turn.fate === undefined ? (turn.output ?? '') : (SWE_FATES[turn.fate]?.(actionOf(turn)) ?? '')

/** Writer of mini-swe-agent: each answer has one fenced command. */
export const miniSweAgent: Harness = {
  id: 'mini-swe-agent',
  fates: ['rejected'] satisfies Fate[],
  document: (task, turns) => ({
    trajectory_format: 'mini-swe-agent-1.1',
    info: {
      exit_status: 'Submitted',
      model_stats: { instance_cost: 0.1, api_calls: turns.length },
      mini_version: '1.14.2',
    },
    messages: [
      {
        role: 'system',
        content:
          'You are a helpful assistant that can interact with a computer.\n\nYour response must contain exactly ONE bash code block with ONE command.\n\n<format_example>\nYour reasoning here.\n\n```bash\nyour_command_here\n```\n</format_example>',
      },
      { role: 'user', content: task },
      ...turns.flatMap(miniMessages),
    ],
  }),
}

function miniMessages(turn: Turn): Record<string, unknown>[] {
  const thought = `THOUGHT: ${turn.think ?? turn.say ?? 'The next step.'}`
  const action = actionOf(turn)
  if (action === '') return [{ role: 'assistant', content: thought }]
  const back =
    turn.fate === undefined
      ? `<returncode>${turn.code ?? 0}</returncode>\n<output>\n${turn.output ?? ''}\n</output>`
      : 'Command not executed. The user rejected it: leave that alone.'
  return [
    { role: 'assistant', content: `${thought}\n\n\`\`\`bash\n${action}\n\`\`\`` },
    { role: 'user', content: back },
  ]
}
