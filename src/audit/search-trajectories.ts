import type { Digest } from '../domain/digest.ts'
import type { SearchedRun } from '../domain/find-literal.ts'
import type { Stores } from '../grading/ports.ts'
import type { Grade } from '../schemas/grade.ts'
import type { TrajectorySearch } from '../schemas/trajectory-search.ts'

/** What one request looks through, at most: so many trajectories, and no further once so many characters are read. */
const MOST_SEARCHED = 100
const MOST_CHARS = 16 * 1024 * 1024
const MOST_HITS = 5
const MOST_GRADES = 5

export interface SearchRequest {
  /** Opens and searches one run, apart from the event loop; at most so many hits. */
  readonly search: (packed: Uint8Array, most: number) => Promise<SearchedRun>
  /** Trajectories that hold it. */
  readonly limit: number
  /** Exclusive: trajectories older than this one. */
  readonly before?: Digest
  /** Nobody waits for the answer any more. */
  readonly isGone: () => boolean
}

type Found = Omit<TrajectorySearch, 'next_cursor'> & { readonly next: Digest | null }

/** Looks through the stored trajectories, the newest first, one at a time. */
export async function searchTrajectories(
  { trajectories, grades }: Pick<Stores, 'trajectories' | 'grades'>,
  { search, limit, before, isGone }: SearchRequest,
): Promise<Found> {
  const total = await trajectories.count()
  const ids = await trajectories.listIds({ limit: MOST_SEARCHED + 1, ...(before !== undefined && { before }) })
  const items: TrajectorySearch['items'] = []
  let [searched, unread, chars] = [0, 0, 0]
  for (const id of ids.slice(0, MOST_SEARCHED)) {
    if (items.length === limit || chars >= MOST_CHARS || isGone()) break
    const packed = await trajectories.getPacked(id)
    const run = packed && (await search(packed, MOST_HITS).catch(() => null))
    searched++
    if (run === null) unread++
    // What could not be read has cost its time, too.
    chars += run?.chars ?? MOST_CHARS
    if (run === null || run.hits.length === 0) continue
    const known = await grades.listForTrajectory(id, MOST_GRADES)
    items.push({ trajectory: id, grades: known.map(nameGrade), hits: [...run.hits], more_hits: run.more })
  }
  return { items, searched, unread, total, next: searched < ids.length ? (ids[searched - 1] ?? null) : null }
}

const nameGrade = ({ id, metadata, receipt }: Grade): TrajectorySearch['items'][number]['grades'][number] => ({
  id,
  judge: receipt.judge,
  task: metadata.task ?? null,
  agent: metadata.agent ?? null,
})
