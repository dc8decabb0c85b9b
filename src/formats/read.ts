import { type Digest, digestValue } from '../domain/digest.ts'
import { err, type Issue, ok, type Result } from '../domain/result.ts'
import { findUnsound } from '../domain/text/json.ts'
import { type Call, NOT_RUN, type Part, type Step, type Trajectory } from '../domain/trajectory/trajectory.ts'
import { quoted } from '../domain/words.ts'
import { countLostWords } from './common/coverage.ts'
import { mendHalves } from './common/json-tree.ts'
import { withActsOfMessages } from './common/message-acts.ts'
import { isRecord, itemsIn, type Json, pointer, Reading, type ReadLimits, typeName } from './common/reading.ts'
import { asRecord } from './common/session.ts'
import type { ReadDocument } from './format.ts'
import { FORMATS } from './formats.ts'
import { runsIn } from './langchain/langchain.ts'
import type { OpenCall } from './tools/tool-table.ts'
import { namesOf } from './vocabulary.ts'

export type { ReadLimits } from './common/reading.ts'

type ReadResult = Result<Trajectory, Issue[]>

const ACCEPTED =
  'Send one run as one JSON object: {"steps": [{"actor": "user", "text": "Build it."}, {"actor": "agent_action", "text": "make"}]}, or a chat, ' +
  '{"messages": [{"role": "user", "content": "Build it."}, …]}, or an ATIF trajectory (v1.0 to v1.8) or another session that docs/formats.md lists'

/**
 * Reads a JSON document into a trajectory. The content decides the format, never a file name.
 *
 * Paths of issues are JSON pointers into the document. All errors are reported (at most 100); mere deviations are read and added to the
 * trajectory's `warnings`. `id`: the digest of the document, where the caller knows it; null: the document is unsound.
 *
 * @example
 * const read = readTrajectory(JSON.parse(text), { max_steps: 5000, max_part_chars: 2_000_000 })
 * if (!read.ok) report(read.error)   // [{ path: '/steps/3/message', message: 'must be text or …' }]
 */
export function readTrajectory(document: unknown, limits: ReadLimits, id = digestOf(document)): ReadResult {
  if (id === null) return readMended(document, limits)
  const reading = new Reading(limits)
  const read = holdsRuns(document)
    ? readRuns(reading, document)
    : isRecord(document)
      ? readAs(reading, withoutUnread(reading, document))
      : null
  if (read === null) reading.refuse('', refusalOf(document))
  if (read === null || reading.errors.total > 0) return err(reading.errors.toArray())
  return ok({
    id,
    ...read,
    warnings: reading.warnings.toArray(),
    unread: reading.unreadSoFar,
    ...(reading.isCompacted && { compacted: true }),
  })
}

const digestOf = (document: unknown): Digest | null =>
  findUnsound(document, 1).length === 0 ? digestValue(document) : null

/** Reads a document with U+FFFD in place of each half character; refuses a document that is unsound for another reason. */
function readMended(document: unknown, limits: ReadLimits): ReadResult {
  const { mended, halves } = mendHalves(document)
  const read = mended === null ? err(findUnsound(document)) : readTrajectory(mended, limits)
  return read.ok ? ok({ ...read.value, warnings: [...halves, ...read.value.warnings] }) : read
}

/** The member with the count of broken lines in the document's file that begin like records. */
export const UNREAD_LINES = 'unread_lines'

function withoutUnread(reading: Reading, document: Json): Json {
  if (!(UNREAD_LINES in document)) return document
  const { [UNREAD_LINES]: lines, ...rest } = document
  if (typeof lines !== 'number' || !Number.isSafeInteger(lines) || lines < 1) return document
  reading.addUnread({ records: lines, actions: lines })
  reading.warn(
    pointer('', UNREAD_LINES),
    `${lines} lines of the file hold the beginning of a record and are no JSON; left out`,
  )
  return rest
}

function readAs(reading: Reading, document: Json): ReadDocument | null {
  const format = FORMATS.find((candidate) => candidate.recognizes(document))
  if (format === undefined) return null
  const runs = format.split?.(document)?.length ?? 1
  if (runs > 1) reading.refuse('', `holds ${runs} runs: send the one to read by itself`)
  const read = format.read(reading, document)
  reading.reply = null
  const steps = withActsOfMessages(reading, read)
  markUnanswered(steps)
  if (!format.holdsSubagents) countAbsentAgents(reading, steps)
  if (reading.errors.total === 0) countLostWords(reading, document, steps, namesOf(format.name, 'asides'))
  // The odd values of a document of which nothing was read tell the reason.
  if (reading.oddities.total > 0 && !steps.some(({ parts }) => parts.length > 0)) reading.errors = reading.oddities
  return { ...read, steps }
}

function refusalOf(document: unknown): string {
  if (!isRecord(document)) return `${ACCEPTED}.`
  const inner = Object.keys(document).filter((key) => isRecord(document[key]) && Array.isArray(document[key]['steps']))
  if (inner.length > 0 && !('steps' in document)) {
    const names = inner.slice(0, 5).map((key) => quoted(key, 40))
    return `Trajectories stand under ${names.join(', ')}: send the one to read by itself. ${ACCEPTED}.`
  }
  const version = document['schema_version']
  const empty = Object.keys(document).find((key) => Array.isArray(document[key]) && document[key].length === 0)
  const list = empty === undefined ? '' : `No run stands in the empty list ${quoted(empty, 40)}. `
  const other = typeof version === 'string' ? ` The schema_version ${quoted(version, 40)} is neither.` : ''
  return `${list}${ACCEPTED}.${other}`
}

const MOST_RUNS = 50
const MOST_PARTS = 100_000
const ID = /^[\w.@:/-]{1,100}$/

const holdsRuns = (document: unknown): document is Json =>
  isRecord(document) && Array.isArray(document['runs']) && !('steps' in document) && runsIn(document) === null

/** Reads `{"runs": [{"id", "trajectory"}], "documents": [{"name", "text"}]}` as one trajectory. A document is a step of the system. */
function readRuns(reading: Reading, document: Json): ReadDocument {
  const runs = document['runs'] as readonly unknown[]
  if (runs.length === 0 || runs.length > MOST_RUNS) reading.refuse('/runs', `must hold 1 to ${MOST_RUNS} runs`)
  const ids = new Set<string>()
  const steps: Step[] = []
  let parts = 0
  for (const [run, path] of itemsIn(runs.slice(0, MOST_RUNS), '/runs')) {
    const id = idOf(reading, run, path, ids)
    if (id === null || !isRecord(run)) continue
    const max_steps = Math.max(1, reading.limits.max_steps - steps.length)
    const { trajectory } = run
    const read = holdsRuns(trajectory)
      ? err([{ path: '', message: 'holds runs again: a run is one trajectory' }])
      : readTrajectory(trajectory, { ...reading.limits, max_steps })
    const at = `${path}/trajectory`
    if (!read.ok) {
      for (const issue of read.error) reading.refuse(at + issue.path, issue.message)
      continue
    }
    for (const issue of read.value.warnings) reading.warn(at + issue.path, issue.message)
    reading.addUnread(read.value.unread)
    for (const step of read.value.steps) steps.push(ofRun(step, id, at, steps.length + 1))
    parts += read.value.steps.reduce((sum, step) => sum + step.parts.length, 0)
    if (parts > MOST_PARTS) {
      reading.refuse(at, `more than ${MOST_PARTS} parts in all runs together`)
      break
    }
  }
  for (const part of readDocuments(reading, document['documents']))
    steps.push({ id: steps.length + 1, name: null, at: null, copied: false, parts: [part] })
  reading.takeSteps(steps.length, '/runs')
  return { format: 'runs', agent: { name: null, model: null }, steps }
}

function idOf(reading: Reading, run: unknown, path: string, ids: Set<string>): string | null {
  const { id } = asRecord(run)
  if (!isRecord(run)) reading.refuse(path, `a run must be an object with id and trajectory, not ${typeName(run)}`)
  else if (typeof id !== 'string' || !ID.test(id)) reading.refuse(`${path}/id`, 'must be a short name without spaces')
  else if (ids.has(id)) reading.refuse(`${path}/id`, 'is the id of another run, too')
  else {
    ids.add(id)
    return id
  }
  return null
}

/** Moves a step into the combined trajectory, without its time: the clocks of different runs are not comparable. */
const ofRun = (step: Step, run: string, at: string, id: number): Step => ({
  ...step,
  id,
  run,
  name: `${run}/${step.name ?? step.id}`,
  at: null,
  parts: step.parts.map((part) => ({ ...part, path: at + part.path })),
})

function readDocuments(reading: Reading, documents: unknown): Step['parts'] {
  if (documents === undefined) return []
  if (!Array.isArray(documents)) reading.refuse('/documents', `must be an array, not ${typeName(documents)}`)
  const parts: Part[] = []
  for (const [document, path] of itemsIn(documents, '/documents')) {
    const { name, text } = asRecord(document)
    if (!isRecord(document) || typeof name !== 'string' || typeof text !== 'string') {
      reading.refuse(path, 'must be an object with name and text')
      continue
    }
    reading.add(parts, { actor: 'system', text, path: `${path}/text`, name: `document ${name}` })
  }
  return parts
}

/** Counts calls that started another agent of which the document holds no step: what such an agent did is not known. */
function countAbsentAgents(reading: Reading, steps: readonly Step[]): void {
  const isOther = ({ agent, conversation, name }: Step) => agent ?? conversation ?? name?.includes('#')
  if (steps.some(isOther)) return
  const counted = new Set<Call>()
  for (const { act, path } of steps.flatMap(({ parts }) => parts)) {
    if (act?.role !== 'delegates' || !STARTERS.has(act.call.tool) || NOT_RUN.has(act.call.outcome)) continue
    if (counted.has(act.call)) continue
    counted.add(act.call)
    reading.unread(path, `the agent that ${act.call.tool} started is not in this document; not read`, true)
  }
}

const STARTERS = namesOf('any', 'starters')

/** A turn of the agent: its calls before other speakers, and whether a tool output followed. */
type Turn = { readonly calls: Set<OpenCall>; hasOutput: boolean }

const hasOutcome = ({ outcome }: OpenCall): boolean => outcome !== 'unknown'

/** Marks calls without a result as interrupted where others have one: nobody knows whether they ran. A result of their turn may be theirs. */
function markUnanswered(steps: readonly Step[]): void {
  const turns = turnsOf(steps)
  const answered = turns.reduce((sum, { calls }) => sum + [...calls].filter(hasOutcome).length, 0)
  const left = turns.flatMap(({ calls, hasOutput }) => {
    const unknown = [...calls].filter((call) => !hasOutcome(call))
    return hasOutput && unknown.length === calls.size ? [] : unknown
  })
  if (left.length > answered) return
  for (const call of left) call.outcome = 'interrupted'
}

/** Splits the parts into turns. A turn ends where the agent acts after other speakers. */
function turnsOf(steps: readonly Step[]): readonly Turn[] {
  const turns: Turn[] = []
  let isOver = true
  for (const { actor, act } of steps.flatMap(({ parts }) => parts)) {
    const last = turns.at(-1)
    if (actor === 'tool_output' && last !== undefined) last.hasOutput = true
    if (!actor.startsWith('agent_')) isOver = true
    if (actor !== 'agent_action' || act === null) continue
    if (isOver || last === undefined) turns.push({ calls: new Set([act.call as OpenCall]), hasOutput: false })
    else last.calls.add(act.call as OpenCall)
    isOver = false
  }
  return turns
}
