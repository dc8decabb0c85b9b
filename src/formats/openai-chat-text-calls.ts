import type { Actor } from '../schemas/vocabulary.ts'
import { decodeObject } from './json-tree.ts'
import type { TextProtocol } from './openai-chat-message.ts'
import type { Slice } from './openai-chat-sink.ts'
import { cutName, isAbsent, isRecord } from './reading.ts'
import { argumentActor } from './talk-tools.ts'

/**
 * Agents without tool calls, told from what their prompt announces: OpenHands (`<function=name>…</function>`) and Hermes
 * (`<tool_call>{json}</tool_call>` behind `<tools>`). What such an agent acts and is answered stands in plain messages.
 */
interface Marks {
  readonly announced: string
  readonly open: string
  readonly close: string
  /** Whether a call begins at `start`, and not only a mention of the mark. */
  isCall(text: string, start: number): boolean
  read(call: string): { readonly name: string; readonly actor: Actor }
}

const MAX_NAME = 100
const NAME_CHARS: ReadonlySet<string> = new Set('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/')

const OPENHANDS: Marks = {
  announced: '<function=',
  open: '<function=',
  close: '</function>',
  isCall: (text, start) => functionName(text.slice(start, start + '<function='.length + MAX_NAME + 1)) !== null,
  read(call) {
    const name = functionName(call) ?? 'tool_call'
    return { name, actor: call.includes('<parameter=') ? argumentActor(name) : 'agent_action' }
  },
}

function functionName(call: string): string | null {
  const from = '<function='.length
  const end = call.indexOf('>')
  const name = end > from && end - from <= MAX_NAME ? call.slice(from, end) : ''
  return name === '' || [...name].some((char) => !NAME_CHARS.has(char)) ? null : name
}

const HERMES: Marks = {
  announced: '<tools>',
  open: '<tool_call>',
  close: '</tool_call>',
  isCall(text, start) {
    let at = start + '<tool_call>'.length
    while (at < text.length && BLANKS.has(text.charAt(at))) at++
    return text[at] === '{'
  },
  read(call) {
    const end = call.endsWith('</tool_call>') ? -'</tool_call>'.length : call.length
    const decoded = decodeObject(call.slice('<tool_call>'.length, end))
    const name = decoded?.['name']
    // What cannot be parsed may have been carried out all the same; then no word in it is believed to be the tool's name.
    if (decoded === null || typeof name !== 'string' || name === '') return { name: 'tool_call', actor: 'agent_action' }
    const args = decoded['arguments']
    const isEmpty = isAbsent(args) || args === '' || args === '{}' || (isRecord(args) && Object.keys(args).length === 0)
    return { name: cutName(name), actor: isEmpty ? 'agent_action' : argumentActor(name) }
  },
}

const BLANKS: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n'])

/** The protocol that the messages before the first answer announce, where no answer has real tool calls. */
export function textProtocolOf(messages: readonly unknown[]): TextProtocol | null {
  const firstAnswer = messages.findIndex((message) => isRecord(message) && message['role'] === 'assistant')
  if (firstAnswer === -1) return null
  const hasCalls = messages.some(
    (message) => isRecord(message) && (message['role'] === 'tool' || Array.isArray(message['tool_calls'])),
  )
  if (hasCalls) return null
  const prompt = messages.slice(0, firstAnswer)
  const announces = (mark: string): boolean =>
    prompt.some(
      (message) => isRecord(message) && typeof message['content'] === 'string' && message['content'].includes(mark),
    )
  const marks = [HERMES, OPENHANDS].find(({ announced }) => announces(announced))
  return marks === undefined
    ? null
    : { split: (text) => splitCalls(text, marks), isSpeech: () => false, complains: false }
}

/** Calls and the speech around them. A call that is cut off reaches to the end: the harness completes it. */
function splitCalls(text: string, { open, close, isCall, read }: Marks): Slice[] | null {
  const slices: Slice[] = []
  const say = (start: number, end: number): void => {
    if (text.slice(start, end).trim() !== '') slices.push({ start, end, actor: 'agent_message', name: 'message' })
  }
  let at = 0
  for (let start = text.indexOf(open); start !== -1; ) {
    if (isCall(text, start)) {
      say(at, start)
      const stop = text.indexOf(close, start)
      at = stop === -1 ? text.length : stop + close.length
      slices.push({ start, end: at, ...read(text.slice(start, at)) })
      start = text.indexOf(open, at)
    } else start = text.indexOf(open, start + open.length)
  }
  if (at === 0) return null
  say(at, text.length)
  return slices
}
