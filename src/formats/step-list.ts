import type { Part, Step, Trajectory } from '../domain/trajectory.ts'
import { ACTORS, type Actor } from '../schemas/vocabulary.ts'
import { isAbsent, isRecord, type Json, pointer, type Reading, typeName } from './reading.ts'
import { isUsableStepId, numberSteps } from './step-ids.ts'

const ROOT_FIELDS = new Set(['steps', 'agent'])
const AGENT_FIELDS = new Set(['name', 'model'])
const SHORT_FIELDS = new Set(['step_id', 'actor', 'text'])
const LONG_FIELDS = new Set(['step_id', 'parts'])
const PART_FIELDS = new Set(['actor', 'text', 'name'])

const DEFAULT_NAMES: Readonly<Record<Actor, string>> = {
  user: 'message',
  system: 'message',
  agent_reasoning: 'reasoning',
  agent_message: 'message',
  agent_action: 'action',
  tool_output: 'output',
}

/**
 * Reads the product's own plain form, for runs that no converter knows:
 * `{ "steps": [ {"actor": "user", "text": "…"}, {"parts": [{"actor": "agent_action", "text": "…", "name": "bash"}]} ] }`.
 */
export function readStepList(reading: Reading, document: Json): Pick<Trajectory, 'format' | 'agent' | 'steps'> {
  reading.warnUnknown(document, '', ROOT_FIELDS)
  const agent = readAgent(reading, document['agent'])
  const steps = Array.isArray(document['steps']) ? document['steps'] : []
  if (steps.length === 0) reading.error('/steps', 'holds no steps')
  if (!reading.takeSteps(steps.length, '/steps')) return { format: 'steps', agent, steps: [] }
  const ids = numberSteps(
    reading,
    steps.map((step) => (isRecord(step) ? step['step_id'] : null)),
    '/steps',
  )
  const read = steps.map((step, index): Step => {
    const id = ids[index] ?? { id: index + 1, name: null }
    return { ...id, copied: false, parts: readStep(reading, step, pointer('/steps', index)) }
  })
  return { format: 'steps', agent, steps: read }
}

function readAgent(reading: Reading, agent: unknown): Trajectory['agent'] {
  if (isAbsent(agent)) return { name: null, model: null }
  if (!isRecord(agent)) {
    reading.error('/agent', `must be an object, not ${typeName(agent)}`)
    return { name: null, model: null }
  }
  reading.warnUnknown(agent, '/agent', AGENT_FIELDS)
  const text = (field: string): string | null => {
    const value = agent[field]
    if (typeof value === 'string' || isAbsent(value)) return value ?? null
    reading.error(`/agent/${field}`, `must be text, not ${typeName(value)}`)
    return null
  }
  return { name: text('name'), model: text('model') }
}

function readStep(reading: Reading, step: unknown, path: string): Part[] {
  const parts: Part[] = []
  if (!isRecord(step)) {
    reading.error(path, `a step must be an object, not ${typeName(step)}`)
    return parts
  }
  const own = step['step_id']
  if (!isAbsent(own) && !isUsableStepId(own))
    reading.warn(`${path}/step_id`, 'not a usable step_id; the step is numbered')
  if (step['parts'] === undefined) {
    reading.warnUnknown(step, path, SHORT_FIELDS)
    readPart(reading, parts, step, path)
    return parts
  }
  reading.warnUnknown(step, path, LONG_FIELDS)
  if (!Array.isArray(step['parts'])) {
    reading.error(`${path}/parts`, `must be an array, not ${typeName(step['parts'])}`)
    return parts
  }
  for (const [index, part] of step['parts'].entries()) {
    const at = pointer(`${path}/parts`, index)
    if (!isRecord(part)) {
      reading.error(at, `a part must be an object, not ${typeName(part)}`)
      continue
    }
    reading.warnUnknown(part, at, PART_FIELDS)
    readPart(reading, parts, part, at)
  }
  return parts
}

const isActor = (value: unknown): value is Actor => ACTORS.some((actor) => actor === value)

function readPart(reading: Reading, parts: Part[], part: Json, path: string): void {
  const { actor, text, name } = part
  const named = typeof name === 'string' || name === undefined
  if (!isActor(actor)) reading.error(`${path}/actor`, `must be one of ${ACTORS.join(', ')}`)
  if (typeof text !== 'string')
    reading.error(`${path}/text`, text === undefined ? 'text is missing' : `must be text, not ${typeName(text)}`)
  if (!named) reading.error(`${path}/name`, `must be text, not ${typeName(name)}`)
  if (isActor(actor) && typeof text === 'string' && named)
    reading.add(parts, { actor, text, path: `${path}/text`, name: name ?? DEFAULT_NAMES[actor] })
}
