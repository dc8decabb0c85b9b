import type { Part } from '../../domain/trajectory/trajectory.ts'
import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { isRecord, type Reading } from '../common/reading.ts'
import { addSlices } from '../openai-chat/openai-chat-sink.ts'
import { meaningOf, meaningOfName, type OpenCall, openCall, toolsOf } from '../tools/tool-table.ts'
import { protocolOf, scan } from './slices.ts'

const COMMAND = 'bash_command'

/** The protocol of terminus-1 and terminus-2: JSON with `commands` of `keystrokes`. Source: terminal-bench, terminal_bench/agents/terminus_1.py. */
export const TERMINUS_JSON = protocolOf(
  { name: 'terminus JSON', harness: 'terminus', announced: ['"keystrokes"'], needsAnswer: false },
  (slices, text) => {
    const [start, end] = [text.indexOf('{'), text.lastIndexOf('}') + 1]
    const reply = start !== -1 && text.includes('"commands"') ? decodeObject(text.slice(start, end)) : null
    const commands = reply?.['commands']
    const isCommand = (command: unknown): boolean => isRecord(command) && 'keystrokes' in command
    if (reply === null || !Array.isArray(commands) || (commands.length > 0 && !commands.some(isCommand))) return
    slices.say(start)
    const { commands: _commands, task_complete: isDone, is_task_complete: _isDone, ...spoken } = reply
    slices.speech(start, end, spoken)
    for (const [index, args] of commands.entries()) {
      const inCommands = leavesOf(args).map((leaf) => ({ ...leaf, pointer: `/commands/${index}${leaf.pointer}` }))
      // An odd command leaves the others their acts, and may itself be an act.
      const spec = isCommand(args) ? toolsOf('terminus')[COMMAND] : undefined
      slices.json(start, end, inCommands, { call: openCall(COMMAND), spec, args })
    }
    const inner = { pointer: '/task_complete', text: 'true' }
    if (isDone === true) slices.list.push({ start, end, inner, ...completion() })
    slices.skip(end)
  },
)

const OPEN = '<keystrokes'
const CLOSE = '</keystrokes>'
const COMPLETE = 'mark_task_complete'

/** Returns the meaning of the mark of completion. */
const completion = () => ({ name: COMPLETE, ...meaningOfName(toolsOf('terminus')[COMPLETE], openCall(COMPLETE)) })

const DONE = '<task_complete>true</task_complete>'

/**
 * The protocol of `<commands><keystrokes duration="1.0">…</keystrokes></commands>`. Source: harbor,
 * src/harbor/agents/terminus_2/terminus_xml_plain_parser.py.
 */
export const TERMINUS_XML = protocolOf(
  { name: 'terminus XML', harness: 'terminus', announced: ['<keystrokes'], needsAnswer: false },
  (slices, text) => {
    scan(slices, text, OPEN, /<keystrokes(?: [^>]{0,190})?>/y, (start, from) => {
      const stop = text.indexOf(CLOSE, start)
      if (stop === -1) return text.length
      const end = stop + CLOSE.length
      const meaning = meaningOf(toolsOf('terminus')[COMMAND], 'keystrokes', openCall(COMMAND), null)
      slices.marked({ start, from, to: stop, end }, { name: `${COMMAND}.keystrokes`, ...meaning })
      return end
    })
    const done = text.lastIndexOf(DONE)
    if (done === -1 || done < slices.at) return
    slices.say(done)
    slices.piece(done, done + DONE.length, completion())
  },
)

export const isTerminus = (agent: string | null): boolean => agent?.startsWith('terminus-2') === true

const REJECTED = 'Previous response had parsing errors'
const CONFIRM =
  "Are you sure you want to mark the task as complete? This will trigger your solution to be graded and you won't be " +
  'able to make any further corrections. If so, include '
const CONFIRM_TAILS = [
  '"task_complete": true in your JSON response again.',
  '<task_complete>true</task_complete> again.',
] as const
const SCREENS = ['Current terminal state:', 'Current Terminal Screen:', 'New Terminal Output:'] as const

/** Tells whether an observation holds only texts of the harness. The match is exact on purpose: a terminal may show texts that imitate these. */
export function isScaffold(text: string): boolean {
  if (text.startsWith(REJECTED)) return !SCREENS.some((screen) => text.includes(screen))
  const confirm = text.indexOf(CONFIRM)
  if (confirm === -1) return false
  const tail = text.slice(confirm + CONFIRM.length).trimEnd()
  if (!CONFIRM_TAILS.some((ending) => ending === tail)) return false
  let head = text.slice(0, confirm)
  for (const screen of SCREENS) head = head.replace(screen, '')
  return head.trim() === ''
}

/** Recognizes the harness's notice that it could not parse the reply and ran no part of it. */
export const isRejection = (text: string): boolean => text.startsWith(REJECTED)

/** Reads a reply in raw mode: JSON or XML without tool calls, whose commands are the acts. False for any other message, which is speech. */
export function readRawReply(reading: Reading, parts: Part[], message: string, path: string, isAnswered: boolean) {
  const slices = TERMINUS_JSON.split(message, null) ?? TERMINUS_XML.split(message, null)
  for (const { act } of isAnswered ? (slices ?? []) : []) if (act) (act.call as OpenCall).outcome = 'answered'
  const unread = 'looks like an answer with commands, but is no JSON object; its commands are shown as speech'
  if (slices !== null) addSlices(reading, parts, { text: message, path }, slices)
  else if (message.includes('"commands"')) reading.unread(path, unread, true)
  return slices !== null
}
