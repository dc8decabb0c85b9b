import { useMemo, useRef, useState } from 'preact/hooks'
import { postJson } from '../api.ts'
import type { Comment } from '../api-types.ts'
import { tidyRater } from '../review/rater.ts'
import { useAll } from '../use-all.ts'

/** Of one trajectory: more are not shown. */
const MOST = 2000

/** What was said to the steps of what was graded, and what is being written. */
export interface Comments {
  /** The grade at whose page they are shown. */
  readonly grade: string
  of(step: number): readonly Comment[]
  /** What is written and not sent yet: rows leave the page when their reader scrolls on. */
  readonly drafts: Map<number, string>
  /** Resolves once it is stored; throws an `ApiError`. */
  add(step: number, text: string, rater: string): Promise<void>
  readonly error: string | null
}

export function useComments(grade: string): Comments {
  const path = `/v1/grades/${encodeURIComponent(grade)}/comments`
  const stored = useAll<Comment>(path, MOST)
  const [added, setAdded] = useState<readonly Comment[]>([])
  const { current: drafts } = useRef(new Map<number, string>())
  const byStep = useMemo(() => {
    // By id: what was added while the list was on its way may be in it.
    const known = new Map([...(stored.value?.items ?? []), ...added].map((comment) => [comment.id, comment]))
    return Map.groupBy(known.values(), ({ step_id }) => step_id)
  }, [stored.value, added])
  return {
    grade,
    of: (step) => byStep.get(step) ?? NONE,
    drafts,
    async add(step_id, text, typed) {
      const rater = tidyRater(typed)
      const comment = await postJson<Comment>(path, { step_id, text, ...(rater !== '' && { rater }) })
      drafts.delete(step_id)
      setAdded((before) => [...before, comment])
    },
    error: stored.state === 'failed' ? stored.error.message : null,
  }
}

const NONE: readonly Comment[] = []
