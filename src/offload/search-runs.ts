import type { SearchedRun } from '../domain/find-literal.ts'
import type { ReadLimits } from '../formats/reading.ts'
import { createOffload } from './offload.ts'

export interface SearchJob {
  /** The document as it is stored. */
  readonly packed: Uint8Array
  readonly limits: ReadLimits
  readonly text: string
  /** Steps with the text after which the search ends. */
  readonly most: number
}

const MOST_MS = 20_000
const thread = createOffload<SearchJob, SearchedRun>(new URL('./search-runs-thread.ts', import.meta.url), MOST_MS)

/** Opens, reads and searches one stored run; rejects where it cannot be read, or where the thread dies. */
export const searchOnThread = ({ packed, ...job }: SearchJob): Promise<SearchedRun> =>
  // A copy: a view of a larger buffer would bring all of that along.
  thread.run(() => ({ ...job, packed: Uint8Array.from(packed) }))
