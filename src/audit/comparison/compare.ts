import type { Static } from 'typebox'
import { decodeCursor, encodeCursor, PageQuery } from '../../schemas/page.ts'
import type { Comparison } from '../../schemas/regrade.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import type { Compute } from '../agreement/statistics-worker.ts'
import { type AuditContext, requireNames } from '../names.ts'
import { compareBatches } from './comparison.ts'

export const ComparisonQuery = Closed({
  base: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'A batch. Absent: the grades that the head, a re-grade, started from.',
    }),
  ),
  head: Type.String({ maxLength: 100, description: 'A batch.' }),
  rubric: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Compare what was asked by this rubric, whatever its version. Needed where both ask by several.',
    }),
  ),
  statistics: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'False: without `agreement`, `tests` and `repeat_noise`, for later pages of the flips.',
    }),
  ),
  ...PageQuery,
})
export type ComparisonQuery = Static<typeof ComparisonQuery>

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
