import { cutName, idText, isAbsent, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText, isEmpty } from '../common/session.ts'
import { type FileRun, type Format, factsOf, groupRows, listIn, type ReadDocument } from '../format.ts'
import { readLocatedChat } from '../openai-chat/chat-steps.ts'
import { outcomeOfOutput } from '../openai-chat/openai-chat-sink.ts'
import { named, own } from '../tools/tool-table.ts'
import { messageOf, messagesIn, opened, type Side, STATES } from '../traces/chat-shapes.ts'
import { Located, type Tree, textsOf } from '../traces/located.ts'
import { readTrace } from '../traces/trace-run.ts'
import type { SpanKind, TracedTool, TraceSpan } from '../traces/trace-span.ts'

/** The format of LangChain's messages and LangGraph's states: a list in any written form, under `messages`, in a state, or alone. */
export const LANGCHAIN: Format = {
  name: 'langchain',
  recognizes: (document) => listOf(document) !== null,
  read: readLangChain,
}

const HOLDERS = ['values', 'state', 'output', 'outputs', 'channel_values'] as const

function listOf(document: Json): Located | null {
  const root = new Located(document, '')
  const lists = [root, ...HOLDERS.map((name) => root.member(name))].map((state) => state.member('messages'))
  const isOwn = (list: Located): boolean => list.items().some(({ value }) => isOwnMessage(value))
  return [...lists, root.member('records')].find(isOwn) ?? null
}

function readLangChain(reading: Reading, document: Json): ReadDocument {
  const list = listOf(document) ?? new Located([], '/messages')
  const agent = { name: null, model: asText(document['model']) }
  const messages = list.items().flatMap((item) => messageOf(item))
  return readLocatedChat(reading, list.path, agent, 'langchain', () => messages.map((tree) => ({ tree })))
}

const OWN_TYPES: ReadonlySet<unknown> = new Set(['ai', 'human', 'AIMessageChunk', 'HumanMessageChunk'])

function isOwnMessage(message: unknown): boolean {
  if (!isRecord(message) || 'role' in message) return false
  const { type, id, data } = message
  if (message['lc'] === 1 && Array.isArray(id))
    return type === 'constructor' && id.includes('messages') && isRecord(message['kwargs'])
  return OWN_TYPES.has(type) && ('content' in message || 'content' in asRecord(data))
}

/** The format of LangSmith traces: one run with its `child_runs`, or rows. Runs of type `llm` hold messages, `tool` acts; others only hold runs. */
export const LANGSMITH: Format = {
  name: 'langsmith',
  recognizes: (document) => isRun(document) || runsIn(document) !== null,
  read: readLangSmith,
  split: splitLangSmith,
  holdsSubagents: true,
}

/** Kinds of runs by their type; a chain, a prompt, a parser only hold other runs, or make nothing of the agent's. */
const KINDS: Readonly<Record<string, SpanKind>> = {
  ...{ llm: 'model', ...named('tool', 'tool retriever'), ...named('agent', 'chain prompt parser embedding') },
}
const MARKS = ['inputs', 'outputs', 'start_time', 'trace_id', 'child_runs', 'dotted_order'] as const

const isRun = (value: unknown): value is Json =>
  isRecord(value) && typeof value['run_type'] === 'string' && MARKS.filter((field) => field in value).length >= 2

/** Returns the runs of a document: a tree, rows, or the answer of a query; null for other documents. */
export const runsIn = (document: Json) => listIn(document, ['records', 'runs'], (list) => list.some(isRun))

function readLangSmith(reading: Reading, document: Json): ReadDocument {
  const { list, path } = (isRun(document) ? null : runsIn(document)) ?? { list: null, path: '' }
  const rows = list === null ? [new Located(document, '')] : new Located(list, path).items()
  for (const row of rows) if (!isRun(row.value)) reading.odd(row.path, 'a run', row.value)
  const roots = rows.filter(({ value }) => isRun(value))
  const runs = flattenRuns(reading, roots)
  warnAbsent(reading, runs)
  const isWhole = runs.every((run) => (own(KINDS, typeOf(run)) ?? 'agent') === 'agent')
  const root = runs.find(({ value }) => isRoot(asRecord(value))) ?? runs[0]
  const chosen = isWhole && root !== undefined ? [root] : runs
  const spans = chosen.flatMap((run) => spanOf(reading, run, isWhole))
  const { name } = asRecord((roots.find(({ value }) => isRoot(asRecord(value))) ?? roots[0])?.value)
  return readTrace(reading, spans, { format: 'langsmith', path }, { name: asName(name) })
}

/** Lists all runs of a trace, nested runs too (langsmith-sdk, python/langsmith/schemas.py, RunBase and Run). */
function flattenRuns(reading: Reading, roots: readonly Located[]): readonly Located[] {
  const runs: Located[] = []
  const open = roots.toReversed()
  for (let run = open.pop(); run !== undefined; run = open.pop()) {
    if (isRecord(run.value)) runs.push(run)
    else reading.odd(run.path, 'a run', run.value)
    for (const child of run.member('child_runs').items().reverse()) open.push(child)
  }
  return runs
}

const typeOf = (run: Located): string => asText(run.member('run_type').value) ?? 'none'

/** Returns the id of a row's trace; the row's own id where it names no trace. */
const traceOf = (run: Json): string => idText(run['trace_id']) ?? idText(run['id']) ?? ''

const isRoot = (run: Json): boolean => isAbsent(run['parent_run_id']) || run['parent_run_id'] === ''

/** Warns of runs that a run lists as its own and the file lacks: their acts are not known. */
function warnAbsent(reading: Reading, runs: readonly Located[]): void {
  const here = new Set(runs.map((run) => idText(run.member('id').value)))
  for (const run of runs)
    for (const field of ['child_run_ids', 'direct_child_run_ids'] as const) {
      const { value, path } = run.member(field)
      const absent = asList(value).filter((id) => !here.has(idText(id))).length
      if (absent === 0) continue
      reading.unread(path, `${absent} of the runs inside of this run are not in the file; not read`, true)
      break
    }
}

/** Returns the span of a run; none for a run of an unknown type. `isWhole`: no run of a model or a tool is in the file. */
function spanOf(reading: Reading, row: Located, isWhole: boolean): TraceSpan[] {
  const { path, record: run } = row
  const [called, id, error] = [typeOf(row), idText(run['id']), asText(run['error'])]
  const kind = own(KINDS, called)
  if (kind === undefined) {
    reading.unread(path, `unknown type of run: ${JSON.stringify(cutName(called))}; not read`, true)
    return []
  }
  // Rows of a table hold both as JSON in a string.
  const [inputs, outputs] = [opened(row.member('inputs')), opened(row.member('outputs'))]
  if (isWhole && (messagesIn(outputs, 'assistant') === null || !isState(outputs.value)))
    reading.unread(path, 'no run of a model or a tool is in the file; what they did is not known', true)
  const isModel = kind === 'model'
  const messagesOf = (payload: Located, side: Side): readonly Tree[] | null =>
    isAbsent(payload.value) || isEmpty(payload.value)
      ? []
      : (messagesIn(payload, side) ?? (isWhole ? [{ role: side, content: textsOf(payload) }] : null))
  const span: TraceSpan = {
    ...{ path, kind, id, agent: null, parent: idText(run['parent_run_id']), holds: isModel || isWhole },
    ...{ name: kind === 'tool' ? id : null, sent: inputs, answered: outputs },
    model: isModel ? asText(asRecord(asRecord(run['extra'])['metadata'])['ls_model_name']) : null,
    ...{ start: timeOf(run['start_time']), end: isWhole ? Number.POSITIVE_INFINITY : timeOf(run['end_time']) },
    input: () => messagesOf(inputs, 'user'),
    output: () => {
      const messages = messagesOf(outputs, 'assistant')
      // The last message of a state is the model's own.
      return isModel && isState(outputs.value) ? (messages?.slice(-1) ?? null) : messages
    },
    tool: kind === 'tool' ? toolOf(row, inputs, outputs) : null,
    ...(error !== null && { error: row.member('error') }),
  }
  return [span]
}

const isState = (value: unknown): boolean =>
  [value, ...STATES.map((name) => asRecord(value)[name])].some((state) => Array.isArray(asRecord(state)['messages']))

function toolOf(run: Located, inputs: Located, outputs: Located): TracedTool {
  const [name, error] = [run.member('name'), run.member('error')]
  const { id } = asRecord(run.value)
  const message = asRecord(messageIn(outputs.member('output')).value)
  const isError = asText(error.value) !== null
  const result = isError ? error : outputOf(outputs)
  const isFault = isError || message['status'] === 'error' ? true : null
  return {
    id: idText(inputs.member('id').value) ?? idText(message['tool_call_id']) ?? `run ${idText(id) ?? run.path}`,
    ...{ name, args: inputs, result, error: null, byName: true },
    outcome: outcomeOfOutput(asText(name.value) ?? '', result.value, isFault),
  }
}

const messageIn = (output: Located): Located =>
  isRecord(output.value) && 'lc' in output.value ? output.member('kwargs') : output

/** Unwraps a tool's output from LangChain's `output`, a message or the value itself. */
function outputOf(outputs: Located): Located {
  const output = outputs.member('output')
  if (output.value === undefined || Object.keys(asRecord(outputs.value)).length > 1) return outputs
  const message = messageIn(output)
  return isRecord(message.value) && 'content' in message.value ? message.member('content') : output
}

function splitLangSmith(root: Json): readonly FileRun[] | null {
  const runs = runsIn(root)
  if (runs === null) return null
  const groups = groupRows(runs.list, isRun, traceOf)
  return groups.map(([trace, rows]) => {
    const agent = asName(rows.filter(isRun).find(isRoot)?.['name'])
    const [only] = rows
    return {
      name: groups.length === 1 ? '' : cutName(trace),
      document: rows.length === 1 && isRecord(only) ? { ...only } : { records: rows },
      about: factsOf({ agent }),
    }
  })
}
