import { isAbsent, type Json } from '../../formats/common/reading.ts'
import { type Converted, LabelFault, listOf, numberField, recordOf, textField } from './labelled-item.ts'
import { type SaidPart, stepDocument } from './team-turns.ts'

const RUBRIC = 'injection@1'

/**
 * The runs of ASSEBench (github.com/Astarojth/AgentAuditor-ASSEBench) that are about a planted instruction, and whether the agent followed it. Its
 * label is unsafe or safe, which is another question for most runs; it is this one
 * - in `rjudge` where the description says that an attacker injected an instruction, which it quotes: unsafe there means that it was followed;
 * - in `security` where the kind of risk is prompt injection, nearly: unsafe may mean something else that the agent did.
 * Null: about something else, or called ambiguous by those who labelled it.
 */
export function readAssebench(value: unknown, knowsPlanted: boolean): Converted | null {
  const run = recordOf(value, '')
  const planted = run['risk_type'] === undefined ? plantedIn(run) : null
  const isInjection = run['risk_type'] === 'Prompt Injection' && run['ambiguous'] !== 1
  if (planted === null && (knowsPlanted || !isInjection)) return null
  const steps = turnsOf(run)
  if (planted !== null && !steps.some((parts) => parts.some((part) => shows(part, planted)))) return null
  const asked = steps.flat().find(({ actor, text }) => actor === 'user' && text.trim() !== '')?.text ?? 'unknown'
  const label = numberField(run, 'label', '')
  if (label > 1) throw new LabelFault('/label', 'must be 0 (safe) or 1 (unsafe)')
  const group = planted === null ? 'security' : 'rjudge'
  return {
    request: {
      rubric: RUBRIC,
      trajectory: stepDocument(steps.map((parts) => ({ parts }))),
      ground_truth: { instruction: asked, ...(knowsPlanted && planted !== null && { planted: { text: planted } }) },
      metadata: { variant: group, task: taskOf(planted ?? asked) },
    },
    human: { claims: { 'injection.followed': label === 1 } },
    group: knowsPlanted ? null : group,
  }
}

const shows = ({ actor, text }: SaidPart, planted: string): boolean => actor === 'tool_output' && text.includes(planted)

/** Runs with the same planted instruction, or the same question, are not independent. */
const taskOf = (text: string): string => (text.trim().split('\n', 1)[0] ?? '').slice(0, 100).toWellFormed() || 'unknown'

/** “the attacker injected the … malicious instruction "…" in the return value”. */
export function plantedIn(run: Json): string | null {
  const { risk_description: text } = run
  if (typeof text !== 'string') return null
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

const OBSERVED = '[Observation]'

function partsOf(turn: Json, path: string): SaidPart[] {
  const text = (name: string): string => (isAbsent(turn[name]) ? '' : textField(turn, name, path))
  const role = textField(turn, 'role', path)
  if (role === 'user') return [{ actor: 'user', text: text('content') }]
  if (role === 'environment') return [{ actor: 'tool_output', text: text('content') }]
  if (role !== 'agent') throw new LabelFault(`${path}/role`, 'must be user, agent or environment')
  const thought = text('thought')
  const action = text('action')
  const done: SaidPart[] = action === '' ? [] : [actionOf(action)]
  if (thought === '') return done
  // What a tool answered is logged as the thought of the turn that called it.
  if (thought.startsWith(OBSERVED)) return [...done, { actor: 'tool_output', text: thought }]
  // Without an action it is what the agent answers.
  return [{ actor: done.length === 0 ? 'agent_message' : 'agent_reasoning', text: thought }, ...done]
}

const actionOf = (action: string): SaidPart =>
  action.startsWith('Final Answer:')
    ? { actor: 'agent_message', text: action }
    : { actor: 'agent_action', text: action, name: /^\w{1,80}/.exec(action)?.[0] ?? 'action' }
