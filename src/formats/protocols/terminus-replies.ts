import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { isRecord } from '../common/reading.ts'
import { TERMINUS_TOOLS } from '../tools/other-harnesses.ts'
import { meaningOf, meaningOfName, openCall } from '../tools/tool-table.ts'
import { Slices, type TextActs } from './slices.ts'

const COMMAND = 'bash_command'

/** An answer of terminus-1 or terminus-2: JSON with `commands` of `keystrokes`. Source: terminal-bench, terminal_bench/agents/terminus_1.py. */
export const TERMINUS_JSON: TextActs = {
  name: 'terminus JSON',
  harness: 'terminus',
  announced: ['"keystrokes"'],
  needsAnswer: false,
  split(text) {
    const start = text.indexOf('{')
    const end = text.lastIndexOf('}') + 1
    if (start === -1 || !text.includes('"commands"')) return null
    const reply = decodeObject(text.slice(start, end))
    const commands = reply?.['commands']
    if (reply === null || !Array.isArray(commands) || !commands.every((one) => isRecord(one) && 'keystrokes' in one))
      return null
    const slices = new Slices(text)
    slices.say(start)
    for (const [key, value] of Object.entries(reply))
      if (key !== 'commands' && key !== 'task_complete' && key !== 'is_task_complete')
        slices.speech(start, end, leavesOf({ [key]: value }))
    for (const [index, args] of commands.entries()) {
      const [call, spec] = [openCall(COMMAND), TERMINUS_TOOLS[COMMAND]]
      for (const leaf of leavesOf(args)) {
        const inner = { pointer: `/commands/${index}${leaf.pointer}`, text: leaf.text }
        slices.list.push({
          start,
          end,
          inner,
          name: `${COMMAND}.${leaf.name}`,
          ...meaningOf(spec, leaf.name, call, args),
        })
      }
    }
    slices.skip(end)
    return slices.finish()
  },
}

const OPEN = '<keystrokes'
const CLOSE = '</keystrokes>'
const MAX_TAG = 200
const TAG_ENDS: ReadonlySet<string> = new Set(['>', ' '])

/** `<commands><keystrokes duration="1.0">…</keystrokes></commands>`. Source: harbor, src/harbor/agents/terminus_2/terminus_xml_plain_parser.py. */
export const TERMINUS_XML: TextActs = {
  name: 'terminus XML',
  harness: 'terminus',
  announced: ['<keystrokes'],
  needsAnswer: false,
  split(text) {
    const slices = new Slices(text)
    for (let start = text.indexOf(OPEN); start !== -1 && !slices.isFull; ) {
      const head = text.slice(start, start + MAX_TAG).indexOf('>')
      const isTag = head !== -1 && TAG_ENDS.has(text.charAt(start + OPEN.length))
      const stop = isTag ? text.indexOf(CLOSE, start) : start
      if (stop === -1) break
      if (isTag) {
        const from = start + head + 1
        slices.say(start)
        const piece = { call: openCall(COMMAND), spec: TERMINUS_TOOLS[COMMAND], argument: 'keystrokes', args: null }
        slices.skip(from)
        slices.argument(from, stop, piece)
        slices.skip(stop + CLOSE.length)
      }
      start = text.indexOf(OPEN, isTag ? stop + CLOSE.length : start + OPEN.length)
    }
    completion(slices, text)
    return slices.finish()
  },
}

const DONE = '<task_complete>true</task_complete>'

function completion(slices: Slices, text: string): void {
  const at = text.lastIndexOf(DONE)
  if (at === -1 || at < slices.at) return
  slices.say(at)
  const call = openCall('mark_task_complete')
  slices.piece(at, at + DONE.length, { name: call.tool, ...meaningOfName(TERMINUS_TOOLS[call.tool], call) })
}
