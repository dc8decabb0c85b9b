import type { Part } from '../../domain/trajectory/trajectory.ts'
import { decodeObject } from '../common/json-tree.ts'
import { isRecord, type Reading } from '../common/reading.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { Located, textsOf } from '../traces/located.ts'
import { protocolOf, readTextBlocks, scan } from './blocks.ts'

const COMMAND = 'bash_command'
const COMPLETE = 'mark_task_complete'

/** The protocol of terminus-1 and terminus-2: JSON with `commands` of `keystrokes`. Source: terminal-bench, terminal_bench/agents/terminus_1.py. */
export const TERMINUS_JSON = protocolOf(
  { name: 'terminus JSON', harness: 'terminus', announced: ['"keystrokes"'], needsAnswer: false },
  (blocks, text) => {
    const [start, end] = [text.indexOf('{'), text.lastIndexOf('}') + 1]
    const reply = start !== -1 && text.includes('"commands"') ? decodeObject(text.slice(start, end)) : null
    const commands = reply?.['commands']
    const isCommand = (command: unknown): boolean => isRecord(command) && 'keystrokes' in command
    if (reply === null || !Array.isArray(commands) || (commands.length > 0 && !commands.some(isCommand))) return
    const json = blocks.json(start, end, reply)
    blocks.say(start)
    for (const name of Object.keys(reply))
      if (!UNSPOKEN.has(name)) blocks.list.push(...textsOf(json.member(name), name))
    // An odd command leaves the others their acts, and may itself be an act.
    for (const command of json.member('commands').items())
      blocks.call(isCommand(command.value) ? COMMAND : 'tool_call', command, end, blocks.range(start, end))
    const done = new Located('true', json.member('task_complete').path)
    if (reply['task_complete'] === true) blocks.call(COMPLETE, null, end, done)
    blocks.skip(end)
  },
)

const UNSPOKEN: ReadonlySet<string> = new Set(['commands', 'task_complete', 'is_task_complete'])

const OPEN = '<keystrokes'
const CLOSE = '</keystrokes>'
const DONE = '<task_complete>true</task_complete>'

/**
 * The protocol of `<commands><keystrokes duration="1.0">…</keystrokes></commands>`. Source: harbor,
 * src/harbor/agents/terminus_2/terminus_xml_plain_parser.py.
 */
export const TERMINUS_XML = protocolOf(
  { name: 'terminus XML', harness: 'terminus', announced: ['<keystrokes'], needsAnswer: false },
  (blocks, text) => {
    scan(blocks, text, OPEN, /<keystrokes(?: [^>]{0,190})?>/y, (start, from) => {
      const stop = text.indexOf(CLOSE, start)
      if (stop === -1) return text.length
      blocks.say(start)
      const end = stop + CLOSE.length
      blocks.call(COMMAND, { keystrokes: blocks.range(from, stop) }, end, blocks.range(start, end))
      return end
    })
    const done = text.lastIndexOf(DONE)
    if (done === -1 || done < blocks.at) return
    blocks.say(done)
    blocks.call(COMPLETE, null, done + DONE.length, blocks.range(done, done + DONE.length))
  },
)

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
export function readRawReply(reading: Reading, parts: Part[], message: string, path: string): boolean {
  const blocks = TERMINUS_JSON.split({ text: message, path }) ?? TERMINUS_XML.split({ text: message, path })
  const unread = 'looks like an answer with commands, but is no JSON object; its commands are shown as speech'
  if (blocks !== null) readTextBlocks(new ChatSink(reading, 'terminus'), parts, blocks, path)
  else if (message.includes('"commands"')) reading.unread(path, unread, true)
  return blocks !== null
}
