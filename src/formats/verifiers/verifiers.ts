import { cutName, idText, isAbsent, isRecord, type Json, pointer, type Reading, timeOf } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import { messageOf } from '../traces/chat-shapes.ts'
import { Located, type Tree, textsOf } from '../traces/located.ts'

/** Rows of `results.jsonl` and traces of PrimeIntellect-ai/verifiers (legacy/utils/save_utils.py, v1/{trace,graph,episode}.py). */
export const VERIFIERS: Format = {
  name: 'verifiers',
  recognizes: (document) => isRollout(document) || tracesIn(document) !== null,
  read: readVerifiers,
  split: splitRollouts,
}

function readVerifiers(reading: Reading, document: Json): ReadDocument {
  if (isRollout(document)) return readRollout(reading, document)
  const { traces, path } = tracesIn(document) ?? { traces: [], path: '' }
  const trace = new Located(traces[0], path === '' ? '' : pointer(path, 0))
  const { name, config } = asRecord(asRecord(trace.value)['agent'])
  const { model } = asRecord(config)
  const agent = { name: asText(name), model: asText(model) ?? asText(asRecord(model)['id']) }
  const nodes = trace.member('nodes')
  // Each message once, in order of the file; branches of the conversation are paths through the graph.
  return readLocatedChat(reading, nodes.path, agent, 'verifiers', () =>
    nodes.items().flatMap((node) => messagesOfNode(reading, node)),
  )
}

function messagesOfNode(reading: Reading, node: Located): readonly LocatedMessage[] {
  const message = node.member('message')
  const { timestamp, sampled } = asRecord(node.value)
  const at = timeOf(timestamp)
  if (sampled !== false || asRecord(message.value)['role'] !== 'assistant')
    return messageOf(message).map((tree) => ({ tree, at }))
  const warning = 'a message in the agent’s name that no call of the model made; shown as system'
  reading.warnOnce(`${node.path}/sampled`, warning)
  return [{ tree: { role: 'system', content: textsOf(message) }, at }]
}

function readRollout(reading: Reading, document: Json): ReadDocument {
  const root = new Located(document, '')
  const { error, trajectory, model } = document
  if (Array.isArray(trajectory))
    reading.warn('/trajectory', 'the calls of the model one by one; prompt and completion are read')
  const failure = root.member('error')
  const words = failure.member(isAbsent(asRecord(error)['error_chain_str']) ? 'message' : 'error_chain_str')
  const trees = (['user', 'assistant'] as const).flatMap((role): readonly Tree[] => {
    const list = root.member(role === 'user' ? 'prompt' : 'completion')
    return typeof list.value === 'string' ? [{ role, content: list }] : list.items().flatMap((item) => messageOf(item))
  })
  const ended = typeof words.value === 'string' ? [{ role: 'system', content: words }] : []
  const messages = [...trees, ...ended].map((tree) => ({ tree }))
  return readLocatedChat(reading, '/completion', { name: null, model: asText(model) }, 'verifiers', () => messages)
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
    const { task, example_id: example } = run
    const named = asText(task) ?? asText(asRecord(task)['key']) ?? idText(example)
    const ended_by = asText(run['stop_condition'])
    return {
      name: runs.length === 1 ? '' : `${index + 1}_${cutName(idText(run['id'] ?? example) ?? 'run')}`,
      document: { ...run },
      about: factsOf({ task: named === null ? null : cutName(named), ended_by, scores: scoresOf(run) }),
    }
  })
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

const isRollout = (document: Json): boolean =>
  isConversation(document['prompt']) &&
  isConversation(document['completion']) &&
  MARKS.filter((field) => field in document).length >= 2

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
