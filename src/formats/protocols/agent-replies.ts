import { lineEnd } from '../../domain/text/search.ts'
import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { cutName, isRecord, type Json } from '../common/reading.ts'
import { specOf } from '../tools/lookup.ts'
import { type OpenCall, openCall, type ToolSpec } from '../tools/tool-table.ts'
import { linesOf, Slices, type TextActs } from './slices.ts'

/** The members that name a tool and hold its arguments. */
const MEMBERS = [
  ...(['action_input', 'args', 'arguments', 'parameters'] as const).map((input) => ['action', input] as const),
  ...(['tool_input', 'args', 'arguments', 'parameters'] as const).map((input) => ['tool', input] as const),
  ...(['arguments', 'parameters', 'args', 'input'] as const).map((input) => ['name', input] as const),
] as const
const NAMES = ['"action"', '"tool"', '"name"'] as const
/** LangChain's action for the end of a run, which is no tool. */
const ANSWER = 'final answer'

/**
 * The protocol of a JSON call, alone or in a fence: `{"action", "action_input"}` (langchain-ai/langchain, agents/structured_chat),
 * `{"thought", "action", "args"}` (OpenHands' first agents), `{"thoughts", "command": {"name", "args"}}` (Significant-Gravitas/AutoGPT),
 * `{"name", "parameters"}` (Llama's and Mistral's templates).
 */
export const JSON_ACTIONS: TextActs = {
  name: 'JSON actions',
  harness: null,
  announced: ['"action_input"', '"tool_input"'],
  needsAnswer: true,
  split(text, agent) {
    const start = Math.max(0, text.indexOf('{'))
    const end = text.lastIndexOf('}') + 1
    const reply = NAMES.some((name) => text.includes(name)) ? decodeObject(text.slice(start, end)) : null
    const call = reply === null ? null : callIn(reply)
    if (reply === null || call === null) return null
    const slices = new Slices(text)
    slices.say(start)
    for (const [key, value] of Object.entries(reply))
      if (!call.keys.includes(key)) slices.speech(start, end, leavesOf({ [key]: value }))
    const open = openCall(cutName(call.tool))
    const leaves = leavesOf(call.args, call.pointer)
    const spec = specOf(agent, call.tool)
    if (leaves.length === 0) slices.bare(start, end, open, spec)
    else slices.json(start, end, leaves, { call: open, spec, args: call.args })
    return slices.finish()
  },
}

interface NamedCall {
  readonly tool: string
  readonly args: unknown
  readonly pointer: string
  /** The members of the reply that the call uses. */
  readonly keys: readonly string[]
}

function callIn(reply: Json): NamedCall | null {
  const { command } = reply
  const inner = isRecord(command) ? callOf(command, '/command') : null
  return inner === null ? callOf(reply, '') : { ...inner, keys: ['command'] }
}

function callOf(reply: Json, path: string): NamedCall | null {
  const members = MEMBERS.find(([name, input]) => typeof reply[name] === 'string' && Object.hasOwn(reply, input))
  if (members === undefined) return null
  const [name, input] = members
  const tool = String(reply[name])
  if (tool === '' || tool.toLowerCase() === ANSWER) return null
  return { tool, args: reply[input], pointer: `${path}/${input}`, keys: members }
}

const MAX_HEAD = 200

/**
 * The ReAct protocol: `Action: tool` and `Action Input: …`, each at the beginning of a line. The input ends at the next such head, which
 * excludes an observation that the model invented. Sources: ysymyth/ReAct; langchain-ai/langchain,
 * agents/output_parsers/react_single_input.py.
 */
export const REACT: TextActs = {
  name: 'ReAct',
  harness: null,
  announced: ['Action Input:'],
  needsAnswer: true,
  split(text, agent) {
    const slices = new Slices(text)
    const heads = [...linesOf(text)].flatMap((start) => headAt(text, start) ?? [])
    for (const [index, head] of heads.entries()) {
      const next = heads[index + 1]
      if (slices.isFull) break
      if (head.kind !== 'action') continue
      const tool = text.slice(head.from, lineEnd(text, head.from)).trim()
      if (tool === '' || tool.length > MAX_HEAD) continue
      slices.say(head.start)
      const hasInput = next?.kind === 'input'
      const end = hasInput ? (heads[index + 2]?.start ?? text.length) : lineEnd(text, head.from)
      const call = addCall(slices, text, tool, specOf(agent, tool), [head.start, hasInput ? next.from : end, end])
      // Arguments of another form.
      if (!hasInput) slices.stray(next?.start ?? text.length, call)
    }
    return slices.finish()
  },
}

const HEADS = [
  ['action input:', 'input'],
  ['action:', 'action'],
  ['observation:', 'other'],
  ['thought:', 'other'],
  ['final answer:', 'other'],
] as const

/** Returns the head at the beginning of a line, and the start of the text behind it; null for other lines. */
function headAt(text: string, start: number) {
  const line = text.slice(start, start + 40).toLowerCase()
  const head = HEADS.find(([words]) => line.startsWith(words))
  return head === undefined ? null : { kind: head[1], start, from: start + head[0].length }
}

/** Adds a call with its input. `from`: the start of the input. */
function addCall(
  slices: Slices,
  text: string,
  tool: string,
  spec: ToolSpec | undefined,
  [start, from, end]: readonly [number, number, number],
): OpenCall {
  const call = openCall(tool)
  const raw = text.slice(from, end)
  const begin = from + (raw.length - raw.trimStart().length)
  const stop = begin + raw.trim().length
  if (stop <= begin) {
    slices.bare(start, end, call, spec)
    return call
  }
  const args = text[stop - 1] === '}' ? decodeObject(text.slice(begin, stop)) : null
  slices.skip(begin)
  if (args === null || Object.keys(args).length === 0) slices.argument(begin, stop, { call, spec, argument: '', args })
  else slices.json(begin, stop, leavesOf(args), { call, spec, args })
  slices.skip(end)
  return call
}
