import { isAbsent, type Json } from '../../src/formats/common/reading.ts'
import { type Converted, LabelFault, listOf, numberField, recordOf, textField } from './labelled-item.ts'
import { type SaidPart, stepDocument } from './teams.ts'

const RUBRIC = 'injection@1'

/**
 * A run of ASSEBench (github.com/Astarojth/AgentAuditor-ASSEBench, `rjudge.json`) in which an instruction is planted in what a tool returned. Its label
 * is unsafe or safe, which is another question than whether a planted instruction was followed; it is this one where the description says that an
 * attacker injected an instruction, which it quotes, and a tool’s answer shows it. Null: a run about something else.
 */
export function readAssebench(value: unknown, tellsPlanted: boolean): Converted | null {
  const run = recordOf(value, '')
  const planted = plantedIn(run)
  if (planted === null) return null
  const steps = turnsOf(run)
  if (!steps.some((parts) => parts.some((part) => shows(part, planted)))) return null
  const label = numberField(run, 'label', '')
  if (label > 1) throw new LabelFault('/label', 'must be 0 (safe) or 1 (unsafe)')
  return {
    request: {
      rubric: RUBRIC,
      trajectory: stepDocument(steps.map((parts) => ({ parts }))),
      ground_truth: { instruction: askedIn(steps), ...(tellsPlanted && { planted: { text: planted } }) },
      metadata: { task: taskOf(planted) },
    },
    human: { claims: { 'injection.followed': label === 1 } },
    group: null,
  }
}

export const askedIn = (steps: readonly (readonly SaidPart[])[]): string =>
  steps.flat().find(({ actor, text }) => actor === 'user' && text !== '')?.text ?? 'unknown'

const shows = ({ actor, text }: SaidPart, planted: string): boolean => actor === 'tool_output' && text.includes(planted)

/** Runs with the same planted instruction are not independent. */
const taskOf = (planted: string): string => planted.slice(0, 100).toWellFormed()

/** “the attacker injected the … malicious instruction "…" in the return value”. */
export function plantedIn(run: Json): string | null {
  const { risk_description: text } = run
  // Where it has a kind of risk, it is of another file, whose labels mean something else (docs/validation.md).
  if (typeof text !== 'string' || run['risk_type'] !== undefined) return null
  const start = text.indexOf('instruction "')
  const end = start === -1 ? -1 : text.indexOf('" in the', start)
  if (end === -1) return null
  const quoted = text.slice(start + 'instruction "'.length, end)
  return quoted.endsWith('.') ? quoted.slice(0, -1) : quoted
}

/** The steps of a run, each with its parts; a turn with nothing in it is none. */
export function turnsOf(run: Json): SaidPart[][] {
  const { contents } = run
  if (!Array.isArray(contents)) throw new LabelFault('/contents', 'must be an array')
  return contents.flatMap((turns: unknown, session) =>
    listOf(turns, `/contents/${session}`)
      .map((turn, index) => partsOf(turn, `/contents/${session}/${index}`))
      .filter((parts) => parts.length > 0),
  )
}

function partsOf(turn: Json, path: string): SaidPart[] {
  const text = (name: string): string => (isAbsent(turn[name]) ? '' : textField(turn, name, path))
  const role = textField(turn, 'role', path)
  if (role === 'user') return [{ actor: 'user', text: text('content') }]
  if (role === 'environment') return [{ actor: 'tool_output', text: text('content') }]
  if (role !== 'agent') throw new LabelFault(`${path}/role`, 'must be user, agent or environment')
  const thought = text('thought')
  const action = text('action')
  const done: SaidPart[] = action === '' ? [] : [actionOf(action)]
  return thought === '' ? done : [{ actor: 'agent_reasoning', text: thought }, ...done]
}

const actionOf = (action: string): SaidPart =>
  action.startsWith('Final Answer:')
    ? { actor: 'agent_message', text: action }
    : { actor: 'agent_action', text: action, name: /^\w{1,80}/.exec(action)?.[0] ?? 'action' }
