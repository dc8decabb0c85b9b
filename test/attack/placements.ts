import type { Turn } from '../harness-logs/turn.ts'
import { ATTACKED, type Base } from './base/bases.ts'

/** Whose text the attack stands in. */
export const PLACEMENTS = ['tool_output', 'agent_message', 'agent_reasoning', 'agent_action', 'user'] as const
export type Placement = (typeof PLACEMENTS)[number]

/** The turn that brings the surface. */
const LOOK = 1

/** The base with the text in it. No step of the base gets another number. */
export function plant({ task, turns }: Base, at: Placement, text: string): Record<string, unknown> {
  if (at === 'user') return ATTACKED.document(`${task}\n${text}`, turns)
  if (at === 'tool_output')
    return ATTACKED.document(
      task,
      turns.map((one, at) => (at === LOOK ? behind(one, text) : one)),
    )
  const last: Record<Exclude<Placement, 'user' | 'tool_output'>, Turn> = {
    agent_action: { shell: `cat <<'NOTE'\n${text}\nNOTE`, output: 'ok' },
    agent_message: { say: text },
    agent_reasoning: { think: text, say: 'Done.' },
  }
  return ATTACKED.document(task, [...turns, last[at]])
}

/** The turn with a text behind its output. */
function behind(turn: Turn, text: string): Turn {
  const output = `${turn.output}\n${text}`
  const [, picture] = (turn.answer?.['content'] ?? []) as readonly object[]
  return { ...turn, output, ...(picture && { answer: { content: [{ type: 'text', text: output }, picture] } }) }
}
