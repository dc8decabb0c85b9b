import type { HumanLabel } from '../../src/cli/commands/labelled-commands.ts'
import { isAbsent, isRecord, type Json } from '../../src/formats/common/reading.ts'
import type { Actor } from '../../src/schemas/vocabulary.ts'
import {
  type Converted,
  field,
  LabelFault,
  listField,
  listOf,
  numberField,
  recordOf,
  textField,
} from './labelled-item.ts'

/** A step of the plain step list. */
export interface SaidStep {
  readonly agent?: string
  readonly parts: readonly SaidPart[]
}

export interface SaidPart {
  readonly actor: Actor
  readonly text: string
  readonly name?: string
}

/** Steps are numbered from 1 by their place. */
export const stepDocument = (steps: readonly SaidStep[]): Record<string, unknown> => ({
  steps: steps.map((step, index) => ({ step_id: index + 1, ...step })),
})

/** Who runs code in a team, and says nothing of its own. */
const TERMINALS = new Set(['Computer_terminal', 'ComputerTerminal'])

/**
 * The turns of a team of agents, as AutoGen and Magentic-One log them: `{role, content}` with the speaker in `name`, or in `role`, which says after
 * it in brackets what kind of turn it is. What the person asks is `user`; a thought is reasoning; what a terminal answers is tool output; the blocks
 * of code in the message before it are what the agent did; everything else is said.
 */
export function turnsOfTeam(history: readonly Json[], path: string): SaidStep[] {
  const turns = history.map((entry, index) => turnOf(entry, `${path}/${index}`))
  return turns.map(({ speaker, kind, text }, index): SaidStep => {
    if (speaker === null) return { parts: [{ actor: 'user', text }] }
    if (TERMINALS.has(speaker)) return { agent: speaker, parts: [{ actor: 'tool_output', text }] }
    if (kind === 'thought') return { agent: speaker, parts: [{ actor: 'agent_reasoning', text }] }
    const next = turns[index + 1]?.speaker ?? null
    const isRun = next !== null && TERMINALS.has(next)
    return { agent: speaker, parts: isRun ? saidAndDone(text) : [{ actor: 'agent_message', text }] }
  })
}

interface Turn {
  /** Null: the person. */
  readonly speaker: string | null
  readonly kind: string
  readonly text: string
}

function turnOf(entry: Json, path: string): Turn {
  const text = textField(entry, 'content', path)
  const role = textField(entry, 'role', path)
  const { name } = entry
  if (!isAbsent(name) && typeof name !== 'string') throw new LabelFault(`${path}/name`, 'must be text')
  if (isAbsent(name) && role === 'human') return { speaker: null, kind: '', text }
  const said = name ?? role
  const bracket = said.indexOf(' (')
  const speaker = bracket === -1 ? said : said.slice(0, bracket)
  if (speaker === '') throw new LabelFault(`${path}/role`, 'names nobody')
  return { speaker, kind: bracket === -1 ? '' : said.slice(bracket + 2, -1), text }
}

function saidAndDone(text: string): SaidPart[] {
  const pieces = cutFences(text)
  if (!pieces.some(({ code }) => code !== null)) return [{ actor: 'agent_message', text }]
  return pieces.map(({ text: own, code }) =>
    code === null ? { actor: 'agent_message', text: own } : { actor: 'agent_action', text: own, name: code },
  )
}

/** A piece of a message: what is said, or a block of code between fences. */
interface Piece {
  readonly text: string
  /** Of a block: the language that its fence names; null: it is said. */
  readonly code: string | null
}

const FENCE = '```'

/** Cuts a message at its fenced blocks, fences left out. A block that is not closed is said. One pass over the lines. */
export function cutFences(message: string): Piece[] {
  const pieces: Piece[] = []
  let said: string[] = []
  let block: { readonly fence: string; readonly lines: string[] } | null = null
  const flush = () => {
    if (said.some((line) => line.trim() !== '')) pieces.push({ text: said.join('\n'), code: null })
    said = []
  }
  for (const line of message.split('\n')) {
    const isFence = line.trimStart().startsWith(FENCE)
    if (block === null) {
      if (isFence) block = { fence: line, lines: [] }
      else said.push(line)
    } else if (isFence) {
      flush()
      if (block.lines.length > 0) pieces.push({ text: block.lines.join('\n'), code: languageOf(block.fence) })
      block = null
    } else block.lines.push(line)
  }
  if (block !== null) said.push(block.fence, ...block.lines)
  flush()
  return pieces
}

const languageOf = (fence: string): string => /^\w{1,20}/.exec(fence.trim().slice(FENCE.length))?.[0] ?? 'code'

const RUBRIC = 'failure-attribution@1'

/**
 * A run of Who&When (Zhang et al., ICML 2025; github.com/ag2ai/Agents_Failure_Attribution): an entry of `history` is a step. Steps are numbered from
 * 1, as plain step lists are, so that `mistake_step` 0 is step 1.
 */
export function readWhoAndWhen(value: unknown, group: string): Converted {
  const run = recordOf(value, '')
  const history = listField(run, 'history', '')
  const index = numberField(run, 'mistake_step', '')
  if (index >= history.length)
    throw new LabelFault('/mistake_step', `is ${index}, and history has ${history.length} entries`)
  const expected = expectedOf(run)
  return {
    request: {
      rubric: RUBRIC,
      trajectory: stepDocument(turnsOfTeam(history, '/history')),
      ground_truth: { instruction: textField(run, 'question', ''), ...(expected !== null && { expected }) },
      metadata: {
        variant: group,
        ...(typeof run['question_ID'] === 'string' && { task: run['question_ID'].slice(0, 300) }),
      },
    },
    human: { claims: { 'failure.step': index + 1, 'failure.agent': textField(run, 'mistake_agent', '') } },
    group,
  }
}

const MOST_EXPECTED = 20_000

function expectedOf(run: Json): string | null {
  const { ground_truth: truth } = run
  const text = typeof truth === 'number' ? String(truth) : truth
  return typeof text === 'string' && text !== '' ? text.slice(0, MOST_EXPECTED) : null
}

/** The words of the annotators for the kinds of `failure-attribution@1`. */
const CATEGORIES: Readonly<Record<string, string>> = {
  'instruction adherence failure': 'instruction_adherence',
  'instruction/plan adherence failure': 'instruction_adherence',
  'invention of new information': 'invention_of_information',
  'invalid invocation': 'invalid_invocation',
  'misinterpretation of tool output': 'misinterpretation_of_output',
  'intent plan misalignment': 'intent_plan_misalignment',
  'underspecified user intent': 'underspecified_intent',
  'intent not supported': 'intent_not_supported',
  'guardrails triggered': 'guardrails_triggered',
  'system failure': 'system_failure',
}

/** A failed run of Magentic-One, and what the annotators of AgentRx (github.com/microsoft/AgentRx) say of it. Steps are counted from 1. */
export function readMagentic(label: Json, run: unknown): Converted {
  const steps = turnsOfTeam(listOf(run, ''), '')
  const asked = steps.find(({ agent }) => agent === undefined)?.parts[0]?.text
  return attributed(label, steps, 'magentic-one', asked)
}

/** A failed run of τ-bench retail: the messages of a chat with tools. */
export function readTau(label: Json, run: Json): Converted {
  const steps = listField(run, 'traj', '').map((message, index) => chatStep(message, `/traj/${index}`))
  const { info } = run
  const task = isRecord(info) && isRecord(info['task']) ? info['task']['instruction'] : undefined
  return attributed(label, steps, 'tau-retail', typeof task === 'string' ? task : undefined)
}

function attributed(label: Json, steps: readonly SaidStep[], group: string, asked: string | undefined): Converted {
  const human = rootCause(label, steps)
  return {
    request: {
      rubric: RUBRIC,
      trajectory: stepDocument(steps),
      ground_truth: { instruction: asked === undefined || asked === '' ? 'unknown' : asked },
      metadata: { variant: group, task: idOf(label).slice(0, 300) },
    },
    human,
    group,
  }
}

export function idOf(label: Json): string {
  const id = field(label, 'trajectory_id', '')
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new LabelFault('/trajectory_id', 'must be text or a number')
  return String(id)
}

/** The failure that the annotators call the root cause. Ids of failures are numbers, and here and there their text. */
function rootCause(label: Json, steps: readonly SaidStep[]): HumanLabel {
  const id = String(field(recordOf(field(label, 'root_cause', ''), '/root_cause'), 'failure_id', '/root_cause'))
  const failures = listField(label, 'failures', '')
  const at = failures.findIndex((one) => String(one['failure_id']) === id)
  const failure = failures[at]
  if (failure === undefined) throw new LabelFault('/root_cause/failure_id', `${id} is no failure of the list`)
  const path = `/failures/${at}`
  const step = numberField(failure, 'step_number', path)
  if (step < 1 || step > steps.length)
    throw new LabelFault(`${path}/step_number`, `is ${step}, and the run has ${steps.length} steps`)
  const named = textField(failure, 'failure_category', path)
  const words = named.trim().toLowerCase()
  const category = Object.hasOwn(CATEGORIES, words) ? CATEGORIES[words] : undefined
  if (category === undefined)
    throw new LabelFault(`${path}/failure_category`, `${named.slice(0, 100)} is not known here`)
  const agent = spelledAs(textField(failure, 'failed_agent', path), steps)
  return { claims: { 'failure.step': step, 'failure.agent': agent, 'failure.category': category } }
}

/** Annotators write `Websurfer` where the run has `WebSurfer`. */
function spelledAs(name: string, steps: readonly SaidStep[]): string {
  const same = steps.find(({ agent }) => agent?.toLowerCase() === name.toLowerCase())
  return same?.agent ?? name
}

/** In a run of τ-bench a model plays the user; annotators blame it, too. */
function chatStep(message: Json, path: string): SaidStep {
  const role = textField(message, 'role', path)
  const content = message['content']
  if (!isAbsent(content) && typeof content !== 'string') throw new LabelFault(`${path}/content`, 'must be text')
  const text = content ?? ''
  if (role === 'system') return { parts: [{ actor: 'system', text }] }
  if (role === 'user') return { agent: 'User', parts: [{ actor: 'user', text }] }
  if (role === 'tool') return { parts: [{ actor: 'tool_output', text, name: textField(message, 'name', path) }] }
  if (role !== 'assistant') throw new LabelFault(`${path}/role`, 'must be system, user, assistant or tool')
  const calls = isAbsent(message['tool_calls']) ? [] : listField(message, 'tool_calls', path)
  const said: SaidPart[] = text === '' && calls.length > 0 ? [] : [{ actor: 'agent_message', text }]
  const done = calls.map((call, index): SaidPart => {
    const at = `${path}/tool_calls/${index}/function`
    const called = recordOf(call['function'], at)
    return { actor: 'agent_action', name: textField(called, 'name', at), text: textField(called, 'arguments', at) }
  })
  return { agent: 'Assistant', parts: [...said, ...done] }
}
