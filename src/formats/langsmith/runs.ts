import { decodeObject } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, pointer, timeOf } from '../common/reading.ts'
import { asList, asText } from '../common/session.ts'
import { listIn } from '../format.ts'
import { type OpenMessage, openMessage } from '../langchain/langchain-form.ts'

/** One run of a trace: a span, as LangSmith keeps it (langsmith-sdk, python/langsmith/schemas.py, RunBase and Run). */
export interface PlacedRun {
  readonly run: Json
  readonly path: string
  readonly start: number | null
  readonly end: number | null
}

const MARKS = ['inputs', 'outputs', 'start_time', 'trace_id', 'child_runs', 'dotted_order'] as const

/** Whether a value is a run: its `run_type`, and at least two more of its members. */
export const isRun = (value: unknown): value is Json =>
  isRecord(value) && typeof value['run_type'] === 'string' && MARKS.filter((field) => field in value).length >= 2

/** The runs of a document: a tree, rows, or the answer of a query; null where it holds none. */
export const runsIn = (document: Json) =>
  listIn(document, ['records', 'runs'], (list) => list.some(isRun) && list.every((row) => !isRecord(row) || isRun(row)))

/** All runs, those inside of others too, in the order of their start where each says when that was; else as they stand. */
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
  // Two of one millisecond: `dotted_order` ends in a time of microseconds.
  return placed.sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || compare(lastOf(a.run), lastOf(b.run)))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const lastOf = (run: Json): string => {
  const order = asText(run['dotted_order']) ?? ''
  return order.slice(order.lastIndexOf('.') + 1)
}

/** The trace that a row is of: its own id where it says none. */
export const traceOf = (run: Json): string => idText(run['trace_id']) ?? idText(run['id']) ?? ''

/** Whether a row is the root of its trace. */
export const isRoot = (run: Json): boolean => isAbsent(run['parent_run_id']) || run['parent_run_id'] === ''

/** What went into a run or came out of it, and where it stands. */
export interface Payload {
  readonly value: Json
  readonly path: string
}

/** `inputs` or `outputs`; rows of a table hold them as JSON in a string. */
export function payloadOf({ run, path }: PlacedRun, side: 'inputs' | 'outputs'): Payload | null {
  const value = run[side]
  if (isRecord(value)) return { value, path: `${path}/${side}` }
  const decoded = typeof value === 'string' ? decodeObject(value) : null
  return decoded === null ? null : { value: decoded, path: `${path}/${side}#` }
}

/** The messages of a list; null where some item is none. LangChain gives a model a list of conversations, of which the first is read. */
function openList(list: unknown, path: string): OpenMessage[] | null {
  if (!Array.isArray(list)) return null
  const [first] = list as readonly unknown[]
  const isBatch = list.length === 1 && Array.isArray(first) && !isPair(first)
  if (isBatch) return openList(first, pointer(path, 0))
  const open = list.map((message, index) => openMessage(message, pointer(path, index)))
  return open.every((one) => one !== null) ? open : null
}

const isPair = (value: readonly unknown[]): boolean =>
  value.length === 2 && value.every((one) => typeof one === 'string')

/** The conversation in a payload: `messages`, also of a state below `input` or `output`; a prompt that is one text. */
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
    ? prompts.map((text, index) => said('user', text, pointer(`${path}/prompts`, index)))
    : null
}

const said = (speaker: OpenMessage['speaker'], text: string, path: string): OpenMessage => ({
  ...{ speaker, type: speaker, body: {}, path },
  said: { text, path },
})

/** The answer of a model: LangChain's `generations`, a provider's `choices`, or the message itself. Null where it is none of these. */
export function replyOf({ value, path }: Payload): OpenMessage | null {
  const { generations, choices, message, output } = value
  const [places, at]: readonly [unknown, string] = Array.isArray(generations)
    ? [generations, `${path}/generations`]
    : [choices, `${path}/choices`]
  if (Array.isArray(places)) return replyIn(places[0], pointer(at, 0))
  for (const [one, place] of [
    [message, `${path}/message`],
    [output, `${path}/output`],
    [value, path],
  ] as const) {
    const open = isRecord(one) ? openMessage(one, place) : null
    if (open?.speaker === 'agent') return open
  }
  const messages = Array.isArray(value['messages']) ? value['messages'] : []
  return messages.length === 0 ? null : openMessage(messages.at(-1), pointer(`${path}/messages`, messages.length - 1))
}

/** A generation: a message, or the bare text of a model without messages. */
function replyIn(generation: unknown, path: string): OpenMessage | null {
  if (Array.isArray(generation)) return replyIn(generation[0], pointer(path, 0))
  if (!isRecord(generation)) return null
  const { message, text } = generation
  if (!isAbsent(message)) return openMessage(message, `${path}/message`)
  return typeof text === 'string' ? said('agent', text, `${path}/text`) : null
}
