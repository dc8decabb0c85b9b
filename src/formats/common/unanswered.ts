import type { Step } from '../../domain/trajectory/trajectory.ts'
import type { OpenCall } from '../tools/tool-table.ts'

/** What the agent did before others spoke, and whether a tool did. */
interface Turn {
  readonly calls: Set<OpenCall>
  hasOutput: boolean
}

const isKnown = ({ outcome }: OpenCall): boolean => outcome !== 'unknown'

/**
 * Marks calls that nothing answered, in a run whose other calls have answers: it was cut off or the call was stopped, and nobody can tell
 * whether the call was carried out. A call whose answer may be among those of its turn is left as it is, and so are runs that keep few answers.
 */
export function markUnanswered(steps: readonly Step[]): void {
  const turns = turnsOf(steps)
  const known = turns.reduce((sum, { calls }) => sum + [...calls].filter(isKnown).length, 0)
  const left = turns.flatMap(({ calls, hasOutput }) => {
    const unknown = [...calls].filter((call) => !isKnown(call))
    return hasOutput && unknown.length === calls.size ? [] : unknown
  })
  if (left.length > known) return
  for (const call of left) call.outcome = 'interrupted'
}

/** A turn ends where the agent acts after others spoke. */
function turnsOf(steps: readonly Step[]): readonly Turn[] {
  let turn: Turn = { calls: new Set(), hasOutput: false }
  const turns = [turn]
  let isOver = false
  for (const { actor, act } of steps.flatMap(({ parts }) => parts)) {
    if (actor === 'tool_output') turn.hasOutput = true
    if (!actor.startsWith('agent_')) isOver = true
    if (actor !== 'agent_action' || act === null) continue
    if (isOver) {
      turn = { calls: new Set(), hasOutput: false }
      turns.push(turn)
      isOver = false
    }
    turn.calls.add(act.call as OpenCall)
  }
  return turns
}
