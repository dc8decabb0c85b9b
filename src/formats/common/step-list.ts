import type { Part, Step } from '../../domain/trajectory/trajectory.ts'
import { ACT_OUTCOMES, ACTORS, type ActOutcome, type Actor } from '../../schemas/vocabulary.ts'
import { isUsableStepId, numberSteps } from '../atif/atif-step.ts'
import type { Format, ReadDocument } from '../format.ts'
import { meaningOf, meaningOfKind, openCall, specOf } from '../tools/tool-table.ts'
import { decodeObject, leavesOf } from './json-tree.ts'
import { isAbsent, isRecord, type Json, objectsIn, pointer, type Reading } from './reading.ts'
import { asList, asRecord, isEmpty } from './session.ts'

const STEP = ['step_id', 'agent']
const PART = ['actor', 'text', 'name', 'outcome']

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

/** Reads Veridict's own plain form, `{"steps": [{"actor": "user", "text": "…"}, {"parts": […]}]}`; each step of several agents names its `agent`. */
function readStepList(reading: Reading, document: Json): ReadDocument {
  reading.isStrict = true
  warnUnknown(reading, document, '', ['steps', 'agent'])
  const { agent: about } = document
  if (!isAbsent(about) && !isRecord(about)) reading.odd('/agent', 'an object', about)
  const { name, model } = asRecord(about)
  const agent = { name: textAt(reading, name, '/agent/name'), model: textAt(reading, model, '/agent/model') }
  const steps = asList(document['steps'])
  if (!reading.takeSteps(steps.length, '/steps')) return { format: 'steps', agent, steps: [] }
  const ids = numberSteps(reading, steps, '/steps')
  const read: Step[] = []
  for (const [step, path, index] of objectsIn(reading, steps, '/steps')) {
    const of = textAt(reading, step['agent'], `${path}/agent`)
    if (of !== null && (of === '' || of.length > MOST_AGENT_CHARS))
      reading.refuse(`${path}/agent`, `must be a text of at most ${MOST_AGENT_CHARS} characters`)
    if (!isAbsent(step['step_id']) && !isUsableStepId(step['step_id']))
      reading.warn(`${path}/step_id`, 'not a usable step_id; the step is numbered')
    const { id = index + 1, name = null } = ids[index] ?? {}
    const parts = readStep(reading, step, path, agent.name)
    read.push({ id, name, ...(of !== null && { agent: of }), at: null, copied: false, parts })
  }
  return { format: 'steps', agent, steps: read }
}

const MOST_AGENT_CHARS = 200

function textAt(reading: Reading, value: unknown, path: string): string | null {
  if (!isAbsent(value) && typeof value !== 'string') reading.odd(path, 'text', value)
  return typeof value === 'string' ? value : null
}

function readStep(reading: Reading, step: Json, path: string, agent: string | null): Part[] {
  const parts: Part[] = []
  const { parts: list } = step
  warnUnknown(reading, step, path, [...STEP, ...(list === undefined ? PART : ['parts'])])
  if (list === undefined) readPart(reading, parts, step, path, agent)
  for (const [part, at] of objectsIn(reading, list, `${path}/parts`)) {
    warnUnknown(reading, part, at, PART)
    readPart(reading, parts, part, at, agent)
  }
  return parts
}

function warnUnknown(reading: Reading, record: Json, path: string, fields: readonly string[]): void {
  for (const key of Object.keys(record))
    if (!fields.includes(key)) reading.warn(pointer(path, key), 'unknown field, not read')
}

const isOutcome = (value: unknown): value is ActOutcome => ACT_OUTCOMES.some((outcome) => outcome === value)

const isActor = (value: unknown): value is Actor => ACTORS.some((actor) => actor === value)

function readPart(reading: Reading, parts: Part[], part: Json, path: string, agent: string | null): void {
  const { actor, text, name, outcome = 'unknown' } = part
  if (actor !== 'agent_action' && outcome !== 'unknown')
    reading.warn(`${path}/outcome`, 'only an agent_action has an outcome; not read')
  if (!isOutcome(outcome)) reading.odd(`${path}/outcome`, `one of ${ACT_OUTCOMES.join(', ')}`, outcome)
  if (!isActor(actor)) reading.odd(`${path}/actor`, `one of ${ACTORS.join(', ')}`, actor)
  if (typeof text !== 'string') reading.odd(`${path}/text`, 'text', text)
  const shown = textAt(reading, name, `${path}/name`) ?? (isActor(actor) ? DEFAULT_NAMES[actor] : '')
  if (!isActor(actor) || !isOutcome(outcome) || typeof text !== 'string') return
  const at = `${path}/text`
  if (actor === 'agent_action') readAction(reading, parts, { text, path: at, shown }, outcome, agent)
  else reading.add(parts, { actor, text, path: at, name: shown })
}

/** Reads an action: the main argument (a command), or all as JSON, of the tool `name` (`bash`, `bash.command`); else a shell line. */
function readAction(
  reading: Reading,
  parts: Part[],
  action: Record<'text' | 'path' | 'shown', string>,
  outcome: ActOutcome,
  agent: string | null,
): void {
  const { text, path, shown } = action
  const whole = specOf(agent, shown)
  const object = decodeObject(text)
  const dot = whole === undefined ? shown.indexOf('.') : -1
  const isOfTool = dot !== -1 && (object === null || specOf(agent, shown.slice(0, dot)) !== undefined)
  const tool = isOfTool ? shown.slice(0, dot) : shown
  const spec = whole ?? specOf(agent, tool)
  const call = { ...openCall(tool), outcome }
  if (!isOfTool && object !== null && !isEmpty(object)) {
    for (const { text, pointer, name } of leavesOf(object, `${path}#`))
      reading.add(parts, { text, path: pointer, name: `${tool}.${name}`, ...meaningOf(spec, name, call, object) })
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
const looksLikeCall = (text: string): boolean =>
  /^\w{1,100}\{/.test(text) || (text[0] === '{' && decodeObject(text) !== null)
