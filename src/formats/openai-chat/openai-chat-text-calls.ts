import { isRecord } from '../common/reading.ts'
import { FUNCTION_TAGS, HERMES } from '../protocols/function-tags.ts'
import type { TextProtocol } from './openai-chat-message.ts'

/**
 * Agents without tool calls, told from what their prompt announces: OpenHands (`<function=name>…</function>`) and Hermes
 * (`<tool_call>{json}</tool_call>` behind `<tools>`). What such an agent acts and is answered stands in plain messages. Agents whose
 * prompt announces neither are looked at when the whole run is read (`message-acts.ts`).
 */
export function textProtocolOf(messages: readonly unknown[], agent: string | null): TextProtocol | null {
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
  const acts = [HERMES, FUNCTION_TAGS].find(({ announced }) => announced.some(announces))
  return acts === undefined
    ? null
    : { split: (text) => acts.split(text, agent), isSpeech: () => false, complains: false }
}
