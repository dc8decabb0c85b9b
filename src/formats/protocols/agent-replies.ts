import { parseScript } from '../../domain/shell/script.ts'
import { lineEnd } from '../../domain/text/search.ts'
import type { Act, Part } from '../../domain/trajectory/trajectory.ts'
import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { cutName, isRecord, type Json, type Reading } from '../common/reading.ts'
import { isEmpty } from '../common/session.ts'
import { addSlices } from '../openai-chat/openai-chat-sink.ts'
import { matchWords, soundsTimedOut } from '../tools/outcomes.ts'
import { meaningOfKind, named, type OpenCall, openCall, own, specOf, toolsOf } from '../tools/tool-table.ts'
import { type MadeCall, type Marked, protocolOf, type Slices, scan, TAG_PROTOCOLS } from './tags.ts'

const NAMES = ['action', 'tool', 'name'] as const
const INPUTS = ['action_input', 'tool_input', 'args', 'arguments', 'parameters', 'input'] as const
const ANSWER = 'final answer'

/** A JSON call, alone or in a fence, of LangChain’s structured chat, OpenHands’ first agents, AutoGPT, Llama’s and Mistral’s templates. */
const JSON_ACTIONS = protocolOf(
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

/** ReAct (ysymyth/ReAct; langchain, react_single_input.py): an input ends at the next head, before an invented observation. */
const REACT = protocolOf(
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

const headsIn = (text: string) =>
  [...text.matchAll(HEADS)].map(({ index, 0: head, 1: kind = '' }) => ({
    ...{ kind: kind.toLowerCase(), start: index, from: index + head.length },
  }))

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

/** Languages of fenced blocks that harnesses run, by the fence's name. */
const FENCES: Readonly<Record<string, 'shell' | 'code'>> = {
  ...named('shell', 'bash sh shell mswea_bash_command bash_command zsh'),
  ...named('code', 'python py python3 ipython'),
}

/** A block in a fence; `from` and `to`: the range between the fence lines. */
type Fence = Marked & { readonly name: string }

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
const FENCED = protocolOf(
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

/** SWE-agent's replies, if its prompt announces them, because programs print such blocks, too (sweagent/tools/parsing.py). */
const DISCUSSED = protocolOf(
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

const COMMAND = 'bash_command'
const COMPLETE = 'mark_task_complete'

/** The protocol of terminus-1 and terminus-2: JSON with `commands` of `keystrokes`. Source: terminal-bench, terminal_bench/agents/terminus_1.py. */
const TERMINUS_JSON = protocolOf(
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
      const { call, spec } = typed(COMMAND)
      slices.json(start, end, inCommands, { call, spec: isCommand(args) ? spec : undefined, args })
    }
    if (isDone === true)
      slices.bare(start, end, typed(COMPLETE), { inner: { pointer: '/task_complete', text: 'true' } })
    slices.skip(end)
  },
)

const typed = (tool: string): MadeCall => ({ call: openCall(tool), spec: toolsOf('terminus')[tool] })

const CLOSE = '</keystrokes>'
const DONE = '<task_complete>true</task_complete>'

/** `<commands><keystrokes duration="1.0">…</keystrokes></commands>`. Source: harbor, agents/terminus_2/terminus_xml_plain_parser.py. */
const TERMINUS_XML = protocolOf(
  { name: 'terminus XML', harness: 'terminus', announced: ['<keystrokes'], needsAnswer: false },
  (slices, text) => {
    scan(slices, text, '<keystrokes', /<keystrokes(?: [^>]{0,190})?>/y, (start, from) => {
      const stop = text.indexOf(CLOSE, start)
      if (stop === -1) return text.length
      const end = stop + CLOSE.length
      slices.say(start)
      slices.skip(from)
      slices.argument(from, stop, typed(COMMAND), 'keystrokes')
      slices.skip(end)
      return end
    })
    const done = text.lastIndexOf(DONE)
    if (done === -1 || done < slices.at) return
    slices.say(done)
    slices.bare(done, done + DONE.length, typed(COMPLETE))
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

/** Recognizes the harness's notice that no part of an unparsable reply ran. */
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

/** Argument kinds of SWE-agent's own tools (tools/<bundle>/config.yaml), by the first word of an action; the form of an `edit` decides its kind. */
const WORDS: Readonly<Record<string, ActionKind[0]>> = {
  ...{ open: 'reads', goto: 'reads', scroll_up: 'reads', scroll_down: 'reads', filemap: 'reads', view_image: 'reads' },
  ...{ search_dir: 'searches', search_file: 'searches', find_file: 'searches' },
  ...{ create: 'writes', insert: 'writes', append: 'writes' },
}
/** Shell syntax that may begin a second command on the line. */
const OPERATORS = [';', '&', '|', '<', '>', '`', '$(', '\n'] as const
const MAX_WORD = 40
/** The beginning of a result after `bash -n` rejected the command. */
const SWE_NOT_PARSED = 'Your bash command contained syntax errors and was NOT executed.'

/** Reads an action, a shell line whose first word may be a tool of the harness; its outcome is read from the observation. */
export function sweActOf(action: string, observation: string): Act | null {
  const text = action.trim()
  const head = text.slice(0, MAX_WORD)
  const word = head.split(/[\s]/, 1)[0] ?? ''
  const call = openCall(word === '' ? 'action' : word)
  call.outcome = outcomeOfAction(text, word, observation)
  return meaningOfKind(...kindOf(text, word), call).act
}

type ActionKind = readonly [kind: Parameters<typeof meaningOfKind>[0], target: string | null]

function kindOf(text: string, word: string): ActionKind {
  const isOne = !OPERATORS.some((operator) => text.includes(operator))
  const words = isOne ? text.split(' ') : []
  if (word === 'edit') return [isRangeEdit(text) ? 'writes' : isOne || text.includes('\n') ? 'unknown' : 'shell', null]
  if (word === 'str_replace_editor') return editorKind(text)
  const kind = isOne ? own(WORDS, word) : undefined
  const isFile = kind !== undefined && (word === 'open' || word === 'create')
  return [kind ?? 'shell', isFile ? (words[1] ?? null) : null]
}

/** Recognizes `edit 1:1`, new lines, `end_of_edit`. */
function isRangeEdit(text: string): boolean {
  const line = text.indexOf('\n')
  const range = text.slice('edit '.length, line === -1 ? 0 : line)
  return range !== '' && [...range.slice(0, MAX_WORD)].every((char) => '0123456789: '.includes(char))
}

/** Returns the kind of an editor call on a shell line, by its command; the two sides of a replacement are not told apart. */
function editorKind(text: string): ActionKind {
  const [, command = '', path = null] = text.slice(0, 1000).split(/\s+/, 3)
  if (command === 'view') return [OPERATORS.some((operator) => text.includes(operator)) ? 'shell' : 'reads', path]
  return [command === 'create' || command === 'insert' ? 'writes' : 'unknown', path]
}

/** Derives the outcome. A rejection is certain only where no program ran: no shell parses the action, or it is an editor's. */
function outcomeOfAction(action: string, word: string, observation: string): Act['call']['outcome'] {
  const outcome =
    matchWords('swe-agent', observation)?.outcome ?? (soundsTimedOut(observation) ? 'interrupted' : 'answered')
  if (outcome !== 'rejected') return outcome
  if (observation.startsWith(SWE_NOT_PARSED)) return isBroken(action) ? 'rejected' : 'interrupted'
  if (EDITORS.has(word)) return isSingleEditorCall(action) ? 'rejected' : 'interrupted'
  return observation.startsWith(`Operation '${action}' is not supported`) ? 'interrupted' : 'answered'
}

const isSingleEditorCall = (action: string): boolean =>
  isRangeEdit(action) || !OPERATORS.some((operator) => action.includes(operator))

const EDITORS: ReadonlySet<string> = new Set(['edit', 'insert', 'append'])

const isBroken = (action: string): boolean => (parseScript(action)?.errors?.length ?? 0) > 0

/** The protocols in the order in which they are tried: the most distinctive marks first. */
export const PROTOCOLS = [
  TERMINUS_XML,
  TERMINUS_JSON,
  ...TAG_PROTOCOLS,
  REACT,
  JSON_ACTIONS,
  FENCED,
  DISCUSSED,
] as const
