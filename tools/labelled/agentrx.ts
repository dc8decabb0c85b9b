import type { HumanLabel } from '../../src/cli/validation/labelled-lines.ts'
import { isAbsent, isRecord, type Json } from '../../src/formats/common/reading.ts'
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
import { type SaidPart, type SaidStep, stepDocument, turnsOfTeam } from './team-turns.ts'
import { RUBRIC } from './who-and-when.ts'

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
