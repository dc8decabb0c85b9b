import type { Act, Part, Step } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { ReadDocument } from '../format.ts'
import { addSlices, type Slice } from '../openai-chat/openai-chat-sink.ts'
import { isRejection, PROTOCOLS } from '../protocols/agent-replies.ts'
import type { TextActs } from '../protocols/tags.ts'
import { outcomeOfAgent } from '../tools/outcomes.ts'
import { CLINE_TOOLS, type OpenCall, openCall } from '../tools/tool-table.ts'
import type { Reading } from './reading.ts'

/** Reads the acts in messages: certain where the protocol was announced or answered, else a doubtful act in speech, with a warning. */
export function withActsOfMessages(reading: Reading, { format, agent, steps }: ReadDocument): readonly Step[] {
  const parts = steps.flatMap((step) => step.parts)
  const { messages, acted } = messagesOf(parts, format)
  if (messages.length === 0) return steps
  const form = protocolOf(messages, promptOf(parts), agent.name)
  const followed = messages.filter(({ next }) => next !== null).length
  const changed = new Map<Part, readonly Part[]>()
  const run: Run = {
    ...{ reading, agent: agent.name, form, changed },
    hasCalls: acted > 0 || WITH_CALLS.has(format),
    byWords: followed * 2 > acted,
    isForm: form !== null && (form.announced || form.pieces.size * 2 > followed),
  }
  const mayBeTerminus = form === null || form.protocol.harness === 'terminus'
  for (const message of messages) {
    const { part, next } = message
    // The harness itself rejected the whole reply; no other harness puts words of its own before a program's output.
    if (mayBeTerminus && next !== null && isRejection(next.text)) continue
    const parts = actsOf(run, message)
    if (parts === null) markDoubt(run, message)
    else {
      changed.set(part, parts)
      const isAnswer = next?.actor === 'user' && parts.some(({ actor }) => actor === 'agent_action')
      if (isAnswer) changed.set(next, [{ ...next, actor: 'tool_output', name: 'output' }])
    }
  }
  return changed.size === 0
    ? steps
    : steps.map((step) => ({ ...step, parts: step.parts.flatMap((part) => changed.get(part) ?? [part]) }))
}

/** The messages of a run, and the channel by which its agent acts, as far as its turns show. */
interface Run {
  readonly reading: Reading
  readonly agent: string | null
  readonly form: RunProtocol | null
  readonly changed: Map<Part, readonly Part[]>
  readonly hasCalls: boolean
  /** True when too many turns without calls are followed by other speakers for an agent that acts by calls alone. */
  readonly byWords: boolean
  readonly isForm: boolean
}

/** Formats of one harness that marks every call: messages without a mark are no calls. */
const WITH_CALLS: ReadonlySet<string> =
  wordSet(`antigravity claude-code codex copilot-cli cursor droid-stream gemini-cli kimi-code
  openclaw opencode openhands qwen-code`)

interface RunProtocol {
  readonly protocol: TextActs
  readonly announced: boolean
  readonly pieces: ReadonlyMap<Message, readonly Slice[]>
  readonly sure: number
}

/** Returns the protocol that most messages certainly follow; null where no message does. */
function protocolOf(messages: readonly Message[], prompt: readonly string[], agent: string | null): RunProtocol | null {
  let best: RunProtocol | null = null
  for (const protocol of PROTOCOLS) {
    const announced = protocol.announced.some((mark) => prompt.some((text) => text.includes(mark)))
    if (!announced && protocol.needsPrompt) continue
    const pieces = new Map<Message, readonly Slice[]>()
    for (const message of messages) {
      const slices = protocol.split(message.part.text, agent)
      if (slices !== null) pieces.set(message, slices)
    }
    const sure = announced ? pieces.size : [...pieces.keys()].filter(({ answer }) => answer !== null).length
    if (sure > (best?.sure ?? 0)) best = { protocol, announced, pieces, sure }
  }
  return best
}

function actsOf({ reading, agent, form, hasCalls, byWords }: Run, message: Message): Part[] | null {
  const { part } = message
  // A path with an inner pointer takes no range.
  const slices = part.path.includes('#') ? undefined : form?.pieces.get(message)
  if (form === null || slices === undefined) return null
  const { protocol, announced } = form
  // People write this form to people, too.
  if (protocol.needsAnswer && !announced && (message.answer === null || !byWords)) return null
  // The last message of an agent that has calls shows the form to people.
  if (hasCalls && message.next === null) return null
  const calls = new Set(slices.flatMap(({ act }) => act?.call ?? []))
  const [call] = calls
  const reply = message.answer ?? (announced ? message.next : null)
  if (reply !== null && call !== undefined && calls.size === 1)
    (call as OpenCall).outcome = outcomeOfAgent(protocol.harness ?? agent, call.tool, withoutHead(reply.text), null)
  const parts: Part[] = []
  reading.reply = part.reply ?? null
  addSlices(reading, parts, part, slices)
  return parts
}

/** Removes the head of a Cline result, which names its call: `[execute_command for 'ls'] Result:`. */
function withoutHead(text: string): string {
  const line = text.indexOf('\n')
  return text.startsWith('[') && line !== -1 && text.slice(0, line).trimEnd().endsWith('Result:')
    ? text.slice(line + 1)
    : text
}

/** Marks a message that may hold uncertain acts: the message stays speech, with a doubtful act and a warning. */
function markDoubt(run: Run, message: Message): void {
  const { part } = message
  const reads = readsLikeCall(run, message)
  if (!reads && !isAnsweredAsCall(run, message)) return
  if (run.form === null && !run.hasCalls && message.answer?.actor === 'tool_output')
    run.reading.countUnread(part.path, true)
  const warning = reads
    ? 'this message holds what reads like a tool call; it was read as speech'
    : 'no action is known in this turn of the agent, although it was answered; what it does may stand in its words'
  run.reading.warnOnce(part.path, warning)
  const act: Act = { role: 'unknown', language: null, target: null, call: openCall('message') }
  run.changed.set(part, [{ ...part, act }])
}

/** The mark of Aider's edits, which no message answers. */
const EDIT = '<<<<<<< SEARCH'

function readsLikeCall({ agent, isForm, hasCalls, byWords }: Run, { part, answer, next }: Message): boolean {
  if (isForm && answer === null) return false
  if (part.text.includes(EDIT)) return true
  // In a form that people use as well, the last message of a run is no act, because no reply came back; nor is a message to people from an
  // agent that has calls.
  const follows = byWords ? next : answer
  const mayBe = (form: TextActs) => (form.needsAnswer ? follows !== null : !hasCalls || next !== null)
  return PROTOCOLS.some((form) => mayBe(form) && form.split(part.text, agent) !== null)
}

/** Tells whether a message was answered like a call: any answer without a known protocol; for an agent with calls, only beyond prose. */
const isAnsweredAsCall = ({ isForm, hasCalls, byWords }: Run, { part, answer, next }: Message): boolean =>
  !isForm && (answer !== null || (next !== null && (!hasCalls || (byWords && MARKED.test(part.text)))))

/** Marks beyond prose: a fence, a tag, JSON, a call, a prompt, or a word with a colon at the head of a line. */
const MARKED =
  /```|<[|a-z_]{1,40}[ =>]|[{[]\s{0,9}"|\w[([]["'\w]|^ {0,3}(?:[$!/>] ?[a-z.]|[a-z_]\w{0,19}(?: \d{1,4})?:)/im

/** Beginnings of the messages in which harnesses return an act's result as the user. */
const ANSWER =
  /^(?:(?:command |tool |execution |terminal |shell )?(?:observation|output|result|stdout)(?: \d{1,4})?:|execution result|current terminal s(?:tate|creen):|new terminal output:|<(?:returncode|output|stdout|tool_response|tool_result|function_results?)\b)/i
const CLINE_ANSWERS = Object.keys(CLINE_TOOLS).map((tool) => `[${tool}`)

interface Message {
  readonly part: Part
  /** The result of the message: tool output, or a harness's message as the user; null where neither follows. */
  readonly answer: Part | null
  /** The next part of another speaker; null where none comes before the agent's next message. */
  readonly next: Part | null
}

/** Collects the messages of the turns in which the agent only speaks, and counts the other turns (`acted`). Another speaker ends a turn. */
function messagesOf(parts: readonly Part[], format: string) {
  // In other formats a document itself may give the name.
  const isSummary = ({ name }: Part): boolean => name === 'compact_summary' && WITH_CALLS.has(format)
  const messages: Message[] = []
  let turn: Message[] = []
  let isAct = false
  let acted = 0
  const end = (next: Part | null): void => {
    const last = turn.pop()
    if (isAct) acted++
    else if (last !== undefined)
      messages.push(...turn, { ...last, next, answer: next !== null && isAnswer(next) ? next : null })
    turn = []
    isAct = false
  }
  for (const part of parts) {
    if (!part.actor.startsWith('agent_')) end(part)
    // The argument of a tool that only thinks or speaks has the tool's name before a dot.
    else if (part.actor === 'agent_action' || part.name.includes('.')) isAct = true
    else if (part.actor === 'agent_message' && !part.media && !isSummary(part))
      turn.push({ part, answer: null, next: null })
  }
  end(null)
  return { messages, acted }
}

const isAnswer = ({ actor, text }: Part): boolean =>
  actor === 'tool_output' || (actor === 'user' && isHarness(text.slice(0, 60)))

const isHarness = (head: string): boolean =>
  ANSWER.test(head) || (head.startsWith('[') && CLINE_ANSWERS.some((words) => head.startsWith(words)))

/** Returns the texts before the first part of the agent, of which there is one. */
function promptOf(parts: readonly Part[]): readonly string[] {
  const first = parts.findIndex(({ actor }) => actor.startsWith('agent_'))
  return parts.slice(0, first).flatMap(({ actor, text }) => (actor === 'tool_output' ? [] : [text]))
}
