import type { InstructionAnchors } from './anchors.ts'
import { indexOfWord } from './search.ts'
import { createCommandReader } from './told-commands.ts'
import { isRepeat, type Part, type Position, type Step, type Trajectory } from './trajectory.ts'

/** What an action does with a string: something; only look at it or tell of it; it does not hold the string. */
export type Use = 'done' | 'told' | 'absent'

/** Arguments of tools that write files: what stands there is written, whatever it would mean in a shell. */
const WRITTEN = new Set('content contents file_content file_text insert_text new_str new_string patch'.split(' '))

const isWritten = ({ name }: Part): boolean => WRITTEN.has(name.slice(name.lastIndexOf('.') + 1))

/** Linear. In a message there are no commands: what it says, it does. */
export function useOf(part: Part, anchor: string): Use {
  let at = indexOfWord(part.text, anchor, 0)
  if (at === -1) return 'absent'
  if (part.actor === 'agent_message' || isWritten(part)) return 'done'
  const commands = createCommandReader(part.text)
  while (at !== -1) {
    const end = commands.toldUntil(at)
    if (end === null) return 'done'
    at = indexOfWord(part.text, anchor, Math.max(end, at + 1))
  }
  return 'told'
}

/** Whether the anchor stands in a command of the part that does something with it. */
export const isDone = (part: Part, anchor: string): boolean => useOf(part, anchor) === 'done'

/** Whether the part holds some of the anchors, and only in commands that look or tell. */
export function isOnlyTold(part: Part, anchors: readonly string[]): boolean {
  const uses = anchors.map((anchor) => useOf(part, anchor))
  return uses.includes('told') && !uses.includes('done')
}

/** The first step after the sight whose action does something with one of the strings; null: there is none, or nothing was seen. */
export function firstDone(
  trajectory: Trajectory,
  { acted_by }: Pick<InstructionAnchors, 'acted_by'>,
  strings: readonly string[],
  sight: Position | null,
): Step | null {
  if (sight === null || strings.length === 0) return null
  const found = trajectory.steps.slice(sight.step).find(
    (step, index) =>
      !isRepeat(trajectory, sight.step + index) &&
      step.parts.slice(index === 0 ? sight.part + 1 : 0).some((part) => {
        const byAgent = part.actor === 'agent_action' || (part.actor === 'agent_message' && acted_by === 'message')
        return byAgent && strings.some((one) => isDone(part, one))
      }),
  )
  return found ?? null
}
