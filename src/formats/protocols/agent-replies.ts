import { lineEnd } from '../../domain/text/search.ts'
import { decodeObject } from '../common/json-tree.ts'
import { isRecord } from '../common/reading.ts'
import { toolsOf } from '../tools/harnesses.ts'
import { named, own } from '../tools/tool-table.ts'
import { type Located, textsOf } from '../traces/located.ts'
import { protocolOf, type TextBlocks } from './blocks.ts'

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
  (blocks, text) => {
    const [start, end] = [Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1]
    const reply = NAMES.some((name) => text.includes(`"${name}"`)) ? decodeObject(text.slice(start, end)) : null
    if (reply === null) return
    const json = blocks.json(start, end, reply)
    const [inner, outer] = [callIn(json.member('command')), callIn(json)]
    const call = inner ?? outer
    if (call === null) return
    const used = inner === null ? call.keys : ['command']
    blocks.say(start)
    for (const key of Object.keys(reply)) if (!used.includes(key)) blocks.list.push(...textsOf(json.member(key), key))
    blocks.call(call.name, call.input, end, blocks.range(start, end))
  },
)

/** Returns the call of a reply, and the members that the call uses; null without a call. */
function callIn(reply: Located) {
  const record = isRecord(reply.value) ? reply.value : {}
  const name = NAMES.find((member) => typeof record[member] === 'string')
  const input = INPUTS.find((member) => Object.hasOwn(record, member))
  const tool = name === undefined ? '' : String(record[name])
  if (name === undefined || input === undefined || tool === '' || tool.toLowerCase() === ANSWER) return null
  return { name: reply.member(name), input: reply.member(input), keys: [name, input] as readonly string[] }
}

const MAX_HEAD = 200

/**
 * The ReAct protocol: `Action: tool` and `Action Input: …`, each at the beginning of a line. The input ends at the next such head, which
 * excludes an observation that the model invented. Sources: ysymyth/ReAct; langchain-ai/langchain,
 * agents/output_parsers/react_single_input.py.
 */
export const REACT = protocolOf(
  { name: 'ReAct', harness: null, announced: ['Action Input:'], needsAnswer: true },
  (blocks, text) => {
    const heads = headsIn(text)
    for (const [index, head] of heads.entries()) {
      const next = heads[index + 1]
      if (blocks.isFull) break
      if (head.kind !== 'action') continue
      const name = trimmed(blocks, text, head.from, lineEnd(text, head.from))
      const tool = String(name.value)
      if (tool === '' || tool.length > MAX_HEAD) continue
      blocks.say(head.start)
      const hasInput = next?.kind === 'action input'
      const end = hasInput ? (heads[index + 2]?.start ?? text.length) : lineEnd(text, head.from)
      const words = blocks.range(head.start, end)
      blocks.call(name, hasInput ? trimmed(blocks, text, next.from, end) : null, end, words)
      // Arguments of another form.
      if (!hasInput) blocks.stray(next?.start ?? text.length)
    }
  },
)

/** Returns a range without the blanks around its text. */
function trimmed(blocks: TextBlocks, text: string, from: number, end: number): Located {
  const raw = text.slice(from, end)
  const start = from + (raw.length - raw.trimStart().length)
  return blocks.range(start, Math.max(start, start + raw.trim().length))
}

const HEADS = /^(action input|action|observation|thought|final answer):/gim

/** Lists the heads at the beginnings of lines, with the start of the text behind each. */
const headsIn = (text: string) =>
  [...text.matchAll(HEADS)].map(({ index, 0: head, 1: kind = '' }) => ({
    ...{ kind: kind.toLowerCase(), start: index, from: index + head.length },
  }))

/** The tool by which a harness runs a fenced block, by the fence's name. */
const FENCES: Readonly<Record<string, string>> = {
  ...named('bash', 'bash sh shell mswea_bash_command bash_command zsh'),
  ...named('python', 'python py python3 ipython'),
}

/** A block in a fence; `from` and `to`: the range between the fence lines. */
type Fence = Readonly<Record<'start' | 'from' | 'to' | 'end', number>> & { readonly name: string }

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

export function addFence(blocks: TextBlocks, { start, from, to, end }: Fence, tool: string): void {
  blocks.say(start)
  if (to > from) blocks.call(tool, blocks.range(from, to), end, blocks.range(start, end))
  else blocks.skip(end)
}

/** The protocol of a fenced block that a harness runs (SWE-agent/mini-swe-agent, xingyaoww/code-act); people show commands in this form, too. */
export const FENCED = protocolOf(
  { name: 'fenced blocks', harness: null, announced: [], needsAnswer: true },
  (blocks, text) => {
    for (const fence of fencesIn(text)) {
      if (blocks.isFull) break
      const tool = own(FENCES, fence.name.toLowerCase())
      if (tool !== undefined) addFence(blocks, fence, tool)
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
  (blocks, text) => {
    const last = [...fencesIn(text)].at(-1)
    if (last?.name !== '') return
    const word = text.slice(last.from, last.to).trim().split(/\s/u, 1)[0] ?? ''
    addFence(blocks, last, Object.hasOwn(toolsOf('swe-agent'), word) ? word : 'bash')
  },
)
