import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { outcomeOfStatus, readAnswer } from '../codex/codex-items.ts'
import { idText, isAbsent, isRecord, itemsIn, type Json, pointer } from '../common/reading.ts'
import {
  asList,
  asRecord,
  asText,
  mediaText,
  type OutputPlace,
  type Session,
  settle,
  sinkTo,
} from '../common/session.ts'
import { addCall, addNamedCall } from '../common/session-calls.ts'
import { outcomeOfOutput } from '../openai-chat/openai-chat-blocks.ts'
import { COMMON_TOOLS, specOf, toolsOf } from '../tools/harnesses.ts'
import { outcomeOfCode } from '../tools/outcomes.ts'
import { named, type OpenCall, type ToolSpec, type ToolTable } from '../tools/tool-table.ts'

/** Ids of the approval requests of a run: those that were refused, and those whose call ran. */
export interface Approvals {
  readonly refused: ReadonlySet<string>
  readonly used: ReadonlySet<string>
}

export function approvalsIn(items: readonly unknown[]): Approvals {
  const [refused, used] = [new Set<string>(), new Set<string>()]
  for (const item of items.filter(isRecord)) {
    const id = idText(item['approval_request_id'])
    if (id === null) continue
    if (item['type'] === 'mcp_call') used.add(id)
    else if (item['approve'] === false) refused.add(id)
  }
  return { refused, used }
}

/** The member that holds the arguments of a hosted tool. */
const ACTS: Readonly<Record<string, readonly string[]>> = {
  local_shell_call: ['action'],
  shell_call: ['action'],
  apply_patch_call: ['operation'],
  computer_call: ['action', 'actions'],
  web_search_call: ['action'],
  file_search_call: ['queries'],
  code_interpreter_call: ['code'],
}

/** Reads an item of a provider's hosted tool; false for other items, which codex has as well. */
export function readHosted(session: Session, item: Json, path: string, approvals: Approvals): boolean {
  const type = asText(item['type']) ?? ''
  if (Object.hasOwn(ACTS, type)) readCall(session, item, path, type)
  else if (type === 'mcp_call') readMcpCall(session, item, path)
  else if (type === 'mcp_approval_request') readRequest(session, item, path, approvals)
  else if (type === 'mcp_approval_response')
    session.note('user', item['reason'], `${path}/reason`, 'approval.reason', asText(item['id']))
  else if (type === 'mcp_list_tools') session.reading.warnOnce(path, 'descriptions of the tools of a server; not read')
  else if (OUTPUTS.has(type)) readOutput(session, item, path, type)
  else return false
  return true
}

const OUTPUTS: ReadonlySet<string> = wordSet(`shell_call_output local_shell_call_output apply_patch_call_output
  computer_call_output`)

const idOf = (item: Json): unknown => item['call_id'] ?? item['id']

function readCall(session: Session, item: Json, path: string, type: string): void {
  const step = session.turn(asText(item['id']))
  const call = session.call(step, idOf(item), type)
  // The output of a local shell names the item instead of the call.
  session.remember(step, item['id'], call)
  const field = (ACTS[type] ?? []).find((member) => !isAbsent(item[member])) ?? 'action'
  const args = item[field]
  const words = { call, path: `${path}/${field}`, namePath: `${path}/type` }
  // A command that is no object has no argument whose meaning is known.
  const isOdd = type === 'local_shell_call' && !isRecord(args) && !isAbsent(args)
  addCall(session, step.parts, { ...words, args, isText: typeof args === 'string', ...(isOdd && { spec: null }) })
  settle(call, outcomeOfItem(type, item))
  readResults(session, item, path, type, call)
}

function outcomeOfItem(type: string, { status }: Json): ActOutcome {
  if (type === 'web_search_call') return outcomeOfStatus(type, status)
  if (type !== 'file_search_call' && type !== 'code_interpreter_call') return 'unknown'
  return status === 'completed' ? 'ran' : status === 'failed' ? 'failed' : 'unknown'
}

/** Reads the results inside of the item: texts of a search, output of code. */
function readResults(session: Session, item: Json, path: string, type: string, call: OpenCall): void {
  const field = type === 'file_search_call' ? 'results' : 'outputs'
  for (const [result, at] of itemsIn(item[field], `${path}/${field}`)) {
    const { parts } = session.output(idOf(item), path, null)
    const sink = sinkTo(session.reading, parts, 'tool_output', call.tool)
    const { text, logs, url, filename } = asRecord(result)
    if (typeof filename === 'string') sink.text(filename, `${at}/filename`)
    if (typeof text === 'string') sink.text(text, `${at}/text`)
    if (typeof logs === 'string') sink.text(logs, `${at}/logs`)
    if (typeof url === 'string') sink.media(mediaText('image', url), at, 'image', { url })
  }
}

/** Reads a call of an MCP server's tool, with its result. Only the server knows the tool's arguments, so no table is used. */
function readMcpCall(session: Session, item: Json, path: string): void {
  const { output, error, status } = item
  const call = addServerCall(session, item, path)
  const isFault = !isAbsent(error) && error !== ''
  const isOver = isFault || !isAbsent(output) || status === 'failed' || status === 'completed'
  if (isOver) settle(call, outcomeOfOutput('', isFault ? '' : output, isFault || status === 'failed'))
  if (isAbsent(output) && !isFault) return
  const { parts } = session.output(item['id'], path, null)
  readAnswer(session.reading, parts, output, `${path}/output`, call.tool)
  if (isFault) readAnswer(session.reading, parts, error, `${path}/error`, `${call.tool}.error`)
}

/** Reads a call that waits for approval. The call that ran shows it; a request without one is rejected or cancelled. */
function readRequest(session: Session, item: Json, path: string, { refused, used }: Approvals): void {
  const id = idText(item['id'])
  if (id !== null && used.has(id)) return
  settle(addServerCall(session, item, path), id !== null && refused.has(id) ? 'rejected' : 'cancelled')
}

function addServerCall(session: Session, { id, name, type, arguments: args }: Json, path: string): OpenCall {
  const place = { path: `${path}/arguments`, namePath: `${path}/name`, type: { text: type, path: `${path}/type` } }
  return addNamedCall(session, session.turn(asText(id)), { id, name, args, spec: null, ...place })
}

/** Reads the output of a hosted tool. The output of a local shell may name the item instead of the call. */
function readOutput(session: Session, item: Json, path: string, type: string): void {
  const { call_id: called, id, output, status } = item
  const isLocal = type === 'local_shell_call_output'
  const answered = isLocal && !session.hasCall(called) ? id : called
  const place = session.output(answered, isLocal ? path : `${path}/call_id`, asText(id))
  const at = `${path}/output`
  const entries = type === 'shell_call_output' ? asList(output) : []
  if (type === 'computer_call_output') {
    settle(place.call, 'answered')
    const url = asRecord(output)['image_url']
    const part = { actor: 'tool_output', text: mediaText('image', url), path: at, name: place.tool } as const
    session.reading.addMedia(place.parts, part, { url })
  } else if (entries.length > 0 && entries.every(isRecord)) readStreams(session, place, entries, at)
  else {
    const isError =
      type !== 'apply_patch_call_output' || (status !== 'failed' && status !== 'completed') ? null : status === 'failed'
    settle(place.call, outcomeOfOutput(place.tool, output, isError))
    readAnswer(session.reading, place.parts, output, at, place.tool)
  }
}

/** Reads the output of a shell: one entry for each command, with its streams and its outcome. */
function readStreams(
  session: Session,
  { call, parts, tool }: OutputPlace,
  entries: readonly Json[],
  path: string,
): void {
  const codes = entries.map((entry) => asRecord(entry['outcome']))
  const code = codes.map((outcome) => outcome['exit_code']).find((value) => typeof value === 'number' && value !== 0)
  const isStopped = codes.some(({ type }) => type === 'timeout')
  const isKnown = codes.every((outcome) => outcome['exit_code'] === 0)
  settle(
    call,
    isStopped ? 'interrupted' : typeof code === 'number' ? outcomeOfCode(code) : isKnown ? 'ran' : 'answered',
  )
  for (const [index, entry] of entries.entries())
    for (const field of ['stdout', 'stderr'] as const)
      readAnswer(session.reading, parts, entry[field], `${pointer(path, index)}/${field}`, `${tool}.${field}`)
}

/** Argument tables of OpenAI's hosted tools, by item type (openai, resources/responses/responses.d.ts, ResponseItem). */
export const HOSTED_TOOLS: ToolTable = {
  local_shell_call: toolsOf('codex')['local_shell_call'] ?? { args: {} },
  shell_call: { args: { commands: 'shell', timeout_ms: 'describes', max_output_length: 'describes' } },
  apply_patch_call: {
    args: { diff: 'patch', path: 'writes', type: 'describes' },
    target: ['path'],
    // The call itself deletes the file.
    by: { argument: 'type', cases: { delete_file: { path: 'executes', type: 'describes' } } },
  },
  computer_call: { args: { type: 'describes' }, rest: 'executes' },
  code_interpreter_call: { args: { code: 'code' } },
  ...named({ args: {}, rest: 'searches' }, 'file_search_call tool_search_call'),
  web_search_call: { args: { type: 'describes' }, rest: 'web' },
}

/** The prefix of the Agents SDK's tools that hand over to another agent (openai-agents-python, src/agents/handoffs). */
const HANDOFF = 'transfer_to_'

/** Returns the argument table of the program's own tool. */
export const specOfFunction = (tool: string): ToolSpec | undefined =>
  Object.hasOwn(HOSTED_TOOLS, tool) ? undefined : tool.startsWith(HANDOFF) ? COMMON_TOOLS['task'] : specOf(null, tool)
