import type { Part } from '../domain/trajectory.ts'
import type { Actor } from '../schemas/vocabulary.ts'
import { decodeObject, leavesOf } from './json-tree.ts'
import type { Json, Reading } from './reading.ts'

/** The dialect of terminus-2: its own words among the observations, and actions inside the message. */

export const isTerminus = (agent: string): boolean => agent.startsWith('terminus-2')

const REJECTED = 'Previous response had parsing errors'
const CONFIRM =
  "Are you sure you want to mark the task as complete? This will trigger your solution to be graded and you won't be " +
  'able to make any further corrections. If so, include '
const CONFIRM_TAILS = [
  '"task_complete": true in your JSON response again.',
  '<task_complete>true</task_complete> again.',
] as const
const SCREENS = ['Current terminal state:', 'Current Terminal Screen:', 'New Terminal Output:'] as const

/**
 * Whether an observation holds nothing but words of the harness. Exact on purpose: text that the terminal shows must stay
 * tool output, even where it imitates the harness.
 */
export function isScaffold(text: string): boolean {
  if (text.startsWith(REJECTED)) return !SCREENS.some((screen) => text.includes(screen))
  const confirm = text.indexOf(CONFIRM)
  if (confirm === -1) return false
  const tail = text.slice(confirm + CONFIRM.length).trimEnd()
  if (!CONFIRM_TAILS.some((known) => known === tail)) return false
  let head = text.slice(0, confirm)
  for (const screen of SCREENS) head = head.replace(screen, '')
  return head.trim() === ''
}

/** The harness could not parse this answer, so it carried nothing of it out. */
export const isRejection = (text: string): boolean => text.startsWith(REJECTED)

/**
 * In raw mode the message is the model's JSON answer and there are no tool calls: its commands are the actions. False where
 * the message is something else; then it is speech.
 */
export function readRawReply(reading: Reading, parts: Part[], message: string, path: string): boolean {
  const reply = decodeObject(message)
  const commands = reply?.['commands']
  if (reply === null || !Array.isArray(commands)) {
    if (message.includes('"commands"'))
      reading.warn(path, 'looks like an answer with commands, but is no JSON object; its commands are shown as speech')
    return false
  }
  const add = (value: unknown, at: string, actor: Actor, name: string): void => {
    for (const leaf of leavesOf(value, at, name))
      reading.add(parts, { actor, text: leaf.text, path: `${path}#${leaf.pointer}`, name: leaf.name })
  }
  for (const [key, value] of Object.entries(spokenOf(reply))) add({ [key]: value }, '', 'agent_message', '')
  for (const [index, command] of commands.entries()) add(command, `/commands/${index}`, 'agent_action', 'bash_command')
  if (reply['task_complete'] === true) add(true, '/task_complete', 'agent_action', 'mark_task_complete')
  return true
}

function spokenOf(reply: Json): Json {
  const { commands: _commands, task_complete: _done, ...spoken } = reply
  return spoken
}
