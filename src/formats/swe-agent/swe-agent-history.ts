import type { Part } from '../../domain/trajectory/trajectory.ts'
import { objectsIn } from '../common/objects.ts'
import { cutName, isAbsent, isRecord, type Json, typeName } from '../common/reading.ts'
import { readBlocks } from '../openai-chat/openai-chat-blocks.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'

interface History {
  /** The prompt: one list of parts a message. */
  readonly before: readonly Part[][]
  /** What was said behind a step (an index of the trajectory) and is not its observation. */
  readonly after: ReadonlyMap<number, Part[][]>
}

/**
 * The messages that the trajectory's steps do not hold. The answers of the agent and what they brought are in the trajectory;
 * a message behind them is shown only where it does not repeat the observation of its step.
 */
export function readHistory(sink: ChatSink, history: unknown, trajectory: readonly unknown[]): History {
  const before: Part[][] = []
  const after = new Map<number, Part[][]>()
  if (isAbsent(history)) sink.reading.warn('/history', 'no history, so the prompt is not known')
  else if (!Array.isArray(history))
    sink.reading.error('/history', `must be an array of messages, not ${typeName(history)}`)
  let answers = 0
  for (const [message, path] of objectsIn(
    sink.reading,
    Array.isArray(history) ? history : [],
    '/history',
    'a message',
  )) {
    if (message['role'] === 'assistant' && message['is_demo'] !== true) answers++
    else if (answers === 0 || trajectory.length === 0) before.push(readMessage(sink, message, path))
    else if (!repeatsObservation(message, trajectory[Math.min(answers, trajectory.length) - 1])) {
      const at = Math.min(answers, trajectory.length) - 1
      const said = after.get(at) ?? []
      said.push(readMessage(sink, message, path))
      after.set(at, said)
    }
  }
  if (answers !== trajectory.length && Array.isArray(history))
    sink.reading.warn(
      '/history',
      `${answers} answers of the agent, and ${trajectory.length} steps in the trajectory; the steps are read`,
    )
  return { before, after }
}

function readMessage(sink: ChatSink, message: Json, path: string): Part[] {
  const parts: Part[] = []
  const { role, is_demo: isDemo } = message
  const demo = isDemo === true
  if (demo) sink.reading.warnOnce(path, 'a demonstration: part of the prompt, not of this run')
  else if (role !== 'user' && role !== 'system' && role !== 'tool')
    sink.reading.warn(
      `${path}/role`,
      `unknown role ${typeof role === 'string' ? JSON.stringify(cutName(role)) : 'none'}; read as system`,
    )
  const actor = demo ? 'system' : role === 'user' ? 'user' : role === 'tool' ? 'tool_output' : 'system'
  const name = demo ? 'demonstration' : 'message'
  readBlocks(sink, message['content'], `${path}/content`, { actor, name, parts, outputs: parts })
  return parts
}

/** The harness puts the observation into a template, so a message holds it where it repeats it. */
function repeatsObservation(message: Json, step: unknown): boolean {
  if (message['is_demo'] === true) return false
  const observation = isRecord(step) ? step['observation'] : null
  const { content } = message
  const texts = Array.isArray(content)
    ? content.flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    : [typeof content === 'string' ? content : '']
  return typeof observation === 'string' && texts.some((text) => placeIn(text, observation.trim()) !== -1)
}

const HEAD = 200
const MAX_TRIES = 8

/** Where a text holds another, told by its head: a search for the whole of a long one can be made to take quadratic time. */
export function placeIn(text: string, part: string): number {
  const head = part.slice(0, HEAD)
  let at = text.indexOf(head)
  for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries++) {
    if (text.startsWith(part, at)) return at
    at = text.indexOf(head, at + 1)
  }
  return -1
}
