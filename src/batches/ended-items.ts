import type { BatchStore, ItemRecord } from '../ports/batch-ports.ts'
import type { GradeStore } from '../ports/grade-ports.ts'
import type { Grade } from '../schemas/grade.ts'

const PAGE = 200

export interface BatchStores {
  readonly batches: Pick<BatchStore, 'get' | 'results'>
  readonly grades: Pick<GradeStore, 'getMany'>
}

/** The items of a batch that have ended, in order, a page of the store at a time. */
export async function* endedPages(
  batches: Pick<BatchStore, 'results'>,
  batch: string,
  after = -1,
): AsyncGenerator<readonly ItemRecord[]> {
  let last = after
  for (;;) {
    const page = await batches.results(batch, last, PAGE)
    yield page
    last = page.at(-1)?.index ?? last
    if (page.length < PAGE) return
  }
}

export interface EndedItem {
  readonly item: ItemRecord
  /** What was made for it, or answered it from the cache; null where nothing was graded. */
  readonly grade: Grade | null
}

/** Items with their grades, which are read at once, each of them once. */
export async function withGrades(grades: BatchStores['grades'], page: readonly ItemRecord[]): Promise<EndedItem[]> {
  const ids = new Set(page.flatMap(({ grade_id }) => grade_id ?? []))
  const byId = new Map((await grades.getMany([...ids])).map((grade) => [grade.id, grade]))
  return page.map((item) => ({ item, grade: byId.get(item.grade_id ?? '') ?? null }))
}
