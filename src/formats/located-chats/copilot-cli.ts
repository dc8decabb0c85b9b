import { wordSet } from '../../domain/text/words.ts'
import type { ActOutcome } from '../../domain/trajectory/act.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { Located, type Tree } from '../traces/located.ts'
import type { TraceSink } from '../traces/trace-span.ts'
import { type LocatedMessage, readLocatedChat } from './located-chat.ts'

/**
 * The format of GitHub Copilot CLI (`~/.copilot/session-state/*\/events.jsonl`, `--output-format json`) and of Copilot's transcripts in VS Code: events
 * `{type, data, id, timestamp}`. Source: github/copilot-sdk, generated/session_events.
 */
export const COPILOT_CLI: Format = {
  name: 'copilot-cli',
  recognizes: ({ records }) =>
    asList(records).some((record) => MESSAGES.has(asRecord(record)['type']) && isRecord(asRecord(record)['data'])),
  read: readCopilotCli,
  // Texts for people and settings beside the words of the run.
  asides: new Set([
    'detailedContent',
    'toolTelemetry',
    'context',
    'modelMetrics',
    'encryptedContent',
    'reasoningOpaque',
  ]),
}

const MESSAGES: ReadonlySet<unknown> = new Set(['user.message', 'assistant.message'])

/** Events whose text the harness wrote for the model, with the member that holds the text. */
const NOTES: Readonly<Record<string, string>> = {
  ...{ 'system.message': 'content', 'system.notification': 'content', 'skill.invoked': 'content' },
  ...{ 'session.error': 'message', 'session.warning': 'message', 'session.info': 'message' },
}

/** Events about the harness's own state, and pieces of messages that come whole. */
const BOOKKEEPING = wordSet(`assistant.turn_start assistant.turn_end assistant.usage assistant.intent
  assistant.reasoning assistant.streaming_delta session.start session.resume session.idle session.shutdown
  session.model_change session.mode_changed session.plan_changed session.title_changed session.context_changed
  session.workspace_file_changed session.usage_info session.usage_checkpoint session.handoff session.task_complete
  session.compaction_start session.tools_updated session.background_tasks_changed session.skills_loaded
  session.mcp_servers_loaded session.mcp_server_status_changed session.extensions_loaded session.custom_agents_updated
  pending_messages.modified permission.requested permission.completed hook.start hook.end tool.execution_progress
  tool.execution_partial_result external_tool.requested external_tool.completed user_input.requested
  user_input.completed command.queued command.execute command.completed commands.changed capabilities.changed result`)

const REFUSALS: ReadonlySet<unknown> = new Set(['denied', 'rejected'])
/** `<exited with exit code 1>`, `<shellId: 0 completed with exit code 1>` */
const EXITED = /\bexit code (\d{1,10})>\s*$/u

function readCopilotCli(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const models = records.map((record) => {
    const { newModel, selectedModel, model } = asRecord(asRecord(record)['data'])
    return asName(newModel) ?? asName(selectedModel) ?? asName(model)
  })
  const agent = { name: 'copilot-cli', model: models.findLast((name) => name !== null) ?? null }
  return readLocatedChat(reading, '/records', agent, 'copilot-cli', (sink) => eventsIn(reading, sink, records))
}

function* eventsIn(reading: Reading, sink: TraceSink, records: readonly unknown[]): Generator<LocatedMessage> {
  const asked = new Set<unknown>()
  for (const [value, path] of itemsIn(records, '/records')) {
    const { type, data, id, timestamp } = asRecord(value)
    const event = { type: asText(type) ?? '', data: new Located(data, `${path}/data`), path }
    const about = { path: event.data.path, name: asText(id), at: timeOf(timestamp) }
    sink.session.now = about.at
    const [trees, outcomes] = [messagesOf(event, asked), outcomesOf(event)]
    for (const tree of trees) yield { ...about, tree, outcomes }
    if (trees.length === 0) noteEvent(reading, sink, event, value)
  }
}

interface CopilotEvent {
  readonly type: string
  readonly data: Located
  readonly path: string
}

/** Returns the messages of an event; none for an event that holds none. `asked`: the ids of the calls so far. */
function messagesOf({ type, data }: CopilotEvent, asked: Set<unknown>): readonly Tree[] {
  const callOf = (request: Located, name: string): Tree[] => {
    const id = request.member('toolCallId')
    if (asked.has(id.value)) return []
    asked.add(id.value)
    return [{ id, function: { name: request.member(name), arguments: request.member('arguments') } }]
  }
  const facts = asRecord(data.value)
  if (type === 'user.message') {
    const own = { role: 'user', content: data.member('content') }
    // The harness sends the user's words with its own around them.
    const isChanged =
      typeof facts['transformedContent'] === 'string' && facts['transformedContent'] !== facts['content']
    return isChanged ? [own, { role: 'system', content: data.member('transformedContent') }] : [own]
  }
  if (type === 'assistant.message') {
    const calls = data
      .member('toolRequests')
      .items()
      .flatMap((request) => callOf(request, 'name'))
    const [content, reasoning_content] = [data.member('content'), data.member('reasoningText')]
    return [{ role: 'assistant', content, reasoning_content, ...(calls.length > 0 && { tool_calls: calls }) }]
  }
  if (type === 'tool.execution_start') {
    const calls = callOf(data, 'toolName')
    return calls.length > 0 ? [{ role: 'assistant', content: null, tool_calls: calls }] : []
  }
  if (type !== 'tool.execution_complete') return []
  const [result, error] = [data.member('result'), data.member('error')]
  const answer = isRecord(result.value) ? result.member('content') : result
  const content = isRecord(error.value) ? error.member('message') : answer.value === undefined ? '' : answer
  return [{ role: 'tool', tool_call_id: data.member('toolCallId'), content }]
}

/** Derives the outcome of a call from its end: refused by the user or a hook, failed, or a command with an exit code. */
function outcomesOf({ type, data }: CopilotEvent): Record<string, ActOutcome> {
  const { toolCallId, success, error, result } = asRecord(data.value)
  if (type !== 'tool.execution_complete' || typeof toolCallId !== 'string') return {}
  if (REFUSALS.has(asRecord(error)['code'])) return { [toolCallId]: 'rejected' }
  const output = asRecord(result)['content']
  const code = typeof output === 'string' ? EXITED.exec(output.slice(-100))?.[1] : undefined
  return success === false || Number(code ?? 0) !== 0 ? { [toolCallId]: 'failed' } : {}
}

/** Reads an event without a message: a note for the model, a compaction, an end of the turn, or the harness's own state. */
function noteEvent(reading: Reading, sink: TraceSink, { type, data, path }: CopilotEvent, record: unknown): void {
  const note = (actor: Actor, member: string, name: string): void => {
    const { value, path: at } = data.member(member)
    sink.session.note(actor, value, at, name)
  }
  if (Object.hasOwn(NOTES, type)) note('system', NOTES[type] ?? '', type)
  else if (type === 'session.compaction_complete' || type === 'session.truncation') {
    reading.isCompacted = true
    note('agent_message', 'summaryContent', 'compact_summary')
  } else if (type === 'abort') sink.session.settleOpen('interrupted')
  else if (type === 'session.snapshot_rewind')
    reading.warn(path, 'the session was wound back; what was said before stays shown')
  else if (BOOKKEEPING.has(type) || type.endsWith('_delta') || type === 'tool.execution_start') reading.leaveOut(path)
  else reading.unreadRecord(path, 'type of event', type, record)
}
