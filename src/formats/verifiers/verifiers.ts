import {
  cutName,
  idText,
  isAbsent,
  isRecord,
  itemsIn,
  type Json,
  objectsIn,
  pointer,
  type Reading,
  timeOf,
} from '../common/reading.ts'
import { addLeaves, asRecord, asText } from '../common/session.ts'
import type { FileRun, Format, ReadDocument } from '../format.ts'
import { readAnyMessage } from '../langchain/langchain.ts'
import { takeMessage } from '../openai-chat/chat-steps.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'

/**
 * The format of verifiers (PrimeIntellect-ai/verifiers): rows of `results.jsonl` with `prompt` and `completion`
 * (verifiers/legacy/utils/save_utils.py), and traces, whose messages are the nodes of a graph, alone or in an episode of `traces.jsonl`
 * (verifiers/v1/{trace,graph,episode}.py).
 */
export const VERIFIERS: Format = {
  name: 'verifiers',
  recognizes: (document) => isRollout(document) || tracesIn(document) !== null,
  read: readVerifiers,
  split: splitRollouts,
}

function readVerifiers(reading: Reading, document: Json): ReadDocument {
  const sink = new ChatSink(reading, null)
  if (isRollout(document)) return readRollout(sink, document)
  const { traces, path } = tracesIn(document) ?? { traces: [], path: '' }
  const at = path === '' ? '' : pointer(path, 0)
  const trace = asRecord(traces[0])
  readNodes(sink, trace, at)
  const { name, config } = asRecord(trace['agent'])
  const { model } = asRecord(config)
  const agent = { name: asText(name), model: asText(model) ?? asText(asRecord(model)['id']) }
  return { format: 'verifiers', agent, steps: sink.finish(`${at}/nodes`) }
}

/** Reads each message once, in order of the file; branches of the conversation are paths through the graph. */
function readNodes(sink: ChatSink, trace: Json, path: string): void {
  const { reading } = sink
  for (const [node, at] of objectsIn(reading, trace['nodes'], `${path}/nodes`)) {
    sink.now = timeOf(node['timestamp'])
    const { message, sampled } = node
    const isMade = sampled === false && asRecord(message)['role'] === 'assistant'
    if (!isMade) readAnyMessage(sink, message, `${at}/message`)
    else {
      reading.warnOnce(`${at}/sampled`, 'a message in the agent’s name that no call of the model made; shown as system')
      addLeaves(sink.sink(sink.open('other', null).parts, 'system', 'context'), message, `${at}/message`)
    }
  }
}

function readRollout(sink: ChatSink, document: Json): ReadDocument {
  for (const field of ['prompt', 'completion'] as const) {
    const list = document[field]
    if (isAbsent(list)) continue
    if (typeof list === 'string') {
      const role = field === 'prompt' ? 'user' : 'assistant'
      takeMessage(sink, { message: { role, content: list }, place: (at) => at.replace('/content', `/${field}`) }, null)
    } else if (!Array.isArray(list)) sink.reading.odd(`/${field}`, 'messages', list)
    else for (const [message, at] of itemsIn(list, `/${field}`)) readAnyMessage(sink, message, at)
  }
  const { error, trajectory } = document
  if (isRecord(error)) sink.note('system', error['error_chain_str'] ?? error['message'], '/error', 'error')
  if (Array.isArray(trajectory))
    sink.reading.warn('/trajectory', 'the calls of the model one by one; prompt and completion are read')
  return {
    format: 'verifiers',
    agent: { name: null, model: asText(document['model']) },
    steps: sink.finish('/completion'),
  }
}

/** Splits a file of rollouts into one document per row, and per trace of an episode. */
function splitRollouts(root: Json): readonly FileRun[] | null {
  const { records } = root
  const rows: readonly unknown[] = Array.isArray(records) ? records : [root]
  const isRow = (row: unknown): boolean => isRecord(row) && (isRollout(row) || tracesIn(row) !== null)
  if (!rows.some(isRow)) return null
  // A row that is none stays unchanged, so that the reader refuses it alone.
  const runs = rows.flatMap((row): Json[] => {
    if (!isRecord(row)) return [{ records: [row] }]
    if (isRollout(row)) return [row]
    return tracesIn(row)?.traces.map((trace): Json => (isTrace(trace) ? trace : { records: [trace] })) ?? [row]
  })
  return runs.map((run, index) => {
    const [scores, end] = [scoresOf(run), asText(run['stop_condition'])]
    return {
      name: runs.length === 1 ? '' : `${index + 1}_${cutName(idText(run['id'] ?? run['example_id']) ?? 'run')}`,
      document: { ...run },
      about: {
        ...{ ...taskOf(run), ...(end !== null && { ended_by: end }) },
        ...(Object.keys(scores).length > 0 && { scores }),
      },
    }
  })
}

function taskOf(run: Json): { readonly task?: string } {
  const { task, example_id: example } = run
  const name = asText(task) ?? (isRecord(task) ? asText(task['key']) : null) ?? idText(example)
  return name === null ? {} : { task: cutName(name) }
}

/** Returns the reward of a row; for a trace, each reward by name and their weighted sum. */
function scoresOf(run: Json): Record<string, number> {
  const named = Object.entries(asRecord(run['rewards'])).flatMap(([name, entry]): [string, number][] => {
    const { score, weight = 1 } = asRecord(entry)
    return typeof score === 'number' && typeof weight === 'number' ? [[name, score * weight]] : []
  })
  const sum = named.reduce((total, [, value]) => total + value, 0)
  const reward = typeof run['reward'] === 'number' ? run['reward'] : sum
  return { ...Object.fromEntries(named), ...((named.length > 0 || typeof run['reward'] === 'number') && { reward }) }
}

const MARKS = ['example_id', 'reward', 'is_completed', 'is_truncated', 'stop_condition', 'metrics'] as const

const isConversation = (value: unknown): boolean =>
  typeof value === 'string' ||
  (Array.isArray(value) && (value.length === 0 || value.some((item) => typeof asRecord(item)['role'] === 'string')))

/** Recognizes a row of `results.jsonl`: prompt, completion, and at least two members of a scored run. */
const isRollout = (document: Json): boolean =>
  isConversation(document['prompt']) &&
  isConversation(document['completion']) &&
  MARKS.filter((field) => field in document).length >= 2

/** Recognizes a trace: nodes with messages, and a task, an agent or rewards. */
const isTrace = (value: unknown): value is Json =>
  isRecord(value) &&
  Array.isArray(value['nodes']) &&
  value['nodes'].some(
    (node) => isRecord(node) && isRecord(node['message']) && typeof node['message']['role'] === 'string',
  ) &&
  ('task' in value || 'agent' in value || 'rewards' in value)

/** Returns the traces of an episode, or the document as its only trace; null for other documents. */
function tracesIn(document: Json): { readonly traces: readonly unknown[]; readonly path: string } | null {
  const { traces } = document
  if (isTrace(document)) return { traces: [document], path: '' }
  return Array.isArray(traces) && traces.some(isTrace) ? { traces, path: '/traces' } : null
}
