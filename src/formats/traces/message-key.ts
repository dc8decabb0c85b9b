import { digestBytes, digestValue } from '../../domain/digest.ts'
import { decodeObject } from '../common/json-tree.ts'
import { isAbsent, isRecord, type Json } from '../common/reading.ts'
import { asText, isEmpty } from '../common/session.ts'
import { AGENT_ONLY, CALLS, formOfCall, isResult } from '../openai-chat/openai-chat-sink.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import type { TracedTool } from './trace-span.ts'

type CallKey = ReturnType<typeof callKeysOf>[number]

/** Lists the calls of a message, in the order in which the chat reader adds them; `args`: the digest of the decoded arguments. */
export function callKeysOf(message: Json) {
  const { content, function_call: older, tool_calls: calls, type } = message
  const blocks = recordsIn(content).filter((block) => CALLS.has(block['type']))
  const own = type === 'function_call' ? [message] : []
  return [...own, ...blocks, ...recordsIn([older]), ...recordsIn(calls)].map((call) => {
    const { record, id, name, args } = formOfCall(call)
    const [tool, original] = [record[name], record[args]]
    return { id: asText(id), name: typeof tool === 'string' ? tool : '', args: argsKey(original), original }
  })
}

export const recordsIn = (list: unknown): Json[] => (Array.isArray(list) ? list.filter(isRecord) : [])

/** Returns the digest of arguments; equal for an object and for its JSON in a string, and empty for no arguments, however they are written. */
function argsKey(args: unknown): string {
  const value = decoded(args)
  return isAbsent(value) || value === '' || isEmpty(value) ? '' : digestValue(value)
}

const decoded = (args: unknown): unknown => (typeof args === 'string' ? (decodeObject(args) ?? args) : args)

/** Tells whether a tool received another value than its call has, for an argument that both name: a program adds arguments of its own. */
export function differs(received: unknown, called: unknown): boolean {
  const [own, other] = [decoded(received), decoded(called)]
  if (!isRecord(own) || !isRecord(other)) return false
  return Object.keys(other).some((name) => Object.hasOwn(own, name) && argsKey(own[name]) !== argsKey(other[name]))
}

export function answeredIdsOf({ role, type, tool_call_id: id, call_id: other, content }: Json): string[] {
  const own = role === 'tool' || role === 'function' || type === 'function_call_output' ? [id ?? other] : []
  const blocks = recordsIn(content)
    .filter(({ type }) => isResult(type))
    .map((block) => block['tool_use_id'] ?? block['toolCallId'])
  return [...own, ...blocks].filter((id): id is string => typeof id === 'string' && id !== '')
}

/** Returns the key by which messages are the same. Reasoning, call ids and cache marks are left out: a reply's copy often lacks them. */
export function messageKey(message: Json): string {
  const { role, content, refusal, output } = message
  const words = [
    role === 'developer' ? 'system' : (asText(role) ?? asText(message['type']) ?? ''),
    ...wordsOf(content),
    ...(isAbsent(output) ? [] : [valueKey(output)]),
    ...(typeof refusal === 'string' ? [digestBytes(refusal)] : []),
    ...callKeysOf(message).map(({ name, args }) => `call ${name} ${args}`),
    ...answeredIdsOf(message).map((id) => `answers ${id}`),
  ]
  return digestBytes(words.join('\n'))
}

function wordsOf(content: unknown): string[] {
  if (isAbsent(content) || content === '') return []
  if (!Array.isArray(content)) return [valueKey(content)]
  const texts: string[] = []
  const others: string[] = []
  for (const block of content) {
    if (typeof block === 'string') texts.push(block)
    else if (isRecord(block) && typeof block['text'] === 'string') texts.push(block['text'])
    else if (isRecord(block) && isResult(block['type'])) others.push(valueKey(block['content'] ?? block['output']))
    else if (!isRecord(block) || !AGENT_ONLY.has(block['type'])) others.push(digestValue(block))
  }
  const text = texts.join('\n').trim()
  return [...(text === '' ? [] : [digestBytes(text)]), ...others]
}

const valueKey = (value: unknown): string =>
  typeof value === 'string' ? digestBytes(value.trim()) : digestValue(value)

/** Returns the text of a message without other content, as a key; null for other messages. */
export function textKey({ content }: Json): string | null {
  const [only, ...more] = wordsOf(content)
  return more.length === 0 ? (only ?? null) : null
}

type MadeCall = CallKey & { readonly call: OpenCall; joined: boolean }

/** The calls of a trace that were shown: finds their copies, and the call of a tool's span. */
export class MadeCalls {
  /** Keys of the calls by id, name and arguments: a provider may restart its ids in every answer. */
  readonly #ids = new Set<string>()
  readonly #byId = new Map<string, MadeCall>()
  readonly #queues = new Map<string, { readonly list: MadeCall[]; next: number }>()

  add(message: Json, made: readonly OpenCall[]): void {
    const calls = callKeysOf(message)
    for (const [index, call] of made.entries()) {
      const key = calls.length === made.length ? calls[index] : undefined
      const entry: MadeCall = { ...UNKNOWN, name: call.tool, ...key, call, joined: false }
      if (entry.id !== null) {
        this.#ids.add(idKey(entry))
        this.#byId.set(entry.id, entry)
      }
      for (const name of [call.tool, `${call.tool}\n${entry.args}`]) {
        const queue = this.#queues.get(name)
        if (queue === undefined) this.#queues.set(name, { list: [entry], next: 0 })
        else queue.list.push(entry)
      }
    }
  }

  /** Tells whether all calls of a message were shown: the message is then a copy, whatever text changed on the way. */
  holds(message: Json): boolean {
    const calls = callKeysOf(message)
    return calls.length > 0 && calls.every((call) => call.id !== null && this.#ids.has(idKey(call)))
  }

  /** Finds the call of a tool's span: by its id, else the first unjoined call with its arguments, or of its tool where they have another form. */
  find({ id, name, args, byName }: TracedTool): MadeCall | undefined {
    const named = id === null ? undefined : this.#byId.get(id)
    if (named !== undefined) return named
    const tool = typeof name.value === 'string' ? name.value : ''
    const hasArguments =
      (byName !== true && isRecord(args.value)) || (typeof args.value === 'string' && decodeObject(args.value) !== null)
    const received = decoded(args.value)
    const { input } = isRecord(received) ? received : {}
    // An instrumentation may wrap the arguments once more.
    const keys = hasArguments ? [received, input].map((value) => `${tool}\n${argsKey(value)}`) : [tool]
    const queue = keys.map((key) => this.#queues.get(key)).find((calls) => calls !== undefined)
    while (queue?.list[queue.next]?.joined === true) queue.next++
    return queue?.list[queue.next]
  }
}

const UNKNOWN = { id: null, args: '', original: undefined } as const

const idKey = ({ id, name, args }: CallKey): string => `${id}\n${name}\n${args}`
