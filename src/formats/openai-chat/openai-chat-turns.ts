import { pushTo } from '../../domain/push-to.ts'
import type { Part, Step } from '../../domain/trajectory/trajectory.ts'
import { isRecord, type Json, pointer, typeName } from '../common/reading.ts'
import { asName } from '../common/session.ts'
import { type Before, callIdOf, isResponse, readMessage, type TextProtocol } from './openai-chat-message.ts'
import type { ChatSink } from './openai-chat-sink.ts'

interface OpenStep {
  readonly name: string | null
  readonly parts: Part[]
  readonly ofAgent: boolean
  readonly agent?: string
}

export interface Placed {
  readonly message: unknown
  readonly path: string
}

/** Lists the messages in order of the file, each with its path. */
export const placeMessages = (messages: readonly unknown[], path: string): Placed[] =>
  messages.map((message, index) => ({ message, path: pointer(path, index) }))

/**
 * Reads the steps of a conversation, numbered from 1: each message is a step, and tool results belong to the step of the agent before them.
 * A result never precedes its call: a result that the file places first is moved behind its call.
 */
export function readTurns(sink: ChatSink, placed: readonly Placed[], protocol: TextProtocol | null = null): Step[] {
  const steps: OpenStep[] = []
  let before: Before = 'other'
  const read = (message: Json, path: string): void => {
    const name = asName(message['id'])
    // Several messages with one id may be one reply, written call by call.
    sink.reading.reply = name === null ? null : { id: name, isNamed: false }
    const { speaker, parts, outputs, acted, agent } = readMessage(sink, message, path, protocol, before)
    const last = steps.at(-1)
    if (speaker === 'tool' || outputs.length > 0)
      if (last?.ofAgent !== true) steps.push({ name, parts: [...outputs], ofAgent: true })
      // Not spread into push: a message may hold more parts than a call can have arguments.
      else for (const part of outputs) last.parts.push(part)
    if (speaker !== 'tool' && (parts.length > 0 || outputs.length === 0))
      steps.push({ name, parts: [...parts], ofAgent: speaker === 'agent', ...(agent !== undefined && { agent }) })
    before = acted ? 'act' : speaker === 'agent' ? 'answer' : 'other'
  }
  const late = lateResults(placed)
  const waiting = new Map<string, Placed[]>()
  for (const item of placed) {
    const { message, path } = item
    if (!isRecord(message)) {
      sink.reading.error(path, `a message must be an object, not ${typeName(message)}`)
      continue
    }
    const id = late.has(item) ? callIdOf(message) : null
    if (id !== null) {
      sink.reading.warn(path, 'a tool result that stands before its call; shown behind it')
      pushTo(waiting, id, item)
      continue
    }
    read(message, path)
    for (const called of waiting.size === 0 ? [] : callIdsOf(message)) {
      for (const result of waiting.get(called) ?? []) if (isRecord(result.message)) read(result.message, result.path)
      waiting.delete(called)
    }
  }
  return steps.map(({ ofAgent: _of, ...step }, index) => ({ ...step, id: index + 1, at: null, copied: false }))
}

const isResult = ({ role, type }: Json): boolean => role === 'tool' || type === 'function_call_output'

/** Returns the results whose call comes later and never before. */
function lateResults(placed: readonly Placed[]): ReadonlySet<Placed> {
  const open = new Map<string, Placed[]>()
  const called = new Set<string>()
  const late = new Set<Placed>()
  for (const item of placed) {
    if (!isRecord(item.message)) continue
    const id = isResult(item.message) ? callIdOf(item.message) : null
    if (id !== null && !called.has(id)) pushTo(open, id, item)
    for (const own of callIdsOf(item.message)) {
      for (const result of open.get(own) ?? []) late.add(result)
      open.delete(own)
      called.add(own)
    }
  }
  return late
}

function callIdsOf(message: Json): string[] {
  if (message['type'] === 'function_call') return typeof message['call_id'] === 'string' ? [message['call_id']] : []
  if (isResponse(message)) return message.output.flatMap((item) => (isRecord(item) ? callIdsOf(item) : []))
  if (message['role'] !== 'assistant') return []
  const lists = [message['tool_calls'], message['content']]
  return lists.flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((call) => (isRecord(call) && typeof call['id'] === 'string' ? [call['id']] : []))
      : [],
  )
}
