import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useLoad } from '../use-load.ts'
import { formatCount, plural } from '../words.ts'
import { useEndedItems } from './use-results.ts'

/** Of larger batches the results are not read only to count them. */
const MOST_ITEMS = 5000

/** The names of a batch's items by the grade that answers them. */
export type ItemNames = ReadonlyMap<string, readonly string[]>

/** Those of the ended items: equal questions share a grade. Null until they are known, and of no batch. */
export function useItemNames(id: string | null): ItemNames | null {
  const own = id?.startsWith('bat_') === true ? id : null
  const batch = useLoad('getBatch', own === null ? null : { path: { id: own } })
  const small = batch.value !== null && batch.value.counts.total <= MOST_ITEMS
  const ended = useEndedItems(small ? own : null)
  return useMemo(() => {
    if (ended === null) return null
    const names = new Map<string, string[]>()
    for (const { grade_id, item_id } of ended)
      if (grade_id !== null) names.set(grade_id, [...(names.get(grade_id) ?? []), item_id])
    return names
  }, [ended])
}

interface AnswersProps {
  readonly items: ItemNames | null
}

/** That a grade stands for more than the trial whose name it has. */
export function AnswersItems(props: AnswersProps & { readonly grade: string; readonly batch: string | null }) {
  const items = props.items?.get(props.grade)?.length ?? 0
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
export function AnswersOfBatch({ items: names }: AnswersProps): JSX.Element | null {
  if (names === null) return null
  const items = [...names.values()].reduce((sum, of) => sum + of.length, 0)
  if (items === names.size) return null
  return (
    <p class="aside">
      {plural(names.size, 'grade')} {names.size === 1 ? 'answers' : 'answer'} {formatCount(items)} items of this batch:
      equal questions share a grade.
    </p>
  )
}
