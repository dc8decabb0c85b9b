import type { Step } from '../../domain/trajectory/trajectory.ts'
import {
  cutName,
  idText,
  isAbsent,
  isRecord,
  itemsIn,
  type Json,
  pointer,
  type Reading,
  timeOf,
} from '../common/reading.ts'
import { asList, asName, asRecord, asText, isEmpty } from '../common/session.ts'
import { mayAct } from '../common/unread-acts.ts'
import { type FileRun, type Format, factsOf, groupRows, listIn, type ReadDocument } from '../format.ts'
import { outcomeOfOutput } from '../openai-chat/openai-chat-blocks.ts'
import { decodeLocated, messagesIn, modelOf, type Side } from '../traces/chat-shapes.ts'
import { Located, type Tree, textsOf } from '../traces/located.ts'
import { readTrace } from '../traces/trace-run.ts'
import type { TracedTool, TraceSpan } from '../traces/trace-span.ts'

/**
 * The format of LangSmith traces: one run with its `child_runs`, or the rows of one trace, as its API and exports write them. Runs of type
 * `llm` hold the models' messages and answers, runs of type `tool` the acts; runs of chains only hold other runs.
 */
export const LANGSMITH: Format = {
  name: 'langsmith',
  recognizes: (document) => isRun(document) || runsIn(document) !== null,
  read: readLangSmith,
  split: splitLangSmith,
  holdsSubagents: true,
}

/** Types of runs that only hold other runs, or that make nothing of the agent's. */
const HOLDERS: ReadonlySet<unknown> = new Set(['chain', 'prompt', 'parser', 'embedding'])
const TOOLS: ReadonlySet<unknown> = new Set(['tool', 'retriever'])
const MARKS = ['inputs', 'outputs', 'start_time', 'trace_id', 'child_runs', 'dotted_order'] as const

/** Recognizes a run by its `run_type` and at least two more of its members. */
const isRun = (value: unknown): value is Json =>
  isRecord(value) && typeof value['run_type'] === 'string' && MARKS.filter((field) => field in value).length >= 2

/** Returns the runs of a document: a tree, rows, or the answer of a query; null for other documents. */
export const runsIn = (document: Json) => listIn(document, ['records', 'runs'], (list) => list.some(isRun))

/** A run of a trace, that is, a span (langsmith-sdk, python/langsmith/schemas.py, RunBase and Run), and its path. */
interface PlacedRun {
  readonly run: Json
  readonly path: string
}

function readLangSmith(reading: Reading, document: Json): ReadDocument {
  const { list, path: at } = isRun(document)
    ? { list: [document], path: '' }
    : (runsIn(document) ?? { list: [], path: '' })
  const rows = list.flatMap((run, index): PlacedRun[] => {
    const path = isRun(document) ? '' : pointer(at, index)
    if (isRun(run)) return [{ run, path }]
    reading.odd(path, 'a run', run)
    return []
  })
  const runs = flattenRuns(reading, rows)
  warnAbsent(reading, runs)
  const { steps, model } = stepsOf(reading, runs, at)
  const root = rows.find(({ run }) => isRoot(run))?.run ?? rows[0]?.run
  return { format: 'langsmith', agent: { name: asName(root?.['name']), model }, steps }
}

/** Lists all runs, nested runs too. */
function flattenRuns(reading: Reading, roots: readonly PlacedRun[]): readonly PlacedRun[] {
  const placed: PlacedRun[] = []
  const open = [...roots].reverse()
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    placed.push(item)
    for (const [child, path] of [...itemsIn(item.run['child_runs'], `${item.path}/child_runs`)].reverse())
      if (isRecord(child)) open.push({ run: child, path })
      else reading.odd(path, 'a run', child)
  }
  return placed
}

/** Returns the id of a row's trace; the row's own id where it names no trace. */
const traceOf = (run: Json): string => idText(run['trace_id']) ?? idText(run['id']) ?? ''

const isRoot = (run: Json): boolean => isAbsent(run['parent_run_id']) || run['parent_run_id'] === ''

/** Warns of runs that a run lists as its own and the file lacks: their acts are not known. */
function warnAbsent(reading: Reading, runs: readonly PlacedRun[]): void {
  const here = new Set(runs.map(({ run }) => idText(run['id'])))
  for (const { run, path } of runs)
    for (const field of ['child_run_ids', 'direct_child_run_ids'] as const) {
      const absent = asList(run[field]).filter((id) => !here.has(idText(id))).length
      if (absent === 0) continue
      reading.unread(`${path}/${field}`, `${absent} of the runs inside of this run are not in the file; not read`, true)
      break
    }
}

/** Reads the steps, and the model that an answer or a run names. */
function stepsOf(
  reading: Reading,
  runs: readonly PlacedRun[],
  list: string,
): { readonly steps: readonly Step[]; readonly model: string | null } {
  const isWhole = !runs.some(({ run }) => run['run_type'] === 'llm' || TOOLS.has(run['run_type']))
  const root = runs.find(({ run }) => isRoot(run)) ?? runs[0]
  const chosen = isWhole && root !== undefined ? [root] : runs
  const spans = chosen.flatMap((placed) => spanOf(reading, placed, isWhole))
  let model: string | null = null
  const steps = readTrace(reading, spans, list, null, (message) => {
    model ??= modelOf(message)
  })
  return { steps, model: spans.find((span) => span.model !== null)?.model ?? model }
}

/** Returns the span of a run; none for a run of an unknown type. `isWhole`: no run of a model or a tool is in the file. */
function spanOf(reading: Reading, { run, path }: PlacedRun, isWhole: boolean): TraceSpan[] {
  const { run_type: type, error } = run
  const [id, isModel, isTool] = [idText(run['id']), type === 'llm', TOOLS.has(type)]
  if (!isModel && !isTool && !HOLDERS.has(type)) {
    reading.unread(path, `unknown type of run: ${JSON.stringify(cutName(asText(type) ?? 'none'))}; not read`, true)
    return []
  }
  const [inputs, outputs] = (['inputs', 'outputs'] as const).map((side) => payloadOf(run, path, side)) as [
    Located,
    Located,
  ]
  const isSilent = ({ value }: Located) => isAbsent(value) || isEmpty(value)
  const answer = messagesIn(outputs, 'assistant')
  if (isWhole && (answer === null || !isState(outputs.value)))
    reading.unread(path, 'no run of a model or a tool is in the file; what they did is not known', true)
  else if (isWhole) warnBeside(reading, outputs)
  const span: TraceSpan = {
    ...{ path, kind: isModel ? 'model' : isTool ? 'tool' : 'agent', called: String(type), agent: null },
    ...{ id, name: isTool ? id : null, parent: idText(run['parent_run_id']), holds: isModel || isWhole },
    model: isModel ? asText(asRecord(asRecord(run['extra'])['metadata'])['ls_model_name']) : null,
    ...{ start: timeOf(run['start_time']), end: isWhole ? Number.POSITIVE_INFINITY : timeOf(run['end_time']) },
    input: () => (isSilent(inputs) ? [] : (messagesIn(inputs, 'user') ?? (isWhole ? wholeOf(inputs, 'user') : null))),
    output: () => {
      if (isSilent(outputs)) return []
      const messages = messagesIn(outputs, 'assistant') ?? (isWhole ? wholeOf(outputs, 'assistant') : null)
      // The last message of a state is the model's own.
      return isModel && isState(outputs.value) ? (messages?.slice(-1) ?? null) : messages
    },
    ...{ sent: inputs, answered: outputs },
    tool: isTool ? toolOf(run, path, inputs, outputs) : null,
    ...(asText(error) !== null && { error: new Located(error, `${path}/error`) }),
  }
  return [span]
}

/** Returns `inputs` or `outputs` of a run; rows of a table hold them as JSON in a string. */
function payloadOf(run: Json, path: string, side: 'inputs' | 'outputs'): Located {
  const value = new Located(run[side], `${path}/${side}`)
  return decodeLocated(value) ?? value
}

/** Tells whether a value holds the messages of a whole conversation. */
const isState = (value: unknown): boolean =>
  [value, ...STATES.map((name) => asRecord(value)[name])].some((state) => Array.isArray(asRecord(state)['messages']))

/** Returns a value in which no messages are known as one message. */
const wholeOf = (value: Located, role: Side): readonly Tree[] => [{ role, content: textsOf(value) }]

function toolOf(run: Json, path: string, inputs: Located, outputs: Located): TracedTool {
  const name = asText(run['name'])
  const error = asText(run['error'])
  const message = asRecord(messageIn(outputs.member('output')).value)
  const isOpen = error === null && isAbsent(run['outputs']) && isAbsent(run['end_time'])
  const result = error !== null ? new Located(error, `${path}/error`) : outputOf(outputs)
  const isFault = error !== null || message['status'] === 'error' ? true : null
  return {
    id: idText(inputs.member('id').value) ?? idText(message['tool_call_id']) ?? `run ${idText(run['id']) ?? path}`,
    name: new Located(name, `${path}/name`),
    args: inputs,
    result: isOpen ? null : result,
    ...{ error: null, byName: true },
    ...(!isOpen && { outcome: outcomeOfOutput(name ?? '', result.value, isFault) }),
  }
}

/** Unwraps a serialized message of LangChain. */
const messageIn = (output: Located): Located =>
  isRecord(output.value) && 'lc' in output.value ? output.member('kwargs') : output

/** Unwraps a tool's output from LangChain's `output`, a message or the value itself. */
function outputOf(outputs: Located): Located {
  const output = outputs.member('output')
  if (output.value === undefined || Object.keys(asRecord(outputs.value)).length > 1) return outputs
  const message = messageIn(output)
  return isRecord(message.value) && 'content' in message.value ? message.member('content') : output
}

/** Members of a payload that may hold a state. */
const STATES: readonly string[] = ['input', 'output', 'state']

/** Warns of members of a state beside its messages that may hold acts: `intermediate_steps`. */
function warnBeside(reading: Reading, state: Located): void {
  for (const [name, value] of Object.entries(asRecord(state.value)))
    if (name !== 'messages' && !STATES.includes(name) && mayAct(value))
      reading.unread(pointer(state.path, name), 'may hold acts; not read', true)
}

/** Splits the rows of several traces into one document per trace. */
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
