import type { ContentSink } from './content.ts'
import { isAbsent, isRecord, type Json, pointer, type Reading, typeName } from './reading.ts'
import { addCall, addLeaves, asText, mediaText, type OpenStep, type Session, sinkTo } from './session.ts'

/** The content blocks of the Messages API, as claude-code writes them. */

const SYSTEM_TAGS = ['system-reminder', 'local-command-caveat', 'local-command-stdout', 'local-command-stderr'] as const
const MORE_SYSTEM_TAGS = ['bash-stdout', 'bash-stderr', 'task-notification'] as const

/** Whether a text of a user record is wholly the harness's: wrapped in one of its tags from end to end. */
export function isHarnessText(text: string): boolean {
  const trimmed = text.trim()
  return [...SYSTEM_TAGS, ...MORE_SYSTEM_TAGS].some((tag) => {
    if (!trimmed.startsWith(`<${tag}>`)) return false
    const close = `</${tag}>`
    return tag === 'bash-stdout' || trimmed.indexOf(close) === trimmed.length - close.length
  })
}

/** The content of a user's message or of a tool's result. */
export function readBlocks(reading: Reading, content: unknown, path: string, sink: ContentSink): void {
  if (isAbsent(content)) return
  if (typeof content === 'string') sink.text(content, path)
  else if (Array.isArray(content))
    for (const [index, block] of content.entries()) readBlock(reading, block, pointer(path, index), sink)
  else reading.error(path, `must be text or an array of content blocks, not ${typeName(content)}`)
}

export function readBlock(reading: Reading, block: unknown, path: string, sink: ContentSink): void {
  if (typeof block === 'string') {
    sink.text(block, path)
    return
  }
  if (!isRecord(block)) {
    reading.error(path, `a content block must be an object, not ${typeName(block)}`)
    return
  }
  const { type } = block
  if (type === 'text') readString(reading, block, path, 'text', sink)
  else if (type === 'tool_reference') readString(reading, block, path, 'tool_name', sink)
  else if (type === 'image' || type === 'document') readSource(block, path, type, sink)
  else {
    reading.warnOnce(
      path,
      `unknown type of content block: ${String(type).slice(0, 100).toWellFormed()}; shown leaf by leaf`,
    )
    const { type: _type, ...rest } = block
    addLeaves(sink, rest, path)
  }
}

function readString(reading: Reading, block: Json, path: string, field: string, sink: ContentSink): void {
  const text = block[field]
  if (typeof text === 'string') sink.text(text, `${path}/${field}`)
  else reading.error(`${path}/${field}`, `must be text, not ${typeName(text)}`)
}

function readSource(block: Json, path: string, kind: string, sink: ContentSink): void {
  const source = isRecord(block['source']) ? block['source'] : {}
  const { type, data, url, media_type: media, content } = source
  if (type === 'text' && typeof data === 'string') sink.text(data, `${path}/source/data`)
  else if (type === 'content' && typeof content === 'string') sink.text(content, `${path}/source/content`)
  else sink.media(mediaText(kind, asText(url) ?? media), path, kind)
}

/** What one reply already showed, over all the records that hold pieces of it: texts and call ids, each with its record. */
export type ReplySeen = Map<string, string>

export interface AssistantPlace {
  readonly path: string
  /** Words that the harness puts into the agent's mouth: `API Error: …`. */
  readonly synthetic: boolean
  readonly seen: ReplySeen
  /**
   * The step for what comes now. Asked again after a tool that the provider ran inside the reply: what follows was written
   * with its result in sight.
   */
  step(afterResult: boolean): OpenStep
}

/** The blocks of an assistant's record. */
export function readAssistant(session: Session, content: unknown, place: AssistantPlace): void {
  const { reading } = session
  let step = place.step(false)
  const speaker = (): ContentSink =>
    sinkTo(reading, step.parts, place.synthetic ? 'system' : 'agent_message', 'message')
  if (!Array.isArray(content)) {
    readBlocks(reading, content, place.path, speaker())
    return
  }
  let ran = false
  for (const [index, block] of content.entries()) {
    const at = pointer(place.path, index)
    if (isRecord(block) && isRepeated(reading, block, at, place)) continue
    if (isRecord(block) && isServerResult(block)) {
      readServerResult(session, block, at)
      ran = true
      continue
    }
    if (ran) step = place.step(true)
    ran = false
    if (!isRecord(block)) readBlock(reading, block, at, speaker())
    else if (block['type'] === 'thinking')
      readString(reading, block, at, 'thinking', sinkTo(reading, step.parts, 'agent_reasoning', 'reasoning'))
    else if (block['type'] === 'redacted_thinking') reading.warnOnce(at, 'encrypted reasoning; it cannot be shown')
    else if (isCall(block['type'])) readCall(session, step, block, at)
    else readBlock(reading, block, at, speaker())
  }
}

const isCall = (type: unknown): boolean => type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use'

const isServerResult = ({ type }: Json): boolean => typeof type === 'string' && type.endsWith('_tool_result')

function readServerResult(session: Session, block: Json, path: string): void {
  const { parts, tool } = session.output(block['tool_use_id'], path, null)
  const sink = sinkTo(session.reading, parts, 'tool_output', tool)
  if (isRecord(block['content'])) addLeaves(sink, block['content'], `${path}/content`)
  else readBlocks(session.reading, block['content'], `${path}/content`, sink)
}

/** Streams repeat the blocks so far in every record of a reply; a call or a text of it is shown once. */
function isRepeated(reading: Reading, block: Json, path: string, { seen, path: record }: AssistantPlace): boolean {
  const text = asText(block['text']) ?? asText(block['thinking'])
  const key = isCall(block['type']) ? block['id'] : text
  if (typeof key !== 'string') return false
  const first = seen.get(key)
  if (first === undefined) seen.set(key, record)
  const again = first !== undefined && first !== record
  if (again) reading.warnOnce(path, 'repeats a block of the same message; shown once')
  return again
}

function readCall(session: Session, step: OpenStep, block: Json, path: string): void {
  const { reading } = session
  const { id, name, input, type } = block
  const tool = asText(name)
  if (tool === null) reading.warn(`${path}/name`, 'a tool call must name its tool')
  if (!isRecord(input)) reading.warn(`${path}/input`, `a tool call's input must be an object, not ${typeName(input)}`)
  const shown = tool ?? String(type)
  session.call(step, id, shown)
  const namePath = tool === null ? `${path}/type` : `${path}/name`
  addCall(reading, step.parts, { tool: shown, args: input, path: `${path}/input`, namePath })
}
