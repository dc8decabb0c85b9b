import type { List, RubricView } from '../api-types.ts'
import { rubricId } from '../rubrics.ts'
import { useLoad } from '../use-load.ts'

/** The ids of the rubrics that both batches ask by; without a base those of the head. Null: not known yet. */
export function useComparedRubrics(base: string | null, head: string | null): readonly string[] | null {
  const ofHead = useLoad('listBatchRubrics', ofBatch(head))
  const ofBase = useLoad('listBatchRubrics', ofBatch(base))
  if (head === null) return []
  // What cannot be told is told by the comparison itself.
  if (ofHead.state === 'failed' || ofBase.state === 'failed') return []
  if (ofHead.value === null || (base !== null && ofBase.value === null)) return null
  const own = idsOf(ofHead.value)
  const others = base === null || ofBase.value === null ? own : idsOf(ofBase.value)
  return own.filter((id) => others.includes(id))
}

const ofBatch = (id: string | null) => (id === null ? null : { path: { id } })
const idsOf = ({ items }: List<RubricView>): string[] => [...new Set(items.map(({ name }) => rubricId(name)))]
