import type { ActOutcome } from '../../domain/acts/act.ts'
import type { ContentSink } from '../common/content.ts'
import { idText, isAbsent, isRecord, type Json, pointer, type Reading, typeName } from '../common/reading.ts'
import {
  addLeaves,
  asList,
  asRecord,
  asText,
  mediaText,
  type OpenStep,
  type Session,
  sinkTo,
} from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { exitCodeSaid, outcomeWithCode } from '../tools/exit-codes.ts'
import { GEMINI_CLI_WORDS } from '../tools/harness-words.ts'
import { outcomeOfResult as outcomeInWords, wordsSaid } from '../tools/outcomes.ts'

/** The parts of Gemini's API, as gemini-cli writes them. */

/** What the API calls a list of parts: text, `{text}`, `{inlineData}`, `{functionResponse}`, or an array of them. */
export function readParts(reading: Reading, content: unknown, path: string, sink: ContentSink): void {
  if (isAbsent(content)) return
  if (typeof content === 'string') sink.text(content, path)
  else if (Array.isArray(content))
    for (const [index, part] of content.entries()) {
      const at = pointer(path, index)
      if (typeof part === 'string') sink.text(part, at)
      else if (isRecord(part)) readPart(part, at, sink)
      else reading.error(at, `a part must be text or an object, not ${typeName(part)}`)
    }
  else if (isRecord(content)) readPart(content, path, sink)
  else reading.error(path, `must be text or parts, not ${typeName(content)}`)
}

function readPart(part: Json, path: string, sink: ContentSink): void {
  const {
    text,
    inlineData,
    fileData,
    functionResponse,
    thoughtSignature: _signature,
    thought: _thought,
    ...rest
  } = part
  if (typeof text === 'string') sink.text(text, `${path}/text`)
  if (isRecord(inlineData)) {
    const { mimeType: media_type, data } = inlineData
    const isPicture = typeof media_type === 'string' && media_type.startsWith('image/')
    sink.media(mediaText('media', media_type), path, 'media', isPicture ? { media_type, data } : undefined)
  }
  if (isRecord(fileData)) sink.media(mediaText('file', fileData['fileUri'] ?? fileData['mimeType']), path, 'file')
  if (isRecord(functionResponse)) {
    const at = `${path}/functionResponse`
    addLeaves(sink, functionResponse['response'] ?? {}, `${at}/response`)
    for (const [index, inner] of asList(functionResponse['parts']).entries())
      if (isRecord(inner)) readPart(inner, pointer(`${at}/parts`, index), sink)
  }
  addLeaves(sink, rest, path)
}

/** The model's own parts: thoughts and calls stand among its words. A call that `toolCalls` has too is shown there, with its answer. */
export function readReplyContent(
  session: Session,
  content: unknown,
  path: string,
  step: OpenStep,
  calls: readonly unknown[],
): void {
  const { reading } = session
  const { parts } = step
  const words = sinkTo(reading, parts, 'agent_message', 'message')
  const thoughts = sinkTo(reading, parts, 'agent_reasoning', 'reasoning')
  const made = new Set(calls.filter(isRecord).flatMap((call) => [wordsKey(call), bareKey(call)]))
  const readOwn = (part: unknown, at: string): void => {
    if (!isRecord(part)) {
      readParts(reading, part, at, words)
      return
    }
    const { functionCall: call, ...rest } = part
    readPart(isRecord(call) ? rest : part, at, part['thought'] === true ? thoughts : words)
    if (!isRecord(call) || made.has(wordsKey(call)) || (isBare(call) && made.has(bareKey(call)))) return
    const tool = asText(call['name'])
    if (tool === null) reading.warn(`${at}/functionCall/name`, 'a tool call must name its tool')
    const namePath = tool === null ? null : `${at}/functionCall/name`
    addCall(session, parts, {
      call: session.call(step, null, tool ?? 'tool_call'),
      args: call['args'],
      path: `${at}/functionCall/args`,
      namePath,
    })
  }
  if (!Array.isArray(content)) readOwn(content, path)
  else for (const [index, part] of content.entries()) readOwn(part, pointer(path, index))
}

/** A call that says nothing yet is the one of its id and tool that does. */
const isBare = ({ args }: Json): boolean => !isRecord(args) || Object.keys(args).length === 0
const bareKey = ({ id, name }: Json): string | null =>
  idText(id) === null ? null : JSON.stringify([idText(id), asText(name)])

/** What a call does, whatever its id: two acts under one id are two. */
const wordsKey = ({ name, args }: Json): string => JSON.stringify([asText(name), args ?? {}])

/**
 * What became of a call of gemini-cli: `status` (packages/core/src/scheduler/types.ts, CoreToolCallStatus), and the words of the scheduler
 * where a call was turned down.
 */

/** By a call of a recorded chat. */
export function outcomeOfCall({ status, result }: Json): ActOutcome {
  if (status === 'success') return outcomeOfOutput(saidIn(result, 'output'))
  const said = saidIn(result, 'error')
  const told = outcomeInWords('gemini-cli', said, true)
  if (status === 'cancelled') return told === 'interrupted' ? told : 'cancelled'
  return status === 'error' ? told : 'unknown'
}

/** By a `tool_result` of `--output-format stream-json`. */
export function outcomeOfEvent({ status, error, output }: Json): ActOutcome {
  if (status === 'success') return outcomeOfOutput(typeof output === 'string' ? output : '')
  const said = asRecord(error)['message'] ?? output
  return status === 'error' ? outcomeInWords('gemini-cli', typeof said === 'string' ? said : '', true) : 'unknown'
}

/** A command that failed or was stopped is a success of its tool, which says so in lines of its own. */
const outcomeOfOutput = (output: string): ActOutcome =>
  wordsSaid(GEMINI_CLI_WORDS, output)?.outcome === 'interrupted'
    ? 'interrupted'
    : outcomeWithCode('ran', exitCodeSaid('gemini-cli', output))

/** `[{functionResponse: {response: {error, output}}}]`. */
function saidIn(result: unknown, member: 'error' | 'output'): string {
  const first: unknown = Array.isArray(result) ? result.find(isRecord) : result
  const said = asRecord(asRecord(asRecord(first)['functionResponse'])['response'])[member]
  return typeof said === 'string' ? said : ''
}
