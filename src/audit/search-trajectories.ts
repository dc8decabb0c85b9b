import type { Digest } from '../domain/digest.ts'
import type { SearchedRun } from '../domain/text/find-literal.ts'
import type { Stores } from '../ports/ports.ts'
import type { Grade } from '../schemas/grade.ts'
import { MOST_NAME_CHARS } from '../schemas/grade-request.ts'
import type { TrajectorySearch } from '../schemas/trajectory-search.ts'

/** What one request looks through, at most: so many trajectories, and no further once so many characters are read. */
const MOST_SEARCHED = 100
const MOST_CHARS = 16 * 1024 * 1024
const MOST_STEPS = 5
const MOST_GRADES = 5

interface SearchRequest {
  /** Opens and searches one run, apart from the event loop; hits of at most so many steps. */
  readonly search: (packed: Uint8Array, most: number) => Promise<SearchedRun>
  /** Trajectories that hold it. */
  readonly limit: number
  /** Exclusive: trajectories older than this one. */
  readonly before?: Digest
  /** The caller waits for the answer no longer. */
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
    const run = packed && (await search(packed, MOST_STEPS).catch(() => null))
    searched++
    if (run === null) unread++
    // What could not be read has cost its time, too.
    chars += run?.chars ?? MOST_CHARS
    if (run === null || run.hits.length === 0) continue
    const known = await grades.listForTrajectory(id, MOST_GRADES)
    items.push({
      trajectory: id,
      grades: known.map(nameGrade),
      agent: { name: shorten(run.agent.name), model: shorten(run.agent.model) },
      hits: [...run.hits],
      more_hits: run.more,
    })
  }
  return { items, searched, unread, total, next: searched < ids.length ? (ids[searched - 1] ?? null) : null }
}

/** What a run says of itself may be of any length. */
const shorten = (name: string | null): string | null => name?.slice(0, MOST_NAME_CHARS).toWellFormed() || null

const nameGrade = ({
  id,
  metadata,
  receipt,
  created_at,
}: Grade): TrajectorySearch['items'][number]['grades'][number] => ({
  id,
  judge: receipt.judge,
  task: metadata.task ?? null,
  agent: metadata.agent ?? null,
  model: metadata.model ?? null,
  trial: metadata.trial ?? null,
  run_index: metadata.run_index ?? null,
  variant: metadata.variant ?? null,
  created_at,
})
