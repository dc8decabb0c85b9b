import type { Part, Step } from '../../domain/trajectory/trajectory.ts'
import { CLINE_TOOLS } from '../tools/cline.ts'

/** How harnesses begin a message in the user's name that brings what an act was answered. */
const ANSWER =
  /^(?:(?:command |tool |execution |terminal |shell )?(?:observation|output|result|stdout)(?: \d{1,4})?:|execution result|current terminal s(?:tate|creen):|new terminal output:|<(?:returncode|output|stdout|tool_response|tool_result|function_results?)\b)/i
const CLINE_ANSWERS = Object.keys(CLINE_TOOLS).map((tool) => `[${tool}`)

/** A message of the agent, and what followed it. */
export interface Message {
  readonly step: number
  readonly part: number
  readonly text: string
  /** What answered it: tool output, or a user's message of a harness; null where neither follows. */
  readonly answer: Part | null
  /** The next part that is not the agent's; null: none follows before the agent speaks on. */
  readonly next: Part | null
}

interface Spoken {
  readonly messages: readonly Message[]
  /** Turns of the agent that hold a call: their messages are not among these. */
  readonly acted: number
}

/** The messages of the turns in which the agent only speaks. A turn reaches to the next part that is not the agent's. */
export function messagesOf(steps: readonly Step[]): Spoken {
  const messages: Message[] = []
  let turn: Message[] = []
  let isAct = false
  let acted = 0
  const end = (next: Part | null): void => {
    const last = turn.pop()
    if (isAct) acted++
    else if (last !== undefined)
      messages.push(...turn, { ...last, next, answer: next !== null && isAnswer(next) ? next : null })
    turn = []
    isAct = false
  }
  for (const [step, { parts }] of steps.entries())
    for (const [part, one] of parts.entries()) {
      if (!one.actor.startsWith('agent_')) end(one)
      else if (one.actor === 'agent_action' || isArgument(one)) isAct = true
      else if (one.actor === 'agent_message' && !one.media)
        turn.push({ step, part, text: one.text, answer: null, next: null })
    }
  end(null)
  return { messages, acted }
}

/** Of a tool that only thinks or speaks. */
const isArgument = ({ name }: Part): boolean => name.includes('.')

const isAnswer = ({ actor, text }: Part): boolean =>
  actor === 'tool_output' || (actor === 'user' && isHarness(text.slice(0, 60)))

const isHarness = (head: string): boolean =>
  ANSWER.test(head) || (head.startsWith('[') && CLINE_ANSWERS.some((words) => head.startsWith(words)))

/** What stands before the first word of the agent. */
export function promptOf(steps: readonly Step[]): readonly string[] {
  const texts: string[] = []
  for (const { parts } of steps)
    for (const { actor, text } of parts) {
      if (actor.startsWith('agent_')) return texts
      if (actor !== 'tool_output') texts.push(text)
    }
  return texts
}
