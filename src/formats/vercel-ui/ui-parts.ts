import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isAbsent, isRecord, itemsIn, type Json, objectsIn, typeName } from '../common/reading.ts'
import { asRecord, asText, mediaText, type OpenStep, settle, sinkTo } from '../common/session.ts'
import { mayAct } from '../common/unread-acts.ts'
import { type Dialogue, outcomeOfOutput } from '../dialogue/dialogue.ts'

/** Tells whether a part can only belong to these messages: other formats have a `text` or a `type`, too. */
export function isUiPart(part: unknown): boolean {
  if (!isRecord(part) || typeof part['type'] !== 'string') return false
  const { type, text } = part
  if (type === 'text' || type === 'reasoning') return typeof text === 'string' || Array.isArray(part['details'])
  return OWN.has(type) || isTool(part) || (type.startsWith('data-') && 'data' in part)
}

const OWN: ReadonlySet<unknown> = new Set(['step-start', 'source-url', 'source-document', 'tool-invocation'])

const isTool = ({ type, toolCallId }: Json): boolean =>
  typeof toolCallId === 'string' && (type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-')))

/**
 * Reads the parts of a reply. A `step-start` begins the output of one model call: its calls precede all their results. Without marks,
 * consecutive calls count as made together.
 */
export function readAgentParts(dialogue: Dialogue, parts: readonly unknown[], path: string, id: string | null): void {
  const { session, reading } = dialogue
  const isMarked = parts.some((part) => isRecord(part) && part['type'] === 'step-start')
  let step = session.open('agent', id)
  let invoked: unknown
  for (const [part, at] of objectsIn(reading, parts, path, 'a part')) {
    const isCall = isTool(part) || part['type'] === 'tool-invocation'
    const invocation = part['toolInvocation']
    const turn = isRecord(invocation) ? invocation['step'] : undefined
    const isNext = isMarked ? part['type'] === 'step-start' : step.answered && (!isCall || turn !== invoked)
    if (isNext) step = session.open('agent', id)
    if (isCall) invoked = turn
    if (isCall && step.answered && !isMarked && turn === undefined)
      reading.warnOnce(at, 'calls without a mark of their step are taken to have been made together')
    readAgentPart(dialogue, part, at, step)
  }
}

function readAgentPart(dialogue: Dialogue, part: Json, path: string, step: OpenStep): void {
  const { reading } = dialogue
  const { type } = part
  if (type === 'step-start') return
  if (type === 'text') readText(dialogue, part, path, step, 'agent_message')
  else if (type === 'reasoning') readReasoning(dialogue, part, path, step)
  else if (isTool(part)) readToolPart(dialogue, step, part, path)
  else if (type === 'tool-invocation' && isRecord(part['toolInvocation']))
    readInvocation(dialogue, step, part['toolInvocation'], `${path}/toolInvocation`)
  else if (type === 'file') addFile(dialogue, step.parts, 'agent_message', part, path)
  else if (type === 'reasoning-file') addFile(dialogue, step.parts, 'agent_reasoning', part, path)
  else if (type === 'source-url' || type === 'source-document') readSource(dialogue, part, path, step)
  else if (type === 'source' && isRecord(part['source'])) readSource(dialogue, part['source'], `${path}/source`, step)
  else if (typeof type === 'string' && type.startsWith('data-'))
    reading.unread(path, 'data for the page, which the model may never have seen; not read', mayAct(part['data']))
  else reading.unreadRecord(path, 'type of part', type, part)
}

function readText(
  dialogue: Dialogue,
  { text }: Json,
  path: string,
  step: OpenStep,
  actor: 'agent_message' | 'user' | 'system',
): void {
  if (typeof text === 'string') dialogue.content(step.parts, actor, text, `${path}/text`, 'message')
  else dialogue.reading.error(`${path}/text`, `must be text, not ${typeName(text)}`)
}

/** Reads the reasoning, which version 4 writes as `reasoning` and as `details`. */
function readReasoning(dialogue: Dialogue, { text, reasoning, details }: Json, path: string, step: OpenStep): void {
  const add = (value: string, at: string): void =>
    dialogue.content(step.parts, 'agent_reasoning', value, at, 'reasoning')
  if (typeof text === 'string') add(text, `${path}/text`)
  else if (typeof reasoning === 'string' && reasoning !== '') add(reasoning, `${path}/reasoning`)
  else
    for (const [block, at] of itemsIn(details, `${path}/details`)) {
      if (isRecord(block) && typeof block['text'] === 'string') add(block['text'], `${at}/text`)
      else dialogue.reading.warnOnce(at, 'reasoning that the provider redacted is not readable; not shown')
    }
}

/** Adds a source from a provider's search that the reply rests on. */
function readSource(dialogue: Dialogue, source: Json, path: string, step: OpenStep): void {
  for (const field of ['url', 'title', 'filename'] as const) {
    const text = asText(source[field])
    if (text !== null)
      sinkTo(dialogue.reading, step.outputs, 'tool_output', `source.${field}`).text(text, `${path}/${field}`)
  }
}

/** Reads the parts of another speaker's message, none of which is an act of the agent. */
export function readOtherParts(
  dialogue: Dialogue,
  parts: readonly unknown[],
  path: string,
  step: OpenStep,
  actor: 'user' | 'system',
): void {
  const { reading } = dialogue
  for (const [part, at] of objectsIn(reading, parts, path, 'a part')) {
    if (part['type'] === 'text') readText(dialogue, part, at, step, actor)
    else if (part['type'] === 'file') addFile(dialogue, step.parts, actor, part, at)
    else if (part['type'] !== 'step-start')
      reading.unread(at, 'a part that only the agent’s messages have, or data for the page; not read', mayAct(part))
  }
}

/** Adds a file of a message: `url` (a link or a data URL), or in version 4 `data`, its base64, with a `mimeType`. */
export function addFile(dialogue: Dialogue, parts: Part[], actor: Actor, file: Json, path: string): void {
  const media_type = asText(file['mediaType']) ?? asText(file['mimeType']) ?? ''
  const kind = KINDS.find((name) => media_type === name || media_type.startsWith(`${name}/`)) ?? 'file'
  const { url, data } = file
  const source = typeof url === 'string' ? { url } : { media_type, data }
  const isLink = typeof url === 'string' && !url.startsWith('data:')
  const text = mediaText(kind, isLink ? url : media_type)
  dialogue.reading.addMedia(parts, { actor, text, path, name: 'file' }, kind === 'image' ? source : undefined)
}

const KINDS = ['image', 'audio', 'video'] as const

const CALL_FIELDS: ReadonlySet<string> = wordSet(`type toolName toolCallId state input output errorText rawInput
  approval title providerExecuted preliminary callProviderMetadata resultProviderMetadata toolMetadata`)
const INVOCATION_FIELDS: ReadonlySet<string> = new Set(['toolName', 'toolCallId', 'state', 'step', 'args', 'result'])

/** Reads a `tool-<name>` or `dynamic-tool` part: a call with its result. */
function readToolPart(dialogue: Dialogue, step: OpenStep, part: Json, path: string): void {
  const { type } = part
  dialogue.reading.warnUnknownOnce(part, path, CALL_FIELDS)
  const isStatic = type !== 'dynamic-tool'
  const tool = isStatic ? String(type).slice('tool-'.length) : asText(part['toolName'])
  const field = isAbsent(part['input']) && !isAbsent(part['rawInput']) ? 'rawInput' : 'input'
  const call = dialogue.call(step, {
    id: null,
    tool,
    namePath: isStatic ? `${path}/type` : `${path}/toolName`,
    ...(isStatic && { nameText: String(type) }),
    args: part[field],
    path: `${path}/${field}`,
  })
  settle(call, outcomeOfPart(call.tool, part))
  dialogue.output(step.outputs, part['output'], `${path}/output`, call.tool)
  const { errorText, approval } = part
  if (typeof errorText === 'string')
    dialogue.content(step.outputs, 'tool_output', errorText, `${path}/errorText`, `${call.tool}.error`)
  const { reason, isAutomatic } = asRecord(approval)
  const approver = sinkTo(dialogue.reading, step.outputs, isAutomatic === true ? 'system' : 'user', 'approval.reason')
  if (typeof reason === 'string') approver.text(reason, `${path}/approval/reason`)
  if (!isAbsent(part['output']) || typeof errorText === 'string') step.answered = true
}

/** Derives the outcome of a call from its `state`: a call with unfinished input, or one that waits for approval, did not run. */
function outcomeOfPart(tool: string, part: Json): ActOutcome {
  const { state, approval, output, preliminary, errorText } = part
  // A call with an output whose state denies a run is uncertain either way.
  const notRun = (outcome: ActOutcome): ActOutcome => (isAbsent(output) ? outcome : 'interrupted')
  if (isRecord(approval) && approval['approved'] === false) return notRun('rejected')
  if (state === 'output-denied') return notRun('rejected')
  if (state === 'input-streaming' || state === 'approval-requested') return notRun('cancelled')
  if (state === 'output-available') return preliminary === true ? 'interrupted' : outcomeOfOutput(tool, output, null)
  if (state !== 'output-error') return 'unknown'
  // A rejected input is kept unparsed, and no tool ran.
  if (isAbsent(part['input']) && !isAbsent(part['rawInput'])) return 'rejected'
  return outcomeOfOutput(tool, errorText, true)
}

/** Reads a tool invocation of version 4. */
export function readInvocation(dialogue: Dialogue, step: OpenStep, invocation: Json, path: string): void {
  const { toolName, state, args, result } = invocation
  dialogue.reading.warnUnknownOnce(invocation, path, INVOCATION_FIELDS)
  const call = dialogue.call(step, {
    id: null,
    tool: asText(toolName),
    namePath: `${path}/toolName`,
    args,
    path: `${path}/args`,
  })
  if (state === 'partial-call') settle(call, 'cancelled')
  if (state !== 'result') return
  settle(call, outcomeOfOutput(call.tool, result, null))
  dialogue.output(step.outputs, result, `${path}/result`, call.tool)
  step.answered = true
}
