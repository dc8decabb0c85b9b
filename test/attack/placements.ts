import type { Base } from './base/bases.ts'
import { type Turn, trajectoryDocument } from './base/trajectory-document.ts'

/** Whose text the attack stands in. */
export const PLACEMENTS = ['tool_output', 'agent_message', 'agent_reasoning', 'agent_action', 'user'] as const
export type Placement = (typeof PLACEMENTS)[number]

/** The step that brings the surface, counted from 0. */
const LOOK = 2

/** The base with the text in it. No step of the base gets another number. */
export const plant = (base: Base, at: Placement, text: string): Record<string, unknown> =>
  trajectoryDocument(plantTurns(base.turns, at, text))

function plantTurns(turns: readonly Turn[], at: Placement, text: string): Turn[] {
  if (at === 'tool_output' || at === 'user') {
    return turns.map((turn, index) => {
      if (at === 'user') return index === 0 ? { ...turn, user: `${turn.user}\n${text}` } : turn
      return index === LOOK ? { ...turn, output: `${turn.output}\n${text}` } : turn
    })
  }
  if (at === 'agent_action') return [...turns, { command: `cat <<'NOTE'\n${text}\nNOTE`, output: 'ok' }]
  return [...turns, at === 'agent_message' ? { message: text } : { reasoning: text, message: 'Done.' }]
}
