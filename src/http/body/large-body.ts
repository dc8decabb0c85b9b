import { readOnThread } from '../../offload/large-runs.ts'
import { ThreadLost } from '../../offload/offload.ts'
import { standIn } from '../../offload/read-elsewhere.ts'
import { HttpProblem } from '../problem.ts'
import type { RawBody } from './raw-body.ts'

export interface LargeBodyLimits {
  readonly depth: number
  readonly max_steps: number
  readonly max_part_chars: number
}

/** On the thread of large runs; the document of the trajectory stays there. */
export async function readLarge(raw: RawBody, { depth, max_steps, max_part_chars }: LargeBodyLimits): Promise<unknown> {
  const read = await readOnThread(raw.chunks, { depth, max_steps, max_part_chars }, raw.memory).catch(unreadable)
  if ('refused' in read)
    throw new HttpProblem(400, read.refused.code, read.refused.detail, { errors: read.refused.errors })
  return read.trajectory === null ? read.body : { ...(read.body as object), trajectory: standIn(read.trajectory) }
}

function unreadable(error: unknown): never {
  if (!(error instanceof ThreadLost)) throw error
  throw new HttpProblem(413, 'body_too_large', 'reading the body takes more memory or time than one body may take')
}
