import type { Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { previewOf, readAtifContent, readPreview } from '../common/content.ts'
import { idText, isAbsent, isRecord, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { asText, type Session, sinkTo } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { isRejection, isTerminus, readRawReply } from '../protocols/terminus.ts'
import { meaningOf, type OpenCall, openCall } from '../tools/tool-table.ts'
import { type CallAnswers, type Calls, type Observation, readObservation, type StepCall } from './observations.ts'

const AGENT_FIELDS = ['reasoning_content', 'tool_calls'] as const

export interface StepContent extends Observation {
  readonly copied: boolean
  readonly at: number | null
}

/** Reads one ATIF step into parts: the agent's reasoning, its message, its calls, then the observation. */
export function readStep(session: Session, step: Json, path: string, answers: CallAnswers): StepContent {
  const { reading } = session
  const agent = session.agent ?? ''
  const speaker = readSpeaker(reading, step, path)
  const reasoning = readReasoning(reading, step, path)
  const calls = readCalls(session, step['tool_calls'], `${path}/tool_calls`)
  const answered = { calls, answers, agent, extra: step['extra'] }
  const observation = readObservation(reading, step['observation'], `${path}/observation`, answered)
  const message = readMessage(reading, step, `${path}/message`, speaker, agent, calls)
  const { parts: results, ...links } = observation
  const parts = [...reasoning, ...message, ...calls.parts, ...results]
  if (
    isAbsent(step['message']) &&
    isAbsent(step['observation']) &&
    AGENT_FIELDS.every((field) => isAbsent(step[field]))
  )
    reading.odd(`${path}/message`, 'text', step['message'])
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

function readCalls(session: Session, calls: unknown, path: string): Calls {
  const { reading } = session
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
    const place = { path: `${at}/arguments`, namePath: typeof name === 'string' ? namePath : null }
    addCall(session, parts, { call, args: record['arguments'], isInput: true, ...place })
  }
  return { parts, list, count: calls.length }
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
    for (const { act } of parts) if (act !== null) (act.call as OpenCall).outcome = 'answered'
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
