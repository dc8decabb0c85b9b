import { holds } from '../domain/evidence-citation.ts'
import type { ItemRecord } from '../grading/batch-ports.ts'
import type { GradeStore } from '../grading/grade-ports.ts'
import type { BatchResult, ResultGrade } from '../schemas/batch.ts'
import type { Grade } from '../schemas/grade.ts'

/** Items as the results show them, in their order; their grades are read at once, each of them once. */
export async function toResults(
  grades: Pick<GradeStore, 'getMany'>,
  page: readonly ItemRecord[],
): Promise<BatchResult[]> {
  const ids = new Set(page.flatMap(({ grade_id }) => grade_id ?? []))
  const byId = new Map((await grades.getMany([...ids])).map((grade) => [grade.id, toResultGrade(grade)]))
  return page.map((record) => toResult(record, byId.get(record.grade_id ?? '') ?? null))
}

const toResult = (record: ItemRecord, grade: ResultGrade | null): BatchResult => ({
  item_id: record.item_id,
  index: record.index,
  status: record.status,
  label: record.label,
  grade_id: record.grade_id,
  grade,
  failure: record.failure,
  cached: record.cached,
  base_grade_id: record.base_grade,
  metadata: record.request.metadata ?? {},
})

const toResultGrade = ({
  confidence,
  claimed_label,
  contradictions,
  unmet,
  citations,
  receipt,
}: Grade): ResultGrade => ({
  judge: receipt.judge,
  confidence,
  claimed_label,
  contradictions,
  unmet,
  evidence: { cited: citations.length, held: citations.filter(({ status }) => holds(status)).length },
  cost_usd: receipt.cost_usd,
  unread: receipt.unread ?? null,
  warnings: receipt.warnings.length,
})
