import type { SearchedRun } from '../domain/text/find-literal.ts'
import { createOffload } from './offload.ts'
import type { SearchJob } from './search-job.ts'

const MOST_MS = 20_000
const thread = createOffload<SearchJob, SearchedRun>(new URL('./search-runs-thread.ts', import.meta.url), MOST_MS)

/** Opens, reads and searches one stored run; rejects where it cannot be read, or where the thread dies. */
export const searchOnThread = ({ packed, ...job }: SearchJob): Promise<SearchedRun> =>
  // A copy: a view of a larger buffer would bring all of that along.
  thread.run(() => ({ ...job, packed: Uint8Array.from(packed) }))
