import type { TextProtocol } from './openai-chat-message.ts'
import type { Slice } from './openai-chat-sink.ts'
import { isRecord } from './reading.ts'

/**
 * Agents without tool calls, told from what their prompt announces: OpenHands (`<function=name>…</function>`) and Hermes
 * (`<tool_call>{json}</tool_call>` behind `<tools>`). What such an agent acts and is answered stands in plain messages.
 */
interface Marks {
  readonly announced: string
  readonly open: string
  readonly close: string
  nameOf(inside: string): string
}

const OPENHANDS: Marks = {
  announced: '<function=',
  open: '<function=',
  close: '</function>',
  nameOf: (call) => call.slice('<function='.length, Math.max(call.indexOf('>'), '<function='.length)),
}

const HERMES: Marks = {
  announced: '<tools>',
  open: '<tool_call>',
  close: '</tool_call>',
  nameOf(call) {
    const at = call.indexOf('"name"')
    const start = at === -1 ? -1 : call.indexOf('"', at + '"name"'.length)
    return start === -1 ? '' : call.slice(start + 1, call.indexOf('"', start + 1))
  },
}

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
  return marks === undefined ? null : { split: (text) => splitCalls(text, marks), isSpeech: () => false }
}

/** Calls and the speech around them. A call that is cut off reaches to the end: the harness completes it. */
function splitCalls(text: string, { open, close, nameOf }: Marks): Slice[] | null {
  const slices: Slice[] = []
  const say = (start: number, end: number): void => {
    if (text.slice(start, end).trim() !== '') slices.push({ start, end, actor: 'agent_message', name: 'message' })
  }
  let at = 0
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, at)) {
    say(at, start)
    const stop = text.indexOf(close, start)
    at = stop === -1 ? text.length : stop + close.length
    slices.push({ start, end: at, actor: 'agent_action', name: nameOf(text.slice(start, at)) || 'tool_call' })
  }
  if (at === 0) return null
  say(at, text.length)
  return slices
}
