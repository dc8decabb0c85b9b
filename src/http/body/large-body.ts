import { trialPool } from '../../offload/trial-pool.ts'
import { WorkerLost } from '../../offload/worker-pool.ts'
import { HttpProblem } from '../problem.ts'
import type { RawBody } from './raw-body.ts'

export interface LargeBodyLimits {
  readonly depth: number
  readonly max_steps: number
  readonly max_part_chars: number
}

/** In the pool of workers; the document of the trajectory stays there. */
export async function readLarge(raw: RawBody, { depth, max_steps, max_part_chars }: LargeBodyLimits): Promise<unknown> {
  const read = await trialPool.readBody(raw.chunks, { depth, max_steps, max_part_chars }, raw.memory).catch(unreadable)
  if ('refused' in read)
    throw new HttpProblem(400, read.refused.code, read.refused.detail, { errors: read.refused.errors })
  return read.value
}

function unreadable(error: unknown): never {
  if (!(error instanceof WorkerLost)) throw error
  throw new HttpProblem(413, 'body_too_large', 'reading the body takes more memory or time than one body may take')
}
