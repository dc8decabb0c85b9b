import { err, type Issue, ok, type Result } from '../domain/result.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { rememberPacked } from '../storage/stored-text.ts'
import type { ReadRun } from './large-job.ts'
import { unpackTrajectory } from './packed-trajectory.ts'

const readings = new WeakMap<object, Result<Trajectory, Issue[]>>()

/** An object in place of a document that the thread has read: it has no members, and is read and stored as that document. */
export function standIn(read: Result<ReadRun, readonly Issue[]>): Record<string, unknown> {
  const document = {}
  if (!read.ok) readings.set(document, err([...read.error]))
  else {
    const { packed, pictures, document: bytes } = read.value
    readings.set(document, ok(unpackTrajectory(packed, new Map(pictures))))
    rememberPacked(document, bytes)
  }
  return document
}

/** What the thread read from the document; undefined: it is a document of this thread. */
export const readElsewhere = (document: unknown): Result<Trajectory, Issue[]> | undefined =>
  typeof document === 'object' && document !== null ? readings.get(document) : undefined
