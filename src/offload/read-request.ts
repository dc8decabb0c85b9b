import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { isRecord } from '../formats/common/reading.ts'
import { readTrajectory } from '../formats/read.ts'
import { parseJson } from '../http/body/body-json.ts'
import { HttpProblem } from '../http/problem.ts'
import { packText } from '../storage/stored-text.ts'
import type { ReadBody, ReadJob } from './large-job.ts'
import { packTrajectory } from './packed-trajectory.ts'

interface Reading {
  readonly answer: ReadBody
  readonly trajectory: Trajectory | null
}

/** Parses a body as the main thread does, and reads the trajectory in it. For the thread. */
export function readRequest({ chunks, limits }: ReadJob): Reading {
  let body: unknown
  try {
    body = parseJson(Buffer.concat(chunks), limits.depth)
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error
    const { code, message: detail, extras } = error
    return alone({ refused: { code, detail, errors: extras.errors ?? [] } })
  }
  if (!isRecord(body) || !isRecord(body['trajectory'])) return alone({ body, trajectory: null })
  const { trajectory: document, ...rest } = body
  // The name of a stored one, not a document.
  if (typeof document['id'] === 'string' && Object.keys(document).length === 1) return alone({ body, trajectory: null })
  const read = readTrajectory(document, limits)
  if (!read.ok) return alone({ body: rest, trajectory: read })
  const parts = read.value.steps.flatMap((step) => step.parts)
  const run = {
    packed: packTrajectory(read.value),
    pictures: parts.flatMap(({ picture }, place) => (picture === undefined ? [] : [[place, picture] as const])),
    document: packText(JSON.stringify(document), 0),
  }
  return { answer: { body: rest, trajectory: { ok: true, value: run } }, trajectory: read.value }
}

const alone = (answer: ReadBody): Reading => ({ answer, trajectory: null })
