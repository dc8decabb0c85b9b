import type { Static } from 'typebox'
import { Closed, Type } from '../type.ts'
import { type Behaviour, GRADE_STATUSES, LABELS } from '../vocabulary.ts'

const count = () => Type.Integer({ minimum: 0 })
const countsOf = <K extends string>(names: readonly K[]) =>
  Closed(Object.fromEntries(names.map((name) => [name, count()])) as Record<K, ReturnType<typeof count>>)

/** Names that filter grades, in the order of choice. */
export const NAMED_BY = ['judge', 'rubric', 'agent', 'model', 'task'] as const
export type NamedBy = (typeof NAMED_BY)[number]

const Names = Type.Array(Type.String(), { description: 'Of all stored grades, in order; the first 200.' })

/** The count of fitting grades, and the names to filter by. */
export const GradeOverviewSchema = Closed({
  total: count(),
  complete: Type.Boolean({
    description: 'False: more may fit. Counted is among the newest 20,000 that fit the most selective filter.',
  }),
  statuses: countsOf(GRADE_STATUSES),
  labels: Type.Unsafe<Record<Behaviour, number> & Record<string, number>>({
    type: 'object',
    properties: Object.fromEntries(LABELS.map((label) => [label, count()])),
    required: LABELS,
    additionalProperties: count(),
    description: 'Those of `tab-behavior` always; of other rubrics those that occur.',
  }),
  names: Closed({ judge: Names, rubric: Names, agent: Names, model: Names, task: Names }),
})
export type GradeOverview = Static<typeof GradeOverviewSchema>
