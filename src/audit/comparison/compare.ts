import type { ComparisonQuery } from '../../schemas/audit/queries.ts'
import { decodeCursor, encodeCursor } from '../../schemas/page.ts'
import type { Comparison } from '../../schemas/regrade.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import type { Compute } from '../agreement/statistics-worker.ts'
import { type AuditContext, requireNames } from '../names.ts'
import { compareBatches } from './comparison.ts'

/** Compares two batches, and returns one page of the flips. Throws a RequestError for batches that cannot be compared. */
export async function compare(
  context: AuditContext,
  compute: Compute,
  { base, head, rubric, limit = 50, cursor, statistics = true }: ComparisonQuery,
): Promise<Comparison> {
  await requireNames(context, { rubric })
  const after = Number(decodeCursor(cursor, /^\d{1,9}$/) ?? 0)
  const { comparison, next } = await compareBatches(
    { ...context.stores, loaded: context.rubrics },
    {
      ...{ base: base ?? null, head },
      rubric: rubric === undefined ? null : rubricIdOf(rubric),
      limit,
      after,
      statistics: statistics ? (pairs) => compute('comparisonStatistics', pairs) : null,
    },
  )
  return { ...comparison, next_cursor: next === null ? null : encodeCursor(String(next)) }
}
