import { digestSound } from '../domain/digest.ts'
import { err, type Issue, ok, type Result } from '../domain/result.ts'
import { quoted } from '../domain/text/quoted.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { findUnsound } from './common/json-tree.ts'
import { withActsOfMessages } from './common/message-acts.ts'
import { isRecord, type Json, pointer, Reading, type ReadLimits } from './common/reading.ts'
import { markUnanswered } from './common/unanswered.ts'
import type { ReadDocument } from './format.ts'
import { FORMATS } from './formats.ts'
import { holdsRuns, readRuns } from './runs.ts'

export type { ReadLimits } from './common/reading.ts'

const ACCEPTED =
  'One run is accepted, as one JSON object: an ATIF trajectory (schema_version "ATIF-v1.0" to "ATIF-v1.8", with steps), a ' +
  'step list ({"steps": [{"actor", "text"}]}), or a session of an agent that docs/formats.md lists'

/**
 * Turns a JSON document into a trajectory. The format is told from the content, never from a file name.
 *
 * Paths of issues are JSON pointers into the document. Everything that is wrong is reported, not only the first thing (at
 * most 100); what merely deviates is read and stands in the trajectory's `warnings`.
 *
 * @example
 * const read = readTrajectory(JSON.parse(text), { max_steps: 5000, max_part_chars: 2_000_000 })
 * if (!read.ok) report(read.error)   // [{ path: '/steps/3/message', message: 'must be text or …' }]
 */
export function readTrajectory(document: unknown, limits: ReadLimits): Result<Trajectory, Issue[]> {
  const id = digestSound(document)
  const unsound = id === null ? findUnsound(document) : null
  if (unsound?.tooDeep === true) return err(unsound.issues)
  const reading = new Reading(limits)
  for (const issue of unsound?.issues ?? []) reading.error(issue.path, issue.message)
  const read = holdsRuns(document)
    ? readRuns(reading, document, (run, max_steps) => readOne(run, { ...limits, max_steps }))
    : isRecord(document)
      ? readAs(reading, withoutUnread(reading, document))
      : null
  if (read === null) reading.error('', refusalOf(document))
  if (id === null || read === null || reading.errors.total > 0) return err(reading.errors.toArray())
  return ok({ id, ...read, warnings: reading.warnings.toArray(), unread: reading.unreadSoFar })
}

/** A run of several is no set of runs itself. */
const readOne = (document: unknown, limits: ReadLimits): Result<Trajectory, Issue[]> =>
  holdsRuns(document)
    ? err([{ path: '', message: 'holds runs again: a run is one trajectory' }])
    : readTrajectory(document, limits)

/** The member in which a document says how many lines of its file began like records and were none. */
export const UNREAD_LINES = 'unread_lines'

function withoutUnread(reading: Reading, document: Json): Json {
  if (!(UNREAD_LINES in document)) return document
  const { [UNREAD_LINES]: lines, ...rest } = document
  if (typeof lines !== 'number' || !Number.isSafeInteger(lines) || lines < 1) return document
  reading.addUnread({ records: lines, actions: lines })
  reading.warn(pointer('', UNREAD_LINES), `${lines} lines of the file begin like records and are no JSON; left out`)
  return rest
}

function readAs(reading: Reading, document: Json): ReadDocument | null {
  const format = FORMATS.find((one) => one.recognizes(document))
  if (format === undefined) return null
  const read = format.read(reading, document)
  const steps = withActsOfMessages(reading, read)
  markUnanswered(steps)
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
  const other = typeof version === 'string' ? ` The schema_version ${quoted(version, 40)} is neither.` : ''
  return `${ACCEPTED}.${other}`
}
