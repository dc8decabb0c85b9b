import { pushTo } from '../../domain/result.ts'
import type { Part, Step } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { textsIn } from '../common/content.ts'
import { decodeObject } from '../common/json-tree.ts'
import { cutName, isAbsent, isRecord, type Json, objectsIn, pointer, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type ReadDocument } from '../format.ts'
import { readBlocks } from '../openai-chat/openai-chat-blocks.ts'
import { readThoughts } from '../openai-chat/openai-chat-message.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'
import { MINI_SWE_AGENT, miniModelOf } from './mini-swe-agent.ts'
import { sweActOf } from './swe-agent-act.ts'

/**
 * The format of SWE-agent's `.traj`: `trajectory` holds the agent's thoughts, actions and observations; `history` holds the prompt before
 * them and the harness's messages in between. Demonstrations are part of the prompt: no act in them belongs to this run.
 */
export const SWE_AGENT: Format = {
  name: 'swe-agent',
  recognizes({ trajectory, history, info, trajectory_format: other }) {
    if (!Array.isArray(trajectory) || other !== undefined) return false
    if (trajectory.length === 0) return Array.isArray(history) && isRecord(info)
    return trajectory.some(
      (step) =>
        isRecord(step) && 'action' in step && ('observation' in step || 'thought' in step || 'response' in step),
    )
  },
  read: readSweAgent,
  split: splitSweRun,
}

function readSweAgent(reading: Reading, document: Json): ReadDocument {
  const list = asList(document['trajectory'])
  const sink = new ChatSink(reading, 'swe-agent', { isList: true })
  const history = readHistory(sink, document['history'], list)
  const acts = list.map((step, index) => readStep(sink, step, pointer('/trajectory', index)))
  const steps: Part[][] = [...history.before]
  for (const [index, parts] of acts.entries()) {
    steps.push(parts)
    for (const later of history.after.get(index) ?? []) steps.push(later)
  }
  const agent = { name: 'swe-agent', model: sweModelOf(document) }
  const numbered = steps.map((parts, index): Step => ({ id: index + 1, name: null, at: null, copied: false, parts }))
  return { format: 'swe-agent', agent, steps: reading.takeSteps(steps.length, '/trajectory') ? numbered : [] }
}

/** Returns the model of a run's configuration, which is an object, or (in newer files) JSON in a string. */
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
    if (typeof value === 'string') return value
    sink.reading.odd(`${path}/${field}`, 'text', value)
    return ''
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

/** Recognizes the last step of a run that the harness ended: the thought holds the reason, and the action is empty or a code. */
const isHarnessExit = (thought: string, action: string): boolean =>
  thought.startsWith('Exit due to ') && (action === '' || EXIT_ACTIONS.has(action))

const EXIT_ACTIONS: ReadonlySet<string> = wordSet(`exit_cost exit_context exit_api exit_format exit_environment_error
  exit_error`)

/** Tells whether the response repeats the step: the thought and the action in a fence, or the thought alone where the action was a tool call. */
function repeats(response: string, thought: string, action: string): boolean {
  const rest = without(without(response, thought.trim()), action.trim())
  return rest.replaceAll('`', '').trim() === ''
}

function without(text: string, part: string): string {
  const at = part === '' ? -1 : placeIn(text, part)
  return at === -1 ? text : text.slice(0, at) + text.slice(at + part.length)
}

/** Opens a file of SWE-agent or mini-swe-agent as one run, with its model, task and instruction. */
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

/** Reads the messages that the trajectory lacks: the prompt (`before`), and, by their step, later messages that do not repeat its observation. */
function readHistory(sink: ChatSink, history: unknown, trajectory: readonly unknown[]) {
  const before: Part[][] = []
  const after = new Map<number, Part[][]>()
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
    } else if (last < 0) before.push(readMessage(sink, message, path))
    else if (!repeatsObservation(message, trajectory[last])) pushTo(after, last, readMessage(sink, message, path))
  }
  const counts = `${answers} answers of the agent, and ${trajectory.length} steps in the trajectory; the steps are read`
  if (answers !== trajectory.length && Array.isArray(history)) {
    sink.reading.warn('/history', counts)
    for (const path of lost) sink.reading.countUnread(path, true)
  }
  return { before, after }
}

/** The speakers of messages beside the trajectory, by role. */
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

/** Tells whether a message repeats the observation of a step, inside of the harness's template. */
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
