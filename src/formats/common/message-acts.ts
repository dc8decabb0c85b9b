import { wordSet } from '../../domain/text/words.ts'
import type { Act } from '../../domain/trajectory/act.ts'
import type { Part, Step } from '../../domain/trajectory/trajectory.ts'
import type { ReadDocument } from '../format.ts'
import { addSlices, type Slice } from '../openai-chat/openai-chat-sink.ts'
import { JSON_ACTIONS, REACT } from '../protocols/agent-replies.ts'
import { DISCUSSED, FENCED } from '../protocols/fences.ts'
import { ARG_TAGS, CLINE_TAGS, EXECUTE_TAGS, FUNCTION_TAGS, HERMES, INVOKE_TAGS } from '../protocols/function-tags.ts'
import type { TextActs } from '../protocols/slices.ts'
import { isRejection, TERMINUS_JSON, TERMINUS_XML } from '../protocols/terminus.ts'
import { CLINE_TOOLS } from '../tools/cline.ts'
import { outcomeOfAgent } from '../tools/outcomes.ts'
import { type OpenCall, openCall } from '../tools/tool-table.ts'
import type { Reading } from './reading.ts'

/** In the order in which they are tried: the most telling marks first. */
const PROTOCOLS: readonly TextActs[] = [
  ...[TERMINUS_XML, TERMINUS_JSON, CLINE_TAGS, EXECUTE_TAGS, FUNCTION_TAGS, INVOKE_TAGS, HERMES, ARG_TAGS],
  ...[REACT, JSON_ACTIONS, FENCED, DISCUSSED],
]

/**
 * The steps with the acts that stand in messages as acts: an agent whose tools are not called in the format's own way either did nothing, or its
 * harness took its acts from what it said. A form that is announced in the prompt, or that was answered, is told surely; a message
 * that only reads like a call, or was answered like one, stays speech, is marked (`act`), and warned about. In a run that acts by calls as well, only
 * turns without a call are looked at.
 */
export function withActsOfMessages(reading: Reading, { format, agent, steps }: ReadDocument): readonly Step[] {
  const { messages, acted } = messagesOf(steps)
  if (messages.length === 0) return steps
  const changed = new Map<Part, readonly Part[]>()
  const known = protocolOf(messages, promptOf(steps), agent.name)
  const run: Run = { reading, agent: agent.name, known, changed, ...channelOf(messages, known, format, acted) }
  for (const message of messages) {
    const part = steps[message.step]?.parts[message.part]
    if (part === undefined) continue
    // The harness says itself that it carried nothing of this out; no other one puts words of its own before what a program prints.
    if (mayBeTerminus(known) && message.next !== null && isRejection(message.next.text)) continue
    const parts = actsOf(run, part, message)
    if (parts === null) markDoubt(run, part, message)
    else {
      changed.set(part, parts)
      const { next } = message
      const isAnswer = next?.actor === 'user' && parts.some(({ actor }) => actor === 'agent_action')
      if (isAnswer) changed.set(next, [{ ...next, actor: 'tool_output', name: 'output' }])
    }
  }
  return changed.size === 0
    ? steps
    : steps.map((step) => ({ ...step, parts: step.parts.flatMap((part) => changed.get(part) ?? [part]) }))
}

interface Run extends Channel {
  readonly reading: Reading
  readonly agent: string | null
  readonly known: Known | null
  readonly changed: Map<Part, readonly Part[]>
}

/** Formats of one harness, which marks every call: words without a mark are none. */
const WITH_CALLS: ReadonlySet<string> = wordSet(`claude-code codex cursor gemini-cli openclaw opencode openhands`)

/** How the agent of a run acts, as far as its turns tell. */
interface Channel {
  /** It has calls of the format's own. */
  readonly hasCalls: boolean
  /** Too many turns are words that something follows, for an agent that acts by calls alone. */
  readonly byWords: boolean
  /** The form says which of the messages are acts: those that have it. */
  readonly isForm: boolean
}

function channelOf(messages: readonly Message[], known: Known | null, format: string, acted: number): Channel {
  const followed = messages.filter(({ next }) => next !== null).length
  const isForm = known !== null && (known.announced || known.pieces.size * 2 > followed)
  return { hasCalls: acted > 0 || WITH_CALLS.has(format), byWords: followed * 2 > acted, isForm }
}

/** A form, and the pieces of the messages that have it. */
interface Known {
  readonly protocol: TextActs
  readonly announced: boolean
  readonly pieces: ReadonlyMap<Message, readonly Slice[]>
}

const mayBeTerminus = (known: Known | null): boolean =>
  known === null || known.protocol === TERMINUS_JSON || known.protocol === TERMINUS_XML

/** The form that most messages have which are surely acts; null where none is. */
function protocolOf(messages: readonly Message[], prompt: readonly string[], agent: string | null): Known | null {
  let best: Known | null = null
  let most = 0
  for (const protocol of PROTOCOLS) {
    const announced = protocol.announced.some((mark) => prompt.some((text) => text.includes(mark)))
    if (!announced && protocol.needsPrompt) continue
    const pieces = new Map(
      messages.flatMap((message): [Message, readonly Slice[]][] => {
        const slices = protocol.split(message.text, agent)
        return slices === null ? [] : [[message, slices]]
      }),
    )
    const sure = announced ? pieces.size : [...pieces.keys()].filter(({ answer }) => answer !== null).length
    if (sure <= most) continue
    most = sure
    best = { protocol, announced, pieces }
  }
  return best
}

function actsOf({ reading, agent, known, hasCalls, byWords }: Run, part: Part, message: Message): Part[] | null {
  // Behind an inner pointer there is no place for a range.
  const slices = part.path.includes('#') ? undefined : known?.pieces.get(message)
  if (known === null || slices === undefined) return null
  const { protocol, announced } = known
  // People use this form as well, to people.
  if (protocol.needsAnswer && !announced && (message.answer === null || !byWords)) return null
  // The last words of an agent that has calls show a form to people.
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

/** Cline heads a result by the call that it answers: `[execute_command for 'ls'] Result:`. */
function withoutHead(text: string): string {
  const line = text.indexOf('\n')
  return text.startsWith('[') && line !== -1 && text.slice(0, line).trimEnd().endsWith('Result:')
    ? text.slice(line + 1)
    : text
}

/** A message that may hold acts which cannot be told surely: it stays speech, but says so. */
function markDoubt(run: Run, part: Part, message: Message): void {
  const reads = readsLikeCall(run, message)
  if (!reads && !isAnsweredAsCall(run, message)) return
  if (run.known === null && !run.hasCalls && message.answer?.actor === 'tool_output')
    run.reading.countUnread(part.path, true)
  run.reading.warnOnce(
    part.path,
    reads
      ? 'this message holds what reads like a tool call; it was read as speech'
      : 'no action is known in this turn of the agent, although it was answered; what it does may stand in its words',
  )
  run.changed.set(part, [{ ...part, act: doubt() }])
}

/** Aider's edits, which nothing answers. */
const EDIT = '<<<<<<< SEARCH'

function readsLikeCall({ agent, isForm, hasCalls, byWords }: Run, { text, answer, next }: Message): boolean {
  if (isForm && answer === null) return false
  if (text.includes(EDIT)) return true
  // Of a form that people use as well, the last words of a run are no act: nothing came back. Nor are words to people of an agent that has calls.
  const follows = byWords ? next : answer
  const mayBe = (form: TextActs) => (form.needsAnswer ? follows !== null : !hasCalls || next !== null)
  return PROTOCOLS.some((form) => mayBe(form) && form.split(text, agent) !== null)
}

/** Without a known form, whatever is answered may be a call; of an agent that has calls as well, what is more than prose. */
const isAnsweredAsCall = ({ isForm, hasCalls, byWords }: Run, { text, answer, next }: Message): boolean =>
  !isForm && (answer !== null || (next !== null && (!hasCalls || (byWords && MARKED.test(text)))))

/** A fence, a tag, JSON, a call, a prompt, or a word with a colon that heads a line. */
const MARKED =
  /```|<[|a-z_]{1,40}[ =>]|[{[]\s{0,9}"|\w[([]["'\w]|^ {0,3}(?:[$!/>] ?[a-z.]|[a-z_]\w{0,19}(?: \d{1,4})?:)/im

const doubt = (): Act => ({ role: 'unknown', language: null, target: null, call: openCall('message') })

/** How harnesses begin a message in the user's name that brings what an act was answered. */
const ANSWER =
  /^(?:(?:command |tool |execution |terminal |shell )?(?:observation|output|result|stdout)(?: \d{1,4})?:|execution result|current terminal s(?:tate|creen):|new terminal output:|<(?:returncode|output|stdout|tool_response|tool_result|function_results?)\b)/i
const CLINE_ANSWERS = Object.keys(CLINE_TOOLS).map((tool) => `[${tool}`)

/** A message of the agent, and what followed it. */
interface Message {
  readonly step: number
  readonly part: number
  readonly text: string
  /** What answered it: tool output, or a user's message of a harness; null where neither follows. */
  readonly answer: Part | null
  /** The next part that is not the agent's; null: none follows before the agent speaks on. */
  readonly next: Part | null
}

/**
 * The messages of the turns in which the agent only speaks, and how many turns hold a call (`acted`). A turn reaches to the next part that is
 * not the agent's.
 */
function messagesOf(steps: readonly Step[]): { readonly messages: readonly Message[]; readonly acted: number } {
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
  for (let step = 0; step < steps.length; step++) {
    const parts = steps[step]?.parts ?? []
    for (let part = 0; part < parts.length; part++) {
      const one = parts[part] as Part
      if (!one.actor.startsWith('agent_')) end(one)
      else if (one.actor === 'agent_action' || isArgument(one)) isAct = true
      else if (one.actor === 'agent_message' && !one.media)
        turn.push({ step, part, text: one.text, answer: null, next: null })
    }
  }
  end(null)
  return { messages, acted }
}

/** Of a tool that only thinks or speaks. */
const isArgument = ({ name }: Part): boolean => name.includes('.')

const isAnswer = ({ actor, text }: Part): boolean =>
  actor === 'tool_output' || (actor === 'user' && isHarness(text.slice(0, 60)))

const isHarness = (head: string): boolean =>
  ANSWER.test(head) || (head.startsWith('[') && CLINE_ANSWERS.some((words) => head.startsWith(words)))

/** What stands before the first word of the agent. */
function promptOf(steps: readonly Step[]): readonly string[] {
  const texts: string[] = []
  for (const { parts } of steps)
    for (const { actor, text } of parts) {
      if (actor.startsWith('agent_')) return texts
      if (actor !== 'tool_output') texts.push(text)
    }
  return texts
}
