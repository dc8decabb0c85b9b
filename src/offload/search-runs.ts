import type { SearchedRun } from '../domain/text/find-literal.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import { createWorkerPool } from './worker-pool.ts'

export interface SearchJob {
  /** The document as it is stored. */
  readonly packed: Uint8Array
  readonly limits: ReadLimits
  readonly text: string
  /** Steps with the text after which the search ends. */
  readonly most: number
}

const MOST_MS = 20_000
/** Apart from the pool of trials: no grade waits for a search. */
const pool = createWorkerPool<SearchJob, SearchedRun>(new URL('./search-runs-thread.ts', import.meta.url), {
  most_ms: MOST_MS,
})

/** Opens, reads and searches one stored run; rejects where it cannot be read, or where the thread dies. */
export async function searchOnThread({ packed, ...job }: SearchJob): Promise<SearchedRun> {
  // A copy: a view of a larger buffer would bring all of that along.
  return (await pool.run(() => ({ ...job, packed: Uint8Array.from(packed) }))).output
}
