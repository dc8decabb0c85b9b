import { pushTo } from '../../domain/result.ts'
import type { Part, Step } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { textOf, textsIn } from '../common/content.ts'
import { decodeObject } from '../common/json-tree.ts'
import { cutName, isAbsent, isRecord, type Json, objectsIn, pointer, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type ReadDocument } from '../format.ts'
import { readTurns } from '../openai-chat/chat-steps.ts'
import { isChat } from '../openai-chat/openai-chat.ts'
import { readThoughts, roleOf, speaksAsAgent } from '../openai-chat/openai-chat-message.ts'
import { ChatSink, outcomeOfMessage, readBlocks } from '../openai-chat/openai-chat-sink.ts'
import { fencesIn, sweActOf } from '../protocols/agent-replies.ts'
import { type OpenCall, own } from '../tools/tool-table.ts'
import { Located, placeMessage, type Tree, type TreeRecord } from '../traces/located.ts'

/** The format of SWE-agent's `.traj`: `trajectory` holds the steps, `history` the prompt and the messages in between. */
export const SWE_AGENT: Format = {
  name: 'swe-agent',
  recognizes({ trajectory, history, info, trajectory_format: other }) {
    if (!Array.isArray(trajectory) || other !== undefined) return false
    if (trajectory.length === 0) return Array.isArray(history) && isRecord(info)
    const others = ['observation', 'thought', 'response']
    return trajectory.map(asRecord).some((step) => 'action' in step && others.some((name) => name in step))
  },
  read: readSweAgent,
  split: splitSweRun,
}

function readSweAgent(reading: Reading, document: Json): ReadDocument {
  const list = asList(document['trajectory'])
  const sink = new ChatSink(reading, 'swe-agent', true)
  const beside = readHistory(sink, document['history'], list)
  const acts = list.map((step, index) => readStep(sink, step, pointer('/trajectory', index)))
  const steps = [...(beside.get(-1) ?? []), ...acts.flatMap((parts, index) => [parts, ...(beside.get(index) ?? [])])]
  const agent = { name: 'swe-agent', model: sweModelOf(document) }
  const numbered = steps.map((parts, index): Step => ({ id: index + 1, name: null, at: null, copied: false, parts }))
  return { format: 'swe-agent', agent, steps: reading.takeSteps(steps.length, '/trajectory') ? numbered : [] }
}

/** Returns the model of a run's configuration, an object or (in newer files) JSON in a string. */
function sweModelOf({ replay_config: replay }: Json): string | null {
  const config = typeof replay === 'string' ? decodeObject(replay) : replay
  const model = asRecord(asRecord(asRecord(config)['agent'])['model'])
  return asName(model['name'] ?? model['model_name'])
}

function readStep(sink: ChatSink, step: unknown, path: string): Part[] {
  const parts: Part[] = []
  if (!isRecord(step)) {
    sink.reading.odd(path, 'an object', step)
    return parts
  }
  const text = (field: string): string => {
    const value = step[field] ?? ''
    if (typeof value !== 'string') sink.reading.odd(`${path}/${field}`, 'text', value)
    return typeof value === 'string' ? value : ''
  }
  const [thought, action, response] = [text('thought'), text('action'), text('response')]
  const isExit = isHarnessExit(thought, action)
  readThoughts(sink, step, path, parts)
  sink.text(parts, isExit ? 'system' : 'agent_reasoning', thought, `${path}/thought`, 'thought')
  if (!repeats(response, thought, action)) sink.text(parts, 'agent_message', response, `${path}/response`, 'response')
  const observation = text('observation')
  const shown = { text: action, path: `${path}/action`, name: 'action' }
  if (isExit) sink.reading.add(parts, { ...shown, actor: 'system' })
  else sink.reading.add(parts, { ...shown, actor: 'agent_action', act: sweActOf(action, observation) })
  sink.text(parts, 'tool_output', observation, `${path}/observation`, 'observation')
  return parts
}

/** Recognizes the last step of a run that the harness ended: a reason in place of a thought, and no action, or a code. */
const isHarnessExit = (thought: string, action: string): boolean =>
  thought.startsWith('Exit due to ') && (action === '' || EXIT_ACTIONS.has(action))

const EXIT_ACTIONS: ReadonlySet<string> = wordSet(`exit_cost exit_context exit_api exit_format exit_environment_error
  exit_error`)

/** Tells whether the response repeats the step: the thought and the action in a fence, or the thought alone beside a tool call. */
function repeats(response: string, thought: string, action: string): boolean {
  const rest = without(without(response, thought.trim()), action.trim())
  return rest.replaceAll('`', '').trim() === ''
}

function without(text: string, part: string): string {
  const at = part === '' ? -1 : placeIn(text, part)
  return at === -1 ? text : text.slice(0, at) + text.slice(at + part.length)
}

function splitSweRun(root: Json): readonly FileRun[] | null {
  const isMini = MINI_SWE_AGENT.recognizes(root)
  if (!isMini && !SWE_AGENT.recognizes(root)) return null
  const about = factsOf({
    agent: isMini ? 'mini-swe-agent' : 'swe-agent',
    model: isMini ? miniModelOf(root) : sweModelOf(root),
    task: asText(root['instance_id']),
    ended_by: asText(asRecord(root['info'])['exit_status']),
    instruction: asText(asRecord(asRecord(root['replay_config'])['problem_statement'])['text']),
  })
  return [{ name: '', document: { ...root }, about }]
}

/** Reads the messages that the trajectory lacks, by the step before them: the prompt (-1), and messages that do not repeat an observation. */
function readHistory(sink: ChatSink, history: unknown, trajectory: readonly unknown[]) {
  const beside = new Map<number, Part[][]>()
  if (isAbsent(history)) sink.reading.warn('/history', 'no history, so the prompt is not known')
  const acted = new Set(trajectory.map((step) => asText(asRecord(step)['action'])?.trim()))
  const lost: string[] = []
  let answers = 0
  for (const [message, path] of objectsIn(sink.reading, history, '/history')) {
    const last = Math.min(answers, trajectory.length) - 1
    if (message['role'] === 'assistant' && message['is_demo'] !== true) {
      answers++
      const action = asText(message['action'])?.trim()
      if (action !== undefined && !acted.has(action)) lost.push(path)
    } else if (last < 0 || !repeatsObservation(message, trajectory[last]))
      pushTo(beside, last, readMessage(sink, message, path))
  }
  const counts = `${answers} answers of the agent, and ${trajectory.length} steps in the trajectory; the steps are read`
  if (answers !== trajectory.length && Array.isArray(history)) {
    sink.reading.warn('/history', counts)
    for (const path of lost) sink.reading.countUnread(path, true)
  }
  return beside
}

const SPEAKERS: Readonly<Record<string, Actor>> = {
  ...{ user: 'user', system: 'system', assistant: 'system', tool: 'tool_output' },
}

function readMessage(sink: ChatSink, message: Json, path: string): Part[] {
  const parts: Part[] = []
  const { role } = message
  const demo = message['is_demo'] === true
  const known = own(SPEAKERS, role)
  const shown = typeof role === 'string' ? JSON.stringify(cutName(role)) : 'none'
  if (demo) sink.reading.warnOnce(path, 'a demonstration: part of the prompt, not of this run')
  else if (known === undefined) sink.reading.warn(`${path}/role`, `unknown role ${shown}; read as the agent`)
  const actor = demo ? 'system' : (known ?? 'agent_message')
  const name = demo ? 'demonstration' : 'message'
  readBlocks(sink, message['content'], `${path}/content`, { actor, name, parts, outputs: parts })
  return parts
}

function repeatsObservation(message: Json, step: unknown): boolean {
  if (message['is_demo'] === true) return false
  const { observation } = asRecord(step)
  const texts = textsIn(message['content'] ?? '')
  return typeof observation === 'string' && texts.some((text) => placeIn(text, observation.trim()) !== -1)
}

const HEAD = 200
const MAX_TRIES = 8

/** Finds a text in another; -1 after `MAX_TRIES` false matches of its head: a search for a whole long text can take quadratic time. */
function placeIn(text: string, part: string): number {
  const head = part.slice(0, HEAD)
  let at = text.indexOf(head)
  for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries++) {
    if (text.startsWith(part, at)) return at
    at = text.indexOf(head, at + 1)
  }
  return -1
}

const FENCES = ['mswea_bash_command', 'bash'] as const
const MARK = '```'

/** Beginnings of texts that the interactive agent writes in place of an output: a person's own, or the harness's. */
const SPEECH = [
  'The user added a new task',
  'Command not executed.',
  'Interrupted by user',
  'Temporary interruption caught.',
  'The user rejected',
] as const

/** The format of mini-swe-agent: a chat whose acts are one fenced block of bash, or (since 2.0) tool calls. */
export const MINI_SWE_AGENT: Format = {
  name: 'mini-swe-agent',
  recognizes(document) {
    const { trajectory_format: format } = document
    if (typeof format === 'string') return format.startsWith('mini-swe-agent')
    return holdsFences(document['messages'] ?? document['records'])
  },
  read: readMiniSweAgent,
}

/** Recognizes older files, which are bare messages, by a fence name that no other harness uses. */
const holdsFences = (list: unknown): boolean =>
  isChat(list) &&
  list.map(asRecord).some(({ role, content }) => role === 'assistant' && asText(content)?.includes(MARK + FENCES[0]))

function readMiniSweAgent(reading: Reading, document: Json): ReadDocument {
  const field = 'messages' in document ? 'messages' : 'records'
  const list = document[field]
  const agent = { name: 'mini-swe-agent', model: miniModelOf(document) }
  const { trajectory_format: named } = document
  const format = typeof named === 'string' && named.length < 40 ? named : 'mini-swe-agent'
  if (!Array.isArray(list)) reading.odd(`/${field}`, 'an array', list)
  const sink = new ChatSink(reading, agent.name, true)
  readTurns(sink, turnsIn(sink, new Located(list, `/${field}`)))
  return { format, agent, steps: sink.finish(`/${field}`) }
}

export const miniModelOf = ({ info }: Json): string | null =>
  asName(asRecord(asRecord(asRecord(info)['config'])['model'])['model_name'])

/** The calls of the acts in the agent's last reply; null without an act. */
type Acted = readonly OpenCall[] | null

function* turnsIn(sink: ChatSink, list: Located): Generator<Located> {
  const fence = fenceOf(asList(list.value))
  let acted: Acted = null
  let isAnswered = true
  for (const message of list.items()) {
    const record = asRecord(message.value)
    const isUser = roleOf(record) === 'user'
    const acts = actsOf(sink, message, record, fence)
    const tree: TreeRecord | null = isUser && !isAnswered ? answerOf(message, acted) : acts
    yield (tree && placeMessage(tree, message.path)) ?? message
    if (isUser) settleCall(sink, acted, record)
    if (speaksAsAgent(record)) acted = acts && sink.calls
    else if (isUser) acted = null
    if (isRecord(message.value)) isAnswered = !speaksAsAgent(record)
  }
}

/** Returns the message behind an act as its result, behind another reply as the harness's complaint; null where anybody else speaks. */
function answerOf(message: Located, acted: Acted): TreeRecord | null {
  const content = message.member('content')
  const text = textOf(content.value)
  if (SPEECH.some((words) => text.startsWith(words))) return null
  return acted === null ? { role: 'system', content } : { role: 'function', name: 'output', content }
}

function settleCall({ agent }: ChatSink, acted: Acted, message: Json): void {
  const [call, ...others] = acted ?? []
  if (call && others.length === 0) call.outcome = outcomeOfMessage(agent, call.tool, message, message['content'])
}

/** Returns the fence that the harness searches for: the first that a prompt names, else the first with a block; null beside tool calls. */
function fenceOf(messages: readonly unknown[]): string | null {
  const answers = messages.filter((message) => asRecord(message)['role'] === 'assistant')
  if (answers.some((answer) => asList(asRecord(answer)['tool_calls']).length > 0)) return null
  const [first] = answers
  const prompt = (first === undefined ? messages : messages.slice(0, messages.indexOf(first))).map(textsOf)
  const announced = prompt.map((texts) => FENCES.find((name) => texts.some((text) => text.includes(MARK + name))))
  const texts = answers.flatMap(textsOf)
  const acted = FENCES.find((fence) => texts.some((text) => fencesOf(text, fence).length > 0))
  return announced.find((fence) => fence !== undefined) ?? acted ?? null
}

const textsOf = (message: unknown): string[] => textsIn(asRecord(message)['content'])

const fencesOf = (text: string, fence: string) => [...fencesIn(text)].filter(({ name }) => name === fence)

/** Returns a reply without calls, with its acts as a chat's: its only fenced block, or `extra.actions` (since 2.0). */
function actsOf({ reading }: ChatSink, message: Located, record: Json, fence: string | null): TreeRecord | null {
  const hasCalls = !isAbsent(record['tool_calls']) || !isAbsent(record['function_call'])
  if (hasCalls || roleOf(record) === null || !speaksAsAgent(record)) return null
  const members = Object.fromEntries(Object.keys(record).map((name) => [name, message.member(name)]))
  const content = fence === null ? null : blocksOf(message.member('content'), fence)
  // Such a reply may be of another agent, whose words this harness does not run.
  if (content !== null && roleOf(record) !== 'assistant') reading.countUnread(message.path, true)
  if (content !== null) return { ...members, content }
  const actions = message.member('extra').member('actions')
  const own = [...objectsIn(reading, asList(actions.value), actions.path)]
  const commands = own.map(([, , index]) => actions.member(index).member('command'))
  for (const { value, path } of commands) if (typeof value !== 'string') reading.odd(path, 'text', value ?? null)
  const ran = commands.filter(({ value }) => asText(value) !== null)
  return ran.length === 0 ? null : { ...members, tool_calls: ran.map(bashOf) }
}

/** Returns a call of the shell. The whole text is the command, also a text that resembles the arguments of a call. */
const bashOf = (input: Located): TreeRecord => ({
  ...{ type: 'tool_use', name: 'bash' },
  input: String(input.value).trimStart().startsWith('{') ? { command: input } : input,
})

/** Returns the blocks of a text with exactly one block of the fence, which is a call. Anthropic's cache marks make an array of a text. */
function blocksOf(content: Located, fence: string): readonly Tree[] | null {
  const [first, ...more] = content.items()
  const isOne = more.length === 0 && first?.member('type').value === 'text'
  const { value, path } = isOne ? first.member('text') : content
  if (typeof value !== 'string') return null
  const [block, ...others] = fencesOf(value, fence)
  if (block === undefined || others.length > 0) return null
  const piece = (from: number, to: number) => new Located(value.slice(from, to), `${path}#char=${from},${to}`)
  const [before, after] = [piece(0, block.start), piece(block.end, value.length)]
  const speech = (text: Located) => (String(text.value).trim() === '' ? [] : [{ type: 'text', text }])
  const calls = block.to - 1 > block.from ? [bashOf(piece(block.from, block.to - 1))] : []
  return [...speech(before), ...calls, ...speech(after)]
}
