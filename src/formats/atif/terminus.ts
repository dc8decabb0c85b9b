import type { Part } from '../../domain/trajectory/trajectory.ts'
import { decodeObject, leavesOf, memberName } from '../common/json-tree.ts'
import { itemsIn, type Json, type Reading } from '../common/reading.ts'
import { addSlices } from '../openai-chat/openai-chat-sink.ts'
import { TERMINUS_JSON, TERMINUS_XML } from '../protocols/terminus-replies.ts'
import { TERMINUS_TOOLS } from '../tools/other-harnesses.ts'
import { meaningOf, meaningOfName, openCall } from '../tools/tool-table.ts'

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
 * In raw mode the message is the model's answer, in JSON or in XML, and there are no tool calls: its commands are the actions. Words
 * around the answer are no harm to it. False where the message is something else; then it is speech.
 */
export function readRawReply(reading: Reading, parts: Part[], message: string, path: string): boolean {
  const reply = decodeObject(message)
  const commands = reply?.['commands']
  if (reply === null || !Array.isArray(commands)) {
    const slices = TERMINUS_XML.split(message, null) ?? TERMINUS_JSON.split(message, null)
    if (slices !== null) addSlices(reading, parts, { text: message, path }, slices)
    else if (message.includes('"commands"'))
      reading.unread(
        path,
        'looks like an answer with commands, but is no JSON object; its commands are shown as speech',
        true,
      )
    return slices !== null
  }
  const spoken = spokenOf(reply)
  for (const leaf of Object.keys(spoken).length === 0 ? [] : leavesOf(spoken))
    reading.add(parts, { actor: 'agent_message', text: leaf.text, path: `${path}#${leaf.pointer}`, name: leaf.name })
  for (const [command, at] of itemsIn(commands, `${path}#/commands`)) addCommand(reading, parts, command, at)
  if (reply['task_complete'] === true)
    reading.add(parts, {
      text: 'true',
      path: `${path}#/task_complete`,
      name: 'mark_task_complete',
      ...meaningOfName(TERMINUS_TOOLS['mark_task_complete'], openCall('mark_task_complete')),
    })
  return true
}

function addCommand(reading: Reading, parts: Part[], command: unknown, path: string): void {
  const [tool, spec] = ['bash_command', TERMINUS_TOOLS['bash_command']]
  const call = openCall(tool)
  for (const leaf of leavesOf(command, path))
    reading.add(parts, {
      text: leaf.text,
      path: leaf.pointer,
      name: memberName(tool, leaf.name),
      ...meaningOf(spec, leaf.name, call, command),
    })
}

function spokenOf(reply: Json): Json {
  const { commands: _commands, task_complete: _done, ...spoken } = reply
  return spoken
}
