import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Batch } from '../api-types.ts'
import { useLoad } from '../use-load.ts'
import { formatCount, plural } from '../words.ts'
import { readResults } from './use-results.ts'

/** Of larger batches the results are not read only to count them. */
const MOST_ITEMS = 5000

/** How many ended items of a batch each grade answers: equal questions share one. Null until it is known, and of no batch. */
function useAnswers(id: string | null): ReadonlyMap<string, number> | null {
  const own = id?.startsWith('bat_') === true ? id : null
  const batch = useLoad<Batch>(own === null ? null : `/v1/batches/${encodeURIComponent(own)}`)
  const [found, setFound] = useState<{ readonly id: string; readonly counts: ReadonlyMap<string, number> } | null>(null)
  const small = batch.value !== null && batch.value.counts.total <= MOST_ITEMS
  useEffect(() => {
    if (own === null || !small) return
    const stop = new AbortController()
    readResults(own, stop.signal).then(
      ({ items }) => {
        const counts = new Map<string, number>()
        for (const { grade_id } of items) if (grade_id !== null) counts.set(grade_id, (counts.get(grade_id) ?? 0) + 1)
        setFound({ id: own, counts })
      },
      // What it would have said is beside the matter of the page.
      () => undefined,
    )
    return () => stop.abort()
  }, [own, small])
  return found !== null && found.id === own ? found.counts : null
}

/** That a grade stands for more than the trial whose name it has. */
export function AnswersItems(props: { readonly grade: string; readonly batch: string | null }): JSX.Element | null {
  const items = useAnswers(props.batch)?.get(props.grade) ?? 0
  if (items < 2 || props.batch === null) return null
  return (
    <p class="aside">
      This grade answers {formatCount(items)} items of{' '}
      <a href={`/audit/batches/${encodeURIComponent(props.batch)}`}>its batch</a>: they ask the same question, and its
      names are those of one of them.
    </p>
  )
}

/** Why a batch has fewer grades than items. */
export function AnswersOfBatch({ batch }: { readonly batch: string | null }): JSX.Element | null {
  const counts = useAnswers(batch)
  if (counts === null) return null
  const items = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (items === counts.size) return null
  return (
    <p class="aside">
      {plural(counts.size, 'grade')} {counts.size === 1 ? 'answers' : 'answer'} {formatCount(items)} items of this
      batch: equal questions share a grade.
    </p>
  )
}
