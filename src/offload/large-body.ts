import { err, ok, type Result } from '../domain/result.ts'
import type { JsonFault } from '../domain/text/strict-json.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import { trialPool } from './trial-pool.ts'
import { WorkerLost } from './worker-pool.ts'

export type BodyFault = Omit<JsonFault, 'code'> & { readonly code: JsonFault['code'] | 'body_too_large' }

/**
 * Parses and checks a large body that asks for one grade, and reads its trajectory, in a thread. The value holds a stand-in for the document of the
 * trajectory, which `readAnywhere` knows.
 */
export async function readLargeBody(
  bytes: Buffer,
  { depth, max_steps, max_part_chars }: ReadLimits & { readonly depth: number },
): Promise<Result<unknown, BodyFault>> {
  try {
    const read = await trialPool.readBody([bytes], { depth, max_steps, max_part_chars }, [])
    return 'refused' in read ? err(read.refused) : ok(read.value)
  } catch (error) {
    if (!(error instanceof WorkerLost)) throw error
    return err({ code: 'body_too_large', path: '', message: TOO_MUCH })
  }
}

const TOO_MUCH = 'reading the body takes more memory or time than one body may take'
