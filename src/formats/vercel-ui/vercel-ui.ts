import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { textsIn } from '../common/content.ts'
import { isAbsent, isRecord, itemsIn, type Json, mayAct, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText, mediaText, type OpenStep, settle } from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { ChatSink, outcomeOfOutput, readBlocks, readOutput, speaking } from '../openai-chat/openai-chat-sink.ts'

/** The format of the AI SDK's `useChat` (vercel/ai, packages/ai/src/ui/ui-messages.ts): `UIMessage` with `parts`, since version 4.2. */
export const VERCEL_UI: Format = {
  name: 'vercel-ui',
  recognizes: (document) => messagesIn(document) !== null,
  read: readVercelUi,
}

const LISTS = ['messages', 'records', 'initialMessages'] as const
const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'data'])

const messagesIn = (document: Json) => listIn(document, LISTS, (list) => list.some(isTelling))

const isTelling = (item: unknown): boolean =>
  isRecord(item) && ROLES.has(item['role']) && asList(item['parts']).some(isUiPart)

/** Tells whether a part can only belong to these messages: other formats have a `text` or a `type`, too. */
function isUiPart(part: unknown): boolean {
  if (!isRecord(part) || typeof part['type'] !== 'string') return false
  const { type, text } = part
  if (type === 'text' || type === 'reasoning') return typeof text === 'string' || Array.isArray(part['details'])
  return OWN.has(type) || isTool(part) || (type.startsWith('data-') && 'data' in part)
}

const OWN: ReadonlySet<unknown> = new Set(['step-start', 'source-url', 'source-document', 'tool-invocation'])

const isTool = ({ type, toolCallId }: Json): boolean =>
  typeof toolCallId === 'string' && (type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-')))

function readVercelUi(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const sink = new ChatSink(reading, null)
  for (const [message, at] of objectsIn(reading, list, path)) {
    sink.now = timeOf(message['createdAt'])
    if (ROLES.has(message['role'])) readUiMessage(sink, message, at)
    else reading.unreadRecord(at, 'role of a message', message['role'], message)
  }
  const model = asText(document['model'])
  return { format: 'vercel-ui', agent: { name: null, model }, steps: sink.finish(path) }
}

function readUiMessage(sink: ChatSink, message: Json, path: string): void {
  const { reading } = sink
  const { role, parts: given, data, content } = message
  const [list, isAgent] = [asList(given), role === 'assistant']
  if (!isAbsent(given) && !Array.isArray(given)) reading.odd(`${path}/parts`, 'an array', given)
  if (!isAbsent(data)) reading.unread(`${path}/data`, 'data for the page; not read', mayAct(data))
  const actor = isAgent ? 'agent_message' : role === 'user' ? 'user' : 'system'
  const { parts } = readParts(sink, list, `${path}/parts`, asText(message['id']), actor)
  // The calls of a reply without parts, in the oldest files (`toolInvocations` alone), are unread acts.
  if (list.length === 0) readBlocks(sink, content, `${path}/content`, speaking(actor, parts))
  // The attached files of version 4: `{name, contentType, url}`.
  for (const field of isAgent && list.length > 0 ? [] : (['experimental_attachments', 'attachments'] as const))
    for (const [file, at] of objectsIn(reading, message[field], `${path}/${field}`))
      addFile(sink, parts, actor, file, at)
  // Version 4 repeats the texts of the parts as one content.
  if (list.length > 0 && typeof content === 'string' && content !== '' && !isRepeated(list, content))
    reading.warn(`${path}/content`, 'says something else than the parts; the parts are read')
}

/** Reads the parts of a message: a `step-start` begins the output of a model call; without marks, consecutive calls are of one. */
function readParts(sink: ChatSink, list: readonly unknown[], path: string, id: string | null, actor: Actor): OpenStep {
  const isAgent = actor === 'agent_message'
  const isMarked = list.some((part) => asRecord(part)['type'] === 'step-start')
  let step = sink.open(isAgent ? 'agent' : 'other', id)
  let invoked: unknown
  for (const [part, at] of objectsIn(sink.reading, list, path)) {
    const isCall = isTool(part) || part['type'] === 'tool-invocation'
    const turn = asRecord(part['toolInvocation'])['step']
    const isNext = isMarked ? part['type'] === 'step-start' : step.answered && (!isCall || turn !== invoked)
    if (isAgent && isNext) step = sink.open('agent', id)
    if (isCall) invoked = turn
    if (isCall && step.answered && !isMarked && turn === undefined)
      sink.reading.warnOnce(at, 'calls without a mark of their step are taken to have been made together')
    readPart(sink, part, at, step, actor)
  }
  return step
}

function isRepeated(parts: readonly unknown[], content: string): boolean {
  const texts = textsIn(parts)
  return texts.join('').replaceAll('\n', '') === content.replaceAll('\n', '') || texts.includes(content)
}

/** Reads a part of a message. Another speaker than the agent only has texts and files. */
function readPart(sink: ChatSink, part: Json, path: string, step: OpenStep, actor: Actor): void {
  const { reading } = sink
  const { type } = part
  const { parts } = step
  if (type === 'step-start') return
  if (type === 'text') readBlocks(sink, part, path, speaking(actor, parts))
  else if (type === 'file') addFile(sink, parts, actor, part, path)
  else if (actor !== 'agent_message')
    reading.unread(path, 'a part that only the agent’s messages have, or data for the page; not read', mayAct(part))
  else if (type === 'reasoning') readReasoning(sink, part, path, parts)
  else if (isTool(part)) readToolPart(sink, step, part, path)
  else if (type === 'tool-invocation' && isRecord(part['toolInvocation']))
    readInvocation(sink, step, part['toolInvocation'], `${path}/toolInvocation`)
  else if (type === 'reasoning-file') addFile(sink, parts, 'agent_reasoning', part, path)
  else if (type === 'source-url' || type === 'source-document') readSource(sink, part, path, step)
  else if (type === 'source' && isRecord(part['source'])) readSource(sink, part['source'], `${path}/source`, step)
  else if (typeof type === 'string' && type.startsWith('data-'))
    reading.unread(path, 'data for the page, which the model may never have seen; not read', mayAct(part['data']))
  else reading.unreadRecord(path, 'type of part', type, part)
}

/** Reads the reasoning, which version 4 writes as `reasoning` and as `details`. */
function readReasoning(sink: ChatSink, { text, reasoning, details }: Json, path: string, parts: Part[]): void {
  const add = (value: string, at: string): void => sink.text(parts, 'agent_reasoning', value, at, 'reasoning')
  if (typeof text === 'string') add(text, `${path}/text`)
  else if (typeof reasoning === 'string' && reasoning !== '') add(reasoning, `${path}/reasoning`)
  else
    for (const [block, at] of itemsIn(details, `${path}/details`)) {
      const { text: own } = asRecord(block)
      if (typeof own === 'string') add(own, `${at}/text`)
      else sink.reading.warnOnce(at, 'reasoning that the provider redacted is not readable; not shown')
    }
}

function readSource(sink: ChatSink, source: Json, path: string, { outputs }: OpenStep): void {
  for (const field of ['url', 'title', 'filename'] as const)
    sink.say(outputs, 'tool_output', source[field], `${path}/${field}`, `source.${field}`)
}

/** Adds a file of a message: `url` (a link or a data URL), or in version 4 `data`, its base64, with a `mimeType`. */
function addFile({ reading }: ChatSink, parts: Part[], actor: Actor, file: Json, path: string): void {
  const media_type = TYPES.map((name) => asText(file[name])).find((type) => type !== null) ?? ''
  const kind = KINDS.find((name) => media_type === name || media_type.startsWith(`${name}/`)) ?? 'file'
  const { url, data } = file
  const source = typeof url === 'string' ? { url } : { media_type, data }
  const isLink = typeof url === 'string' && !url.startsWith('data:')
  const text = mediaText(kind, isLink ? url : media_type)
  reading.addMedia(parts, { actor, text, path, name: 'file' }, kind === 'image' ? source : undefined)
}

const KINDS = ['image', 'audio', 'video'] as const
const TYPES = ['mediaType', 'mimeType', 'contentType'] as const

/** Reads a `tool-<name>` or `dynamic-tool` part: a call with its result. */
function readToolPart(sink: ChatSink, step: OpenStep, part: Json, path: string): void {
  const { type, output, errorText, approval } = part
  const field = isAbsent(part['input']) && !isAbsent(part['rawInput']) ? 'rawInput' : 'input'
  const named =
    type === 'dynamic-tool'
      ? { name: part['toolName'], namePath: `${path}/toolName` }
      : { name: String(type).slice('tool-'.length), namePath: `${path}/type`, nameText: String(type) }
  const call = addNamedCall(sink, step, { id: null, ...named, args: part[field], path: `${path}/${field}` })
  settle(call, outcomeOfPart(call.tool, part))
  const { outputs } = step
  readOutput(sink, outputs, output, `${path}/output`, call.tool)
  if (typeof errorText === 'string')
    sink.text(outputs, 'tool_output', errorText, `${path}/errorText`, `${call.tool}.error`)
  const { reason, isAutomatic } = asRecord(approval)
  sink.say(outputs, isAutomatic === true ? 'system' : 'user', reason, `${path}/approval/reason`, 'approval.reason')
  if (!isAbsent(output) || typeof errorText === 'string') step.answered = true
}

/** Derives the outcome of a call from its `state`: a call with unfinished input, or one that waits for approval, did not run. */
function outcomeOfPart(tool: string, part: Json): ActOutcome {
  const { state, approval, output, preliminary, errorText } = part
  // A call with an output whose state denies a run is uncertain either way.
  const notRun = (outcome: ActOutcome): ActOutcome => (isAbsent(output) ? outcome : 'interrupted')
  if (asRecord(approval)['approved'] === false || state === 'output-denied') return notRun('rejected')
  if (state === 'input-streaming' || state === 'approval-requested') return notRun('cancelled')
  if (state === 'output-available') return preliminary === true ? 'interrupted' : outcomeOfOutput(tool, output, null)
  if (state !== 'output-error') return 'unknown'
  // A rejected input is kept unparsed, and no tool ran.
  if (isAbsent(part['input']) && !isAbsent(part['rawInput'])) return 'rejected'
  return outcomeOfOutput(tool, errorText, true)
}

function readInvocation(sink: ChatSink, step: OpenStep, invocation: Json, path: string): void {
  const { toolName: name, state, args, result } = invocation
  const call = addNamedCall(sink, step, { id: null, name, namePath: `${path}/toolName`, args, path: `${path}/args` })
  if (state === 'partial-call') settle(call, 'cancelled')
  if (isAbsent(result) && state !== 'result') return
  settle(call, state === 'result' ? outcomeOfOutput(call.tool, result, null) : 'interrupted')
  readOutput(sink, step.outputs, result, `${path}/result`, call.tool)
  step.answered = true
}
