import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { cutName, isRecord, type Json } from '../common/reading.ts'
import { specOf } from '../tools/lookup.ts'
import { openCall } from '../tools/tool-table.ts'
import { Slices, type TextActs } from './slices.ts'

/** The members that name a tool and hold what it is given. */
const MEMBERS = [
  ...(['action_input', 'args', 'arguments', 'parameters'] as const).map((input) => ['action', input] as const),
  ...(['tool_input', 'args', 'arguments', 'parameters'] as const).map((input) => ['tool', input] as const),
  ...(['arguments', 'parameters', 'args', 'input'] as const).map((input) => ['name', input] as const),
] as const
const NAMES = ['"action"', '"tool"', '"name"'] as const
/** What LangChain calls the end of a run: no tool. */
const ANSWER = 'final answer'

/**
 * A call that is JSON, alone or in a fence: `{"action", "action_input"}` (langchain-ai/langchain, agents/structured_chat),
 * `{"thought", "action", "args"}` (OpenHands' first agents), `{"thoughts", "command": {"name", "args"}}`
 * (Significant-Gravitas/AutoGPT), `{"name", "parameters"}` (Llama's and Mistral's templates).
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
  /** The members of the reply that it takes. */
  readonly keys: readonly string[]
}

function callIn(reply: Json): NamedCall | null {
  const { command } = reply
  const inner = isRecord(command) ? callOf(command, '/command') : null
  return inner === null ? callOf(reply, '') : { ...inner, keys: ['command'] }
}

function callOf(reply: Json, path: string): NamedCall | null {
  const found = MEMBERS.find(([name, input]) => typeof reply[name] === 'string' && Object.hasOwn(reply, input))
  if (found === undefined) return null
  const [name, input] = found
  const tool = String(reply[name])
  if (tool === '' || tool.toLowerCase() === ANSWER) return null
  return { tool, args: reply[input], pointer: `${path}/${input}`, keys: found }
}
