import type { Part, Step, Trajectory } from '../../domain/trajectory/trajectory.ts'
import { ACT_OUTCOMES, ACTORS, type ActOutcome, type Actor } from '../../schemas/vocabulary.ts'
import { isUsableStepId, numberSteps } from '../atif/step-order.ts'
import type { Format, ReadDocument } from '../format.ts'
import { specOf } from '../tools/lookup.ts'
import { meaningOf, meaningOfKind, openCall } from '../tools/tool-table.ts'
import { decodeObject, leavesOf } from './json-tree.ts'
import { isAbsent, isRecord, type Json, objectsIn, pointer, type Reading, typeName } from './reading.ts'
import { asList, asRecord } from './session.ts'

const ROOT_FIELDS = new Set(['steps', 'agent'])
const AGENT_FIELDS = new Set(['name', 'model'])
const SHORT_FIELDS = new Set(['step_id', 'agent', 'actor', 'text', 'name', 'outcome'])
const LONG_FIELDS = new Set(['step_id', 'agent', 'parts'])
const PART_FIELDS = new Set(['actor', 'text', 'name', 'outcome'])

export const STEP_LIST: Format = {
  name: 'steps',
  recognizes: ({ schema_version: version, steps }) =>
    version === undefined &&
    Array.isArray(steps) &&
    (steps.length === 0 || steps.some((step) => isRecord(step) && ('actor' in step || 'parts' in step))),
  read: readStepList,
}

const DEFAULT_NAMES: Readonly<Record<Actor, string>> = {
  ...{ user: 'message', system: 'message', agent_message: 'message' },
  ...{ agent_reasoning: 'reasoning', agent_action: 'action', tool_output: 'output' },
}

/**
 * Reads Veridict's own plain form, for runs that no other format covers: `{ "steps": [ {"actor": "user", "text": "…"}, {"parts": [{"actor":
 * "agent_action", "text": "…", "name": "bash"}]} ] }`. In a run of several agents each step names its `agent`.
 */
function readStepList(reading: Reading, document: Json): ReadDocument {
  reading.warnUnknown(document, '', ROOT_FIELDS)
  const agent = readAgent(reading, document['agent'])
  const steps = asList(document['steps'])
  if (steps.length === 0) reading.error('/steps', 'holds no steps')
  if (!reading.takeSteps(steps.length, '/steps')) return { format: 'steps', agent, steps: [] }
  const own = steps.map((step) => asRecord(step)['step_id'])
  const read = numberSteps(reading, own, '/steps').map((id, index): Step => {
    const path = pointer('/steps', index)
    const of = readAgentName(reading, asRecord(steps[index])['agent'], `${path}/agent`)
    return { ...id, ...of, at: null, copied: false, parts: readStep(reading, steps[index], path, agent.name) }
  })
  return { format: 'steps', agent, steps: read }
}

const MOST_AGENT_CHARS = 200

function readAgentName(reading: Reading, name: unknown, path: string): { readonly agent?: string } {
  if (isAbsent(name)) return {}
  if (typeof name === 'string' && name !== '' && name.length <= MOST_AGENT_CHARS) return { agent: name }
  reading.error(path, `must be a text of at most ${MOST_AGENT_CHARS} characters`)
  return {}
}

function readAgent(reading: Reading, agent: unknown): Trajectory['agent'] {
  if (isAbsent(agent)) return { name: null, model: null }
  if (!isRecord(agent)) reading.error('/agent', `must be an object, not ${typeName(agent)}`)
  else reading.warnUnknown(agent, '/agent', AGENT_FIELDS)
  const text = (field: 'name' | 'model'): string | null => {
    const value = asRecord(agent)[field] ?? null
    if (typeof value === 'string' || value === null) return value
    reading.error(`/agent/${field}`, `must be text, not ${typeName(value)}`)
    return null
  }
  return { name: text('name'), model: text('model') }
}

function readStep(reading: Reading, step: unknown, path: string, agent: string | null): Part[] {
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
    readPart(reading, parts, step, path, agent)
    return parts
  }
  reading.warnUnknown(step, path, LONG_FIELDS)
  if (!Array.isArray(step['parts'])) reading.error(`${path}/parts`, `must be an array, not ${typeName(step['parts'])}`)
  for (const [part, at] of objectsIn(reading, asList(step['parts']), `${path}/parts`, 'a part')) {
    reading.warnUnknown(part, at, PART_FIELDS)
    readPart(reading, parts, part, at, agent)
  }
  return parts
}

const MAX_TOOL = 100
const NAME_CHAR = /^\w$/

const isOutcome = (value: unknown): value is ActOutcome => ACT_OUTCOMES.some((outcome) => outcome === value)

const isActor = (value: unknown): value is Actor => ACTORS.some((actor) => actor === value)

function readPart(reading: Reading, parts: Part[], part: Json, path: string, agent: string | null): void {
  const { actor, text, name, outcome = 'unknown' } = part
  const named = typeof name === 'string' || name === undefined
  if (!isOutcome(outcome)) {
    reading.error(`${path}/outcome`, `must be one of ${ACT_OUTCOMES.join(', ')}`)
    return
  }
  if (actor !== 'agent_action' && outcome !== 'unknown')
    reading.warn(`${path}/outcome`, 'only an agent_action has an outcome; not read')
  if (!isActor(actor)) reading.error(`${path}/actor`, `must be one of ${ACTORS.join(', ')}`)
  if (typeof text !== 'string')
    reading.error(`${path}/text`, text === undefined ? 'text is missing' : `must be text, not ${typeName(text)}`)
  if (!named) reading.error(`${path}/name`, `must be text, not ${typeName(name)}`)
  if (isActor(actor) && typeof text === 'string' && named)
    if (actor === 'agent_action')
      readAction(reading, parts, { text, path: `${path}/text`, shown: name ?? DEFAULT_NAMES[actor], outcome }, agent)
    else reading.add(parts, { actor, text, path: `${path}/text`, name: name ?? DEFAULT_NAMES[actor] })
}

/** An action; `shown`: its name in the document. */
type ShownAction = Readonly<Record<'text' | 'path' | 'shown', string>> & { readonly outcome: ActOutcome }

/**
 * Reads an action. The text is the tool's main argument (a command), or all arguments as a JSON object. `name` is the tool, or the tool and
 * an argument (`bash.command`). An action of an unknown tool is a shell line.
 */
function readAction(
  reading: Reading,
  parts: Part[],
  { text, path, shown, outcome }: ShownAction,
  agent: string | null,
): void {
  const whole = specOf(agent, shown)
  const object = decodeObject(text)
  const dot = whole === undefined ? shown.indexOf('.') : -1
  const isOfTool = dot !== -1 && (object === null || specOf(agent, shown.slice(0, dot)) !== undefined)
  const tool = isOfTool ? shown.slice(0, dot) : shown
  const spec = whole ?? specOf(agent, tool)
  const call = { ...openCall(tool), outcome }
  const args = isOfTool ? null : object
  if (args !== null && Object.keys(args).length > 0) {
    for (const leaf of leavesOf(args, `${path}#`))
      reading.add(parts, {
        text: leaf.text,
        path: leaf.pointer,
        name: `${tool}.${leaf.name}`,
        ...meaningOf(spec, leaf.name, call, args),
      })
    return
  }
  const meaning =
    spec === undefined
      ? meaningOfKind(looksLikeCall(text) ? 'unknown' : 'shell', null, call)
      : meaningOf(spec, isOfTool ? shown.slice(dot + 1) : '', call, null)
  // The source declares an action, so it is shown as an action even for a tool that only speaks.
  const act = meaning.act ?? meaningOfKind('describes', null, call).act
  reading.add(parts, { actor: 'agent_action', text, path, name: shown, act })
}

/** Recognizes `Tool{'argument': …}` or a JSON object, which is a call and not a shell line. */
function looksLikeCall(text: string): boolean {
  let at = 0
  while (at < text.length && at < MAX_TOOL && NAME_CHAR.test(text.charAt(at))) at++
  return text[at] === '{' && (at > 0 || decodeObject(text) !== null)
}
