import { rememberWeakAnchors } from '../domain/evidence/weak-anchors.ts'
import { err, type Issue, ok, type Result } from '../domain/result.ts'
import { rememberPacked } from '../domain/trajectory/sent-text.ts'
import { rememberMeasure } from '../domain/trajectory/text-size.ts'
import type { Step, Trajectory } from '../domain/trajectory/trajectory.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import { readTrajectory } from '../formats/read.ts'
import { parseStored, unpackText } from '../storage/stored-text.ts'
import type { ReadRequest, ReadRun } from './trial-jobs.ts'

const readings = new WeakMap<object, Result<Trajectory, Issue[]>>()

/** The request with an object in place of the document that a worker has read: it has no members, and is read and stored as that document. */
export function withStandIn(
  { body, trajectory: read }: ReadRequest,
  limits: ReadLimits,
  note: (trajectory: Trajectory, run: ReadRun) => void,
): unknown {
  if (read === null) return body
  const document = {}
  if (!read.ok) readings.set(document, err([...read.error]))
  else {
    const trajectory = runElsewhere(read.value, limits)
    readings.set(document, ok(trajectory))
    rememberPacked(document, read.value.document)
    note(trajectory, read.value)
  }
  return { ...(body as object), trajectory: document }
}

/** A trajectory whose steps are with a worker: here they are read from the stored document, and only where they are needed. */
function runElsewhere({ head, measure, document, weak }: ReadRun, limits: ReadLimits): Trajectory {
  let steps: readonly Step[] | undefined
  const trajectory = {
    ...head,
    get steps() {
      steps ??= readStored(document, limits).steps
      return steps
    },
  }
  rememberMeasure(trajectory, measure)
  if (weak !== null) rememberWeakAnchors(weak.truth, trajectory, weak.issues)
  return trajectory
}

export function readStored(document: Uint8Array, limits: ReadLimits): Trajectory {
  const read = readTrajectory(parseStored(unpackText(document)), limits)
  if (!read.ok) throw new Error('a stored trajectory can no longer be read')
  return read.value
}

/** As `readTrajectory`, but for a document that a worker has read. */
export const readAnywhere = (document: unknown, limits: ReadLimits): Result<Trajectory, Issue[]> =>
  (typeof document === 'object' && document !== null ? readings.get(document) : undefined) ??
  readTrajectory(document, limits)
