import type { Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { previewOf, readAtifContent, readPreview } from '../common/content.ts'
import { decodeObject } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, objectsIn, type Reading, timeOf, typeName } from '../common/reading.ts'
import { asText, isEmpty, sinkTo } from '../common/session.ts'
import { addArguments, argumentLeavesOf, knownSpec } from '../common/session-calls.ts'
import { isRejection, isTerminus, readRawReply } from '../protocols/terminus.ts'
import { meaningOf, type OpenCall, openCall } from '../tools/tool-table.ts'
import { type CallAnswers, type Calls, type Observation, readObservation, type StepCall } from './observations.ts'

const AGENT_FIELDS = ['reasoning_content', 'tool_calls'] as const

export interface StepContent extends Observation {
  readonly copied: boolean
  readonly at: number | null
}

/** Reads one ATIF step into parts: the agent's reasoning, its message, its calls, then the observation. */
export function readStep(
  reading: Reading,
  step: Json,
  path: string,
  { agent, answers }: { readonly agent: string; readonly answers: CallAnswers },
): StepContent {
  const speaker = readSpeaker(reading, step, path)
  const reasoning = readReasoning(reading, step, path)
  const calls = readCalls(reading, step['tool_calls'], `${path}/tool_calls`, agent)
  const answered = { calls, answers, agent, extra: step['extra'] }
  const observation = readObservation(reading, step['observation'], `${path}/observation`, answered)
  const message = readMessage(reading, step, `${path}/message`, speaker, agent, calls)
  const { parts: results, ...links } = observation
  const parts = [...reasoning, ...message, ...calls.parts, ...results]
  if (isAbsent(step['message'])) {
    const others = AGENT_FIELDS.some((field) => !isAbsent(step[field])) || !isAbsent(step['observation'])
    if (others) reading.warn(`${path}/message`, 'a step must have a message')
    else reading.odd(`${path}/message`, 'text', step['message'])
  }
  return { copied: step['is_copied_context'] === true, at: timeOf(step['timestamp']), parts, ...links }
}

/** The source of notes by the publisher of a corpus. */
const CORPUS = 'corpus_builder'

function readSpeaker(reading: Reading, step: Json, path: string): Actor {
  const source = step['source']
  if (source === 'agent') return 'agent_message'
  for (const field of AGENT_FIELDS)
    if (!isAbsent(step[field])) reading.warn(`${path}/${field}`, 'only a step of the agent may have this')
  if (source === 'user' || source === 'system') return source
  if (isRecord(step['extra']) && step['extra']['trimmed'] === true)
    reading.unread(path, 'steps left out by the corpus that published this file', true)
  const isNobody = isAbsent(source) || source === CORPUS
  reading.warn(`${path}/source`, `must be user, system or agent; read as ${isNobody ? 'system' : 'the agent'}`)
  return isNobody ? 'system' : 'agent_message'
}

function readReasoning(reading: Reading, step: Json, path: string): Part[] {
  const parts: Part[] = []
  const content = step['reasoning_content']
  const at = `${path}/reasoning_content`
  if (content === 'null') reading.warn(at, 'the text "null" stands for no reasoning; not shown')
  else readAtifContent(reading, content, at, sinkTo(reading, parts, 'agent_reasoning', 'reasoning'))
  return parts
}

function readCalls(reading: Reading, calls: unknown, path: string, agent: string): Calls {
  const parts: Part[] = []
  const list: StepCall[] = []
  if (isAbsent(calls)) return { parts, list, count: 0 }
  if (!Array.isArray(calls)) {
    const meaning = meaningOf(undefined, '', openCall('tool_calls'), null)
    const text = (preview: string, at: string): void =>
      reading.add(parts, { ...meaning, text: preview, path: at, name: 'tool_calls' })
    const isCut = readPreview(reading, calls, path, { text, media: text }, true)
    if (!isCut) reading.odd(path, 'an array', calls)
    return { parts, list, count: isCut ? 1 : 0 }
  }
  for (const [record, at] of objectsIn(reading, calls, path)) {
    const { tool_call_id: id, function_name: name, extra } = record
    const namePath = `${at}/function_name`
    if (asText(name) === null) reading.warn(namePath, 'a tool call must name its function')
    const call = openCall(asText(name) ?? 'tool_call', idText(id))
    list.push({ id: typeof id === 'string' ? id : null, call, extra })
    const spec = knownSpec(reading, agent, call.tool, namePath)
    const [args, place] = argumentsOf(reading, record['arguments'], `${at}/arguments`)
    const leaves = isAbsent(args) || isEmpty(args) ? [] : argumentLeavesOf(spec, args, place)
    const bare = typeof name === 'string' ? { text: name, path: namePath } : null
    addArguments(reading, parts, leaves, { call, spec, args, bare })
  }
  return { parts, list, count: calls.length }
}

/** Returns the arguments of a call and their path; JSON in a string is decoded. */
function argumentsOf(reading: Reading, args: unknown, path: string): readonly [args: unknown, path: string] {
  const decoded = typeof args === 'string' ? decodeObject(args) : null
  if (isAbsent(args)) reading.warn(path, 'a tool call must have arguments')
  else if (decoded !== null) reading.warnOnce(path, 'arguments are JSON inside a string')
  else if (typeof args === 'string') reading.warn(path, 'arguments must be an object; shown as they stand')
  else if (!isRecord(args)) reading.warn(path, `arguments must be an object, not ${typeName(args)}`)
  return decoded === null ? [args, path] : [decoded, `${path}#`]
}

function readMessage(reading: Reading, step: Json, at: string, speaker: Actor, agent: string, calls: Calls): Part[] {
  const parts: Part[] = []
  const { message } = step
  if (typeof message === 'string' && speaker === 'agent_message') {
    if (isSynthetic(message, step, agent)) {
      reading.add(parts, { actor: 'system', text: message, path: at, name: 'message' })
      return parts
    }
    if (calls.count === 0 && repeatsResult(message, step)) {
      reading.warn(at, 'repeats the observation of its step; shown once, as tool output')
      return parts
    }
    const isRaw = isTerminus(agent) && calls.count === 0 && !resultTexts(step).some(isRejection)
    if (isRaw && readRawReply(reading, parts, message, at)) return typed(parts, step)
  }
  readAtifContent(reading, message, at, sinkTo(reading, parts, speaker, 'message'))
  return parts
}

/** Sets the outcome of keystrokes to `ran` where an observation came back. */
function typed(parts: Part[], step: Json): Part[] {
  if (resultTexts(step).length > 0)
    for (const { act } of parts) if (act !== null) (act.call as OpenCall).outcome = 'ran'
  return parts
}

/** Recognizes `Executed Bash toolu_…`: the text that the converter of claude-code writes where the agent sent no message. */
function isSynthetic(message: string, step: Json, agent: string): boolean {
  if (!message.startsWith('Executed ')) return false
  const calls = step['tool_calls']
  if (Array.isArray(calls))
    return calls.some((call) => {
      if (!isRecord(call)) return false
      const { function_name: name, tool_call_id: id } = call
      return typeof name === 'string' && typeof id === 'string' && message === `Executed ${name} ${id}`
    })
  const words = message.length < 300 ? message.split(' ') : []
  const id = words[2] ?? ''
  return agent.startsWith('claude') && previewOf(calls) !== null && words.length === 3 && id.startsWith('toolu_')
}

/** Tells whether the message repeats a tool result: openclaw writes each result twice, as the agent's message and as the observation. */
const repeatsResult = (message: string, step: Json): boolean => message !== '' && resultTexts(step).includes(message)

function resultTexts(step: Json): string[] {
  const results = isRecord(step['observation']) ? step['observation']['results'] : null
  if (!Array.isArray(results)) return []
  return results.flatMap((result) =>
    isRecord(result) && typeof result['content'] === 'string' ? [result['content']] : [],
  )
}
