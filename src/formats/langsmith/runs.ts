import { decodeObject } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, pointer, timeOf } from '../common/reading.ts'
import { asList, asText } from '../common/session.ts'
import { listIn } from '../format.ts'
import { type OpenMessage, openMessage } from '../langchain/langchain-form.ts'

/**
 * A run of a trace, that is, a span (langsmith-sdk, python/langsmith/schemas.py, RunBase and Run), with its path and times in milliseconds
 * since 1970.
 */
export interface PlacedRun {
  readonly run: Json
  readonly path: string
  readonly start: number | null
  readonly end: number | null
}

const MARKS = ['inputs', 'outputs', 'start_time', 'trace_id', 'child_runs', 'dotted_order'] as const

/** Recognizes a run by its `run_type` and at least two more of its members. */
export const isRun = (value: unknown): value is Json =>
  isRecord(value) && typeof value['run_type'] === 'string' && MARKS.filter((field) => field in value).length >= 2

/** Returns the runs of a document: a tree, rows, or the answer of a query; null for other documents. */
export const runsIn = (document: Json) =>
  listIn(document, ['records', 'runs'], (list) => list.some(isRun) && list.every((row) => !isRecord(row) || isRun(row)))

/** Lists all runs, nested runs too, in order of their start; in order of the file where a start is missing. */
export function flattenRuns(roots: readonly { readonly run: Json; readonly path: string }[]): readonly PlacedRun[] {
  const placed: PlacedRun[] = []
  const open = [...roots].reverse()
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { run, path } = item
    placed.push({ run, path, start: timeOf(run['start_time']), end: timeOf(run['end_time']) })
    const children = asList(run['child_runs'])
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index]
      if (isRecord(child)) open.push({ run: child, path: pointer(`${path}/child_runs`, index) })
    }
  }
  if (placed.some(({ start }) => start === null)) return placed
  // For two runs of one millisecond: `dotted_order` ends in a time of microseconds.
  return placed.sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || compare(lastOf(a.run), lastOf(b.run)))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const lastOf = (run: Json): string => {
  const order = asText(run['dotted_order']) ?? ''
  return order.slice(order.lastIndexOf('.') + 1)
}

/** Returns the id of a row's trace; the row's own id where it names no trace. */
export const traceOf = (run: Json): string => idText(run['trace_id']) ?? idText(run['id']) ?? ''

/** Tells whether a row is the root of its trace. */
export const isRoot = (run: Json): boolean => isAbsent(run['parent_run_id']) || run['parent_run_id'] === ''

/** The input or output of a run, and its path. */
export interface Payload {
  readonly value: Json
  readonly path: string
}

/** Returns `inputs` or `outputs` of a run; rows of a table hold them as JSON in a string. */
export function payloadOf({ run, path }: PlacedRun, side: 'inputs' | 'outputs'): Payload | null {
  const value = run[side]
  if (isRecord(value)) return { value, path: `${path}/${side}` }
  const decoded = typeof value === 'string' ? decodeObject(value) : null
  return decoded === null ? null : { value: decoded, path: `${path}/${side}#` }
}

/** Opens the messages of a list; null where an item is no message. LangChain passes a list of conversations, of which the first is read. */
function openList(list: unknown, path: string): OpenMessage[] | null {
  if (!Array.isArray(list)) return null
  const [first] = list as readonly unknown[]
  const isBatch = list.length === 1 && Array.isArray(first) && !isPair(first)
  if (isBatch) return openList(first, pointer(path, 0))
  const open = list.map((message, index) => openMessage(message, pointer(path, index)))
  return open.every((message) => message !== null) ? open : null
}

const isPair = (value: readonly unknown[]): boolean =>
  value.length === 2 && value.every((item) => typeof item === 'string')

/** Returns the conversation in a payload: `messages`, also of a state below `input` or `output`; or a prompt of one text. */
export function messagesOf({ value, path }: Payload): OpenMessage[] | null {
  for (const [holder, at] of [
    [value, path],
    [value['input'], `${path}/input`],
    [value['output'], `${path}/output`],
    [value['state'], `${path}/state`],
  ] as const) {
    if (!isRecord(holder)) continue
    const open = openList(holder['messages'], `${at}/messages`)
    if (open !== null) return open
  }
  const prompts = value['prompts']
  return Array.isArray(prompts) && prompts.every((text) => typeof text === 'string')
    ? prompts.map((text, index) => plainMessage('user', text, pointer(`${path}/prompts`, index)))
    : null
}

const plainMessage = (speaker: OpenMessage['speaker'], text: string, path: string): OpenMessage => ({
  ...{ speaker, type: speaker, body: {}, path },
  text: { text, path },
})

/** Returns the answer of a model: LangChain's `generations`, a provider's `choices`, or the message itself. Null for other payloads. */
export function replyOf({ value, path }: Payload): OpenMessage | null {
  const { generations, choices, message, output } = value
  const [places, at]: readonly [unknown, string] = Array.isArray(generations)
    ? [generations, `${path}/generations`]
    : [choices, `${path}/choices`]
  if (Array.isArray(places)) return replyIn(places[0], pointer(at, 0))
  for (const [candidate, place] of [
    [message, `${path}/message`],
    [output, `${path}/output`],
    [value, path],
  ] as const) {
    const open = isRecord(candidate) ? openMessage(candidate, place) : null
    if (open?.speaker === 'agent') return open
  }
  const messages = Array.isArray(value['messages']) ? value['messages'] : []
  return messages.length === 0 ? null : openMessage(messages.at(-1), pointer(`${path}/messages`, messages.length - 1))
}

/** Returns the message of a generation, or the bare text of a model without messages. */
function replyIn(generation: unknown, path: string): OpenMessage | null {
  if (Array.isArray(generation)) return replyIn(generation[0], pointer(path, 0))
  if (!isRecord(generation)) return null
  const { message, text } = generation
  if (!isAbsent(message)) return openMessage(message, `${path}/message`)
  return typeof text === 'string' ? plainMessage('agent', text, `${path}/text`) : null
}
