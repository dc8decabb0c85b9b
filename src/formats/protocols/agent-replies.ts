import { lineEnd } from '../../domain/text/search.ts'
import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { cutName, isRecord, type Json } from '../common/reading.ts'
import { isEmpty } from '../common/session.ts'
import { sweActOf } from '../swe-agent/swe-agent-act.ts'
import { meaningOfKind, named, openCall, own, specOf } from '../tools/tool-table.ts'
import { type MadeCall, type Marked, protocolOf, type Slices } from './slices.ts'

/** The members that name a tool, and those that hold its arguments. */
const NAMES = ['action', 'tool', 'name'] as const
const INPUTS = ['action_input', 'tool_input', 'args', 'arguments', 'parameters', 'input'] as const
/** LangChain's action for the end of a run, which is no tool. */
const ANSWER = 'final answer'

/**
 * The protocol of a JSON call, alone or in a fence: `{"action", "action_input"}` (langchain-ai/langchain, agents/structured_chat),
 * `{"thought", "action", "args"}` (OpenHands' first agents), `{"thoughts", "command": {"name", "args"}}` (Significant-Gravitas/AutoGPT),
 * `{"name", "parameters"}` (Llama's and Mistral's templates).
 */
export const JSON_ACTIONS = protocolOf(
  { name: 'JSON actions', harness: null, announced: ['"action_input"', '"tool_input"'], needsAnswer: true },
  (slices, text, agent) => {
    const [start, end] = [Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1]
    const reply = NAMES.some((name) => text.includes(`"${name}"`)) ? decodeObject(text.slice(start, end)) : null
    const made = reply === null ? null : callIn(reply)
    if (reply === null || made === null) return
    slices.say(start)
    slices.speech(start, end, Object.fromEntries(Object.entries(reply).filter(([key]) => !made.keys.includes(key))))
    const of = { call: openCall(cutName(made.tool)), spec: specOf(agent, made.tool), args: made.args }
    slices.json(start, end, leavesOf(made.args, made.pointer), of)
  },
)

/** Returns the call of a reply, and the members of the reply that the call uses. */
function callIn(reply: Json) {
  const { command } = reply
  const inner = isRecord(command) ? callOf(command, '/command') : null
  return inner === null ? callOf(reply, '') : { ...inner, keys: ['command'] }
}

function callOf(reply: Json, path: string) {
  const name = NAMES.find((member) => typeof reply[member] === 'string')
  const input = INPUTS.find((member) => Object.hasOwn(reply, member))
  const tool = name === undefined ? '' : String(reply[name])
  if (name === undefined || input === undefined || tool === '' || tool.toLowerCase() === ANSWER) return null
  const keys: readonly string[] = [name, input]
  return { tool, args: reply[input], pointer: `${path}/${input}`, keys }
}

const MAX_HEAD = 200

/**
 * The ReAct protocol: `Action: tool` and `Action Input: …`, each at the beginning of a line. The input ends at the next such head, which
 * excludes an observation that the model invented. Sources: ysymyth/ReAct; langchain-ai/langchain,
 * agents/output_parsers/react_single_input.py.
 */
export const REACT = protocolOf(
  { name: 'ReAct', harness: null, announced: ['Action Input:'], needsAnswer: true },
  (slices, text, agent) => {
    const heads = headsIn(text)
    for (const [index, head] of heads.entries()) {
      const next = heads[index + 1]
      if (slices.isFull) break
      if (head.kind !== 'action') continue
      const tool = text.slice(head.from, lineEnd(text, head.from)).trim()
      if (tool === '' || tool.length > MAX_HEAD) continue
      slices.say(head.start)
      const hasInput = next?.kind === 'action input'
      const end = hasInput ? (heads[index + 2]?.start ?? text.length) : lineEnd(text, head.from)
      const call = openCall(tool)
      addInput(slices, text, { call, spec: specOf(agent, tool) }, head.start, hasInput ? next.from : end, end)
      // Arguments of another form.
      if (!hasInput) slices.stray(next?.start ?? text.length, call)
    }
  },
)

const HEADS = /^(action input|action|observation|thought|final answer):/gim

/** Lists the heads at the beginnings of lines, with the start of the text behind each. */
const headsIn = (text: string) =>
  [...text.matchAll(HEADS)].map(({ index, 0: head, 1: kind = '' }) => ({
    ...{ kind: kind.toLowerCase(), start: index, from: index + head.length },
  }))

/** Adds a call whose input begins at `from`. */
function addInput(slices: Slices, text: string, of: MadeCall, start: number, from: number, end: number): void {
  const raw = text.slice(from, end)
  const begin = from + (raw.length - raw.trimStart().length)
  const stop = begin + raw.trim().length
  const args = text[stop - 1] === '}' ? decodeObject(text.slice(begin, stop)) : null
  if (stop > begin) slices.skip(begin)
  if (stop <= begin) slices.bare(start, end, of)
  else if (args === null || isEmpty(args)) slices.argument(begin, stop, { ...of, args })
  else slices.json(begin, stop, leavesOf(args), { ...of, args })
  slices.skip(end)
}

/** The language in which a harness runs a fenced block, by the fence's name. */
const FENCES: Readonly<Record<string, 'shell' | 'code'>> = {
  ...named('shell', 'bash sh shell mswea_bash_command bash_command zsh'),
  ...named('code', 'python py python3 ipython'),
}

/** A block in a fence; `from` and `to`: the range between the fence lines. */
type Fence = Marked & { readonly name: string }

/** Yields the closed fenced blocks of a text. */
export function* fencesIn(text: string): Generator<Fence> {
  let open: Pick<Fence, 'name' | 'start' | 'from'> | null = null
  for (const { index: start, 1: rest = '' } of text.matchAll(/^```([^\n]*)/gm)) {
    const end = start + 3 + rest.length
    if (open !== null) yield { ...open, to: start, end }
    const name = rest.slice(0, 37).trim()
    open = open === null ? { start, from: Math.min(text.length, end + 1), name } : null
  }
}

/** The protocol of a fenced block that a harness runs (SWE-agent/mini-swe-agent, xingyaoww/code-act); people show commands in this form, too. */
export const FENCED = protocolOf(
  { name: 'fenced blocks', harness: null, announced: [], needsAnswer: true },
  (slices, text) => {
    for (const fence of fencesIn(text)) {
      if (slices.isFull) break
      const kind = own(FENCES, fence.name.toLowerCase())
      const name = kind === 'shell' ? 'bash' : 'python'
      if (kind !== undefined) slices.marked(fence, { name, ...meaningOfKind(kind, null, openCall(fence.name)) })
    }
  },
)

/**
 * The protocol of SWE-agent's replies: a discussion, then a command in the last block, which has no name. The prompt must announce it: a
 * program's output is shown in this form, too. Source: SWE-agent/SWE-agent, sweagent/tools/parsing.py.
 */
export const DISCUSSED = protocolOf(
  {
    ...{ name: 'discussion and command', harness: 'swe-agent', needsAnswer: true, needsPrompt: true },
    announced: ['two fields; discussion and command'],
  },
  (slices, text) => {
    const last = [...fencesIn(text)].at(-1)
    if (last === undefined || last.name !== '') return
    const act = sweActOf(text.slice(last.from, last.to), '')
    slices.marked(last, { name: 'action', actor: 'agent_action', act })
  },
)
