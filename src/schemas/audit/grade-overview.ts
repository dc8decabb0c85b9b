import type { Static } from 'typebox'
import { Bool, Closed, Count, Counts, Type } from '../type.ts'
import { type Behaviour, GRADE_STATUSES, LABELS } from '../vocabulary.ts'

/** Names that filter grades, in the order of choice. */
export const NAMED_BY = ['judge', 'rubric', 'agent', 'model', 'task'] as const
export type NamedBy = (typeof NAMED_BY)[number]

const Names = Type.Array(Type.String(), { description: 'Of all stored grades, in order; the first 200.' })

/** The count of fitting grades, and the names to filter by. */
export const GradeOverviewSchema = Closed({
  total: Count(),
  complete: Bool('False: more may fit. Counted is among the newest 20,000 that fit the most selective filter.'),
  statuses: Counts(GRADE_STATUSES),
  labels: Type.Unsafe<Record<Behaviour, number> & Record<string, number>>({
    type: 'object',
    properties: Object.fromEntries(LABELS.map((label) => [label, Count()])),
    required: LABELS,
    additionalProperties: Count(),
    description: 'Those of `tab-behavior` always; of other rubrics those that occur.',
  }),
  names: Closed({ judge: Names, rubric: Names, agent: Names, model: Names, task: Names }),
})
export type GradeOverview = Static<typeof GradeOverviewSchema>
