import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { readContent, textsIn } from '../common/content.ts'
import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, itemsIn, type Json, pointer, type Reading } from '../common/reading.ts'
import { addLeaves, asRecord, asText, mediaText, type Session, settle, sinkTo } from '../common/session.ts'
import { addCall, type CallWords } from '../common/session-calls.ts'
import { outcomeOfOutput as outcomeOfFunction } from '../openai-chat/openai-chat-sink.ts'
import { exitCodeInText, hasEnded, matchWords, outcomeOfCode, outcomeWithCode } from '../tools/outcomes.ts'
import { named, type OpenCall, own, type ToolSpec } from '../tools/tool-table.ts'

/** The items of the Responses API, as programs and codex (in its rollouts) keep them. */

const UNSHOWN: ReadonlySet<unknown> = new Set(['ghost_snapshot', 'additional_tools'])
const ENCRYPTED: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary', 'context_compaction'])

const HARNESS_HEADS = [
  '<environment_context>',
  '<user_instructions>',
  '# AGENTS.md instructions for ',
  '<permissions instructions>',
  '<turn_aborted>',
  '<skill>',
  '<subagent_notification>',
  '<user_shell_command>',
] as const

/** The differences between codex and other programs that keep the same items. */
export interface ItemDialect {
  speakerOf(role: unknown, text: string): Actor
  outcomeOf(tool: string, output: unknown, isFault: boolean | null): ActOutcome
  /** Returns the argument table of a tool that the session's own table lacks. */
  specOf(tool: string): ToolSpec | undefined
}

const CODEX: ItemDialect = { speakerOf, outcomeOf: outcomeOfOutput, specOf: () => undefined }

export function readItem(session: Session, item: Json, path: string, dialect: ItemDialect = CODEX): void {
  const { reading } = session
  const { type } = item
  if (type === 'message' || type === 'agent_message') readMessage(session, item, path, dialect)
  else if (type === 'reasoning') readReasoning(session, item, path)
  else if (typeof type === 'string' && type.endsWith('_call')) readCall(session, item, path, type, dialect)
  else if (isOutput(type)) readOutput(session, item, path, dialect)
  else if (ENCRYPTED.has(type)) {
    reading.isCompacted = true
    reading.warnOnce(path, 'an encrypted summary of the conversation; it cannot be shown')
  } else if (!UNSHOWN.has(type)) reading.unreadRecord(path, 'type of item', type, item)
}

const isOutput = (type: unknown): boolean =>
  type === 'tool_search_output' || asText(type)?.endsWith('_call_output') === true

function readMessage(session: Session, item: Json, path: string, { speakerOf }: ItemDialect): void {
  const { reading } = session
  const { role, content } = item
  const isOther = role !== 'user' && role !== 'system' && role !== 'developer' && role !== 'assistant'
  const byAgent = role === 'assistant' || item['type'] === 'agent_message' || isOther
  const step = byAgent ? session.turn(asText(item['id'])) : session.open('other', asText(item['id']))
  if (isOther && item['type'] !== 'agent_message')
    reading.warn(`${path}/role`, 'must be user, system, developer or assistant; read as the agent')
  const others = session.sink(step.parts, role === 'user' ? 'user' : 'system')
  const text = (text: string, at: string): void => session.say(step.parts, speakerOf(role, text), text, at)
  const sink = byAgent ? session.sink(step.parts, 'agent_message') : { ...others, text }
  readContent(content, `${path}/content`, sink)
}

function speakerOf(role: unknown, text: string): Actor {
  return role === 'user' && !HARNESS_HEADS.some((head) => text.trimStart().startsWith(head)) ? 'user' : 'system'
}

function readReasoning(session: Session, item: Json, path: string): void {
  const { reading } = session
  const { parts } = session.turn(asText(item['id']))
  const before = parts.length
  for (const field of ['summary', 'content'])
    readContent(item[field], `${path}/${field}`, session.sink(parts, 'agent_reasoning'))
  if (parts.length === before && !isAbsent(item['encrypted_content']))
    reading.warnOnce(`${path}/encrypted_content`, 'encrypted reasoning; it cannot be shown')
}

/** The members that hold a call's arguments, by the type of the item; other types use `arguments`, a JSON string. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  ...named(['action'], 'local_shell_call shell_call web_search_call'),
  ...{ computer_call: ['action', 'actions'], apply_patch_call: ['operation'], file_search_call: ['queries'] },
  ...{ code_interpreter_call: ['code'], custom_tool_call: ['input'], image_generation_call: ['revised_prompt'] },
}
/** Members whose text is the input of the tool itself, also where it resembles JSON. */
const TEXTS: ReadonlySet<string> = new Set(['input', 'code', 'action', 'operation', 'revised_prompt'])

export function readCall(session: Session, item: Json, path: string, type: string, { specOf }: ItemDialect): OpenCall {
  const fields = own(ARGUMENTS, type) ?? ['arguments']
  const field = fields.find((member) => !isAbsent(item[member])) ?? fields[0] ?? ''
  const name = asText(item['name'])
  if (name === null && NAMED.has(type)) session.reading.warn(`${path}/name`, 'a tool call must name its tool')
  const tool = name ?? type
  const step = session.turn(asText(item['id']))
  const call = session.call(step, idOf(item), tool)
  const args = item[field] === '' ? null : item[field]
  const place = { path: `${path}/${field}`, namePath: `${path}/${name === null ? 'type' : 'name'}` }
  // Only its server knows the arguments of an MCP tool; a command of a local shell that is no object has no argument of a known meaning.
  const isForeign = type.startsWith('mcp_') || (type === 'local_shell_call' && !isRecord(args) && !isAbsent(args))
  const spec = isForeign ? null : specOf(tool)
  const isText = TEXTS.has(field) && typeof args === 'string'
  addCall(session, step.parts, { ...place, call, args, isText, ...(spec !== undefined && { spec }) })
  // The output of a local shell may name the item instead of the call.
  if (type === 'local_shell_call') session.remember(step, item['id'], call)
  settle(call, outcomeOfStatus(type, item['status']))
  readResults(session, item, path, call)
  return call
}

const NAMED: ReadonlySet<string> = wordSet('function_call custom_tool_call mcp_call mcp_approval_request')

const idOf = (item: Json): unknown => item['call_id'] ?? item['id']

function readResults(session: Session, item: Json, path: string, call: OpenCall): void {
  const { type, result } = item
  const sink = () => sinkTo(session.reading, session.output(idOf(item), path, null).parts, 'tool_output', call.tool)
  if (type === 'image_generation_call' && !isAbsent(result))
    sink().media('[image]', `${path}/result`, 'image', { media_type: 'image/png', data: result })
  if (type === 'mcp_call') readServerAnswer(session, item, path, call)
  const field = type === 'file_search_call' ? 'results' : 'outputs'
  for (const [piece, at] of itemsIn(item[field], `${path}/${field}`)) {
    const results = sink()
    const { url, ...texts } = asRecord(piece)
    for (const name of ['filename', 'text', 'logs'])
      if (typeof texts[name] === 'string') results.text(texts[name], `${at}/${name}`)
    if (typeof url === 'string') results.media(mediaText('image', url), at, 'image', { url })
  }
}

function readServerAnswer(session: Session, { id, output, error, status }: Json, path: string, call: OpenCall): void {
  const isFault = !isAbsent(error) && error !== ''
  if (isFault || !isAbsent(output) || status === 'failed' || status === 'completed')
    settle(call, outcomeOfFunction('', isFault ? '' : output, isFault || status === 'failed'))
  if (isAbsent(output) && !isFault) return
  const { parts } = session.output(id, path, null)
  readAnswer(session.reading, parts, output, `${path}/output`, call.tool)
  if (isFault) readAnswer(session.reading, parts, error, `${path}/error`, `${call.tool}.error`)
}

function readOutput(session: Session, item: Json, path: string, { outcomeOf }: ItemDialect): void {
  const { type, call_id: called, id, status } = item
  const field = type === 'tool_search_output' ? 'tools' : 'output'
  const [value, at] = [item[field], `${path}/${field}`]
  const streams = type === 'shell_call_output' && Array.isArray(value) && value.every(isRecord) ? value : []
  const isScreen = type === 'computer_call_output'
  const isFault = type === 'apply_patch_call_output' ? flagOf(status) : null
  const outcome = (tool: string): ActOutcome =>
    isScreen ? 'answered' : streams.length > 0 ? outcomeOfStreams(streams) : outcomeOf(tool, value, isFault)
  const answered = type === 'local_shell_call_output' && !session.hasCall(called) ? id : called
  const { parts, tool } = session.output(answered, `${path}/call_id`, asText(id), outcome)
  const url = asRecord(value)['image_url']
  if (isScreen) session.sink(parts, 'tool_output', tool).media(mediaText('image', url), at, 'image', { url })
  else if (streams.length === 0) readAnswer(session.reading, parts, value, at, tool)
  for (const [index, stream] of streams.entries())
    for (const name of ['stdout', 'stderr'] as const)
      readAnswer(session.reading, parts, stream[name], `${pointer(at, index)}/${name}`, `${tool}.${name}`)
}

const flagOf = (status: unknown): boolean | null => (status === 'failed' ? true : status === 'completed' ? false : null)

function outcomeOfStreams(streams: readonly Json[]): ActOutcome {
  const ends = streams.map((stream) => asRecord(stream['outcome']))
  const code = ends.map(({ exit_code: code }) => code).find((code) => typeof code === 'number' && code !== 0)
  if (ends.some(({ type }) => type === 'timeout')) return 'interrupted'
  if (typeof code === 'number') return outcomeOfCode(code)
  return ends.every(({ exit_code: code }) => code === 0) ? 'ran' : 'answered'
}

/** Reads a tool result: text, a list of content, or an object around either (`content` in the oldest rollouts). */
export function readAnswer(reading: Reading, parts: Part[], output: unknown, path: string, tool: string): void {
  const sink = sinkTo(reading, parts, 'tool_output', tool)
  if (typeof output === 'string') {
    const envelope = decodeEnvelope(output)
    if (envelope === null) sink.text(output, path)
    for (const { text, pointer: at, name } of envelope === null ? [] : leavesOf(envelope, `${path}#`))
      reading.add(parts, { actor: 'tool_output', text, path: at, name: `${tool}.${name}` })
  } else if (Array.isArray(output) && output.every((piece) => isRecord(piece) && typeof piece['type'] === 'string'))
    readContent(output, path, sink)
  else if (isRecord(output) && ('content' in output || 'body' in output)) {
    const field = 'content' in output ? 'content' : 'body'
    readAnswer(reading, parts, output[field], `${path}/${field}`, tool)
  } else if (!isAbsent(output)) addLeaves(sink, output, path)
}

/** Decodes the older envelope of a command's output: `{"output": "…", "metadata": {"exit_code": 0}}`. */
function decodeEnvelope(text: string): Json | null {
  const envelope = decodeObject(text)
  if (envelope === null || typeof envelope['output'] !== 'string') return null
  return Object.keys(envelope).every((key) => key === 'output' || key === 'metadata') ? envelope : null
}

/** The item of a search, which has no id: its action names it. */
const SEARCH = 'web_search_call'
export const actionOf = ({ action }: Json): string => `search ${JSON.stringify(action)}`

/** Collects the texts and answered calls of a rollout's items, which its events repeat, and an event may precede its item. */
export function shownBy(items: readonly Json[]) {
  // The texts of items, the texts that only an event has shown, and the ids of the calls with a result item.
  const [texts, eventTexts, answered] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const item of items) {
    const id = isOutput(item['type']) ? idText(item['call_id']) : null
    if (id !== null) answered.add(id)
    if (item['type'] === SEARCH) texts.add(actionOf(item))
    for (const value of [item['content'], item['summary']]) for (const text of textsIn(value)) texts.add(text)
  }
  return { texts, eventTexts, answered }
}

/** Tools whose output follows a head of the harness, so that a program cannot write the beginning of the text. */
const HEADED: ReadonlySet<string> = wordSet(`shell container.exec shell_command exec_command write_stdin
  local_shell_call apply_patch exec`)

const HEAD = 1000

function outcomeOfOutput(tool: string, output: unknown): ActOutcome {
  if (isRecord(output)) {
    const inner = output['content'] ?? output['body']
    const outcome = inner === undefined ? 'answered' : outcomeOfOutput(tool, inner)
    if (!hasEnded(outcome) || typeof output['success'] !== 'boolean') return outcome
    return output['success'] ? 'ran' : 'failed'
  }
  const first: unknown = Array.isArray(output) ? output.find(isRecord) : output
  const text = isRecord(first) ? first['text'] : first
  if (typeof text !== 'string' || !HEADED.has(tool)) return 'answered'
  const head = text.slice(0, HEAD)
  const words = matchWords('codex', text)
  if (words !== null) return words.outcome
  if (/^Wall time: [\d.]{1,20} seconds\naborted by user/.test(head)) return 'interrupted'
  return outcomeWithCode('answered', exitCodeIn(text))
}

/** Returns the exit code before the output: lines of text, or the older envelope, which may be cut. */
function exitCodeIn(text: string): number | null {
  if (!text.startsWith('{"output"')) return exitCodeInText('codex', text)
  const [, code] = /"exit_code":\s{0,5}(-?\d{1,10})/.exec(text.slice(-HEAD)) ?? []
  return code === undefined ? null : Number(code)
}

const ENDED_BY_STATUS: ReadonlySet<string> = wordSet(`web_search_call image_generation_call file_search_call
  code_interpreter_call`)
const ENDS: Readonly<Record<string, ActOutcome>> = { completed: 'ran', failed: 'failed' }

const outcomeOfStatus = (type: string, status: unknown): ActOutcome =>
  (ENDED_BY_STATUS.has(type) ? own(ENDS, status) : undefined) ?? 'unknown'

export function outcomeOfEnd({ type, status, success, result, error, exit_code: code }: Json): ActOutcome {
  const own = typeof code === 'number' ? code : null
  const { Ok: ok, Err: err } = asRecord(result)
  const isFault = [ok, result].map(asRecord).some((inner) => inner['is_error'] === true || inner['isError'] === true)
  if (status === 'declined') return 'rejected'
  if (status === 'failed' || success === false || isRecord(error) || asText(error) !== null || isFault)
    return outcomeWithCode('failed', own)
  if (err !== undefined) return 'failed'
  if (status === 'in_progress') return 'unknown'
  return outcomeWithCode(type === 'command_execution' && own === null ? 'answered' : 'ran', own)
}

/** Classifies the leaves of a patch by file: `{"/a": {"add": {"content"}}}` or `{"/a": {"type": "add", "content"}}`. A deletion writes nothing. */
export function changesOf(changes: unknown): Pick<CallWords, 'kindOf'> {
  const isDeletion = (change: unknown): boolean =>
    isRecord(change) && ('delete' in change || change['type'] === 'delete')
  const files = Object.keys(asRecord(changes)).filter((file) => isDeletion(asRecord(changes)[file]))
  const isDeleted = new Set(files.map((file) => pointer('/changes', file)))
  return {
    kindOf({ pointer: at }) {
      const inner = at.slice(at.lastIndexOf('/changes/'))
      if (isDeleted.has(inner.split('/', 3).join('/'))) return 'removes'
      if (inner.endsWith('/unified_diff')) return 'patch'
      return inner.endsWith('/type') ? 'describes' : undefined
    },
  }
}
