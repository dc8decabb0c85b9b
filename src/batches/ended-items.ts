import { holds } from '../domain/evidence/evidence-citation.ts'
import { claimsOfGrade, outcomeOfGrade } from '../domain/rubric/said-claims.ts'
import type { BatchStore, ItemRecord } from '../ports/batch-ports.ts'
import type { GradeStore } from '../ports/grade-ports.ts'
import type { BatchResult, ResultGrade } from '../schemas/batch.ts'
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

/** Items as the results show them, in their order. */
export async function toResults(
  grades: Pick<GradeStore, 'getMany'>,
  page: readonly ItemRecord[],
): Promise<BatchResult[]> {
  return (await withGrades(grades, page)).map(({ item, grade }) => toResult(item, grade && toResultGrade(grade)))
}

const toResult = (record: ItemRecord, grade: ResultGrade | null): BatchResult => ({
  item_id: record.item_id,
  index: record.index,
  status: record.status,
  label: record.label,
  judge: record.request.judge ?? null,
  rubric: record.request.rubric ?? null,
  grade_id: record.grade_id,
  grade,
  failure: record.failure,
  cached: record.cached,
  base_grade_id: record.base_grade,
  metadata: record.request.metadata ?? {},
})

const toResultGrade = (grade: Grade): ResultGrade => {
  const { confidence, claimed_label, contradictions, unmet, citations, receipt } = grade
  return {
    judge: receipt.judge,
    confidence,
    claimed_label,
    outcome: outcomeOfGrade(grade),
    claims: claimsOfGrade(grade) as Exclude<ResultGrade['claims'], undefined>,
    contradictions,
    unmet,
    evidence: { cited: citations.length, held: citations.filter(({ status }) => holds(status)).length },
    cost_usd: receipt.cost_usd,
    unread: receipt.unread ?? null,
    warnings: receipt.warnings.length,
  }
}
