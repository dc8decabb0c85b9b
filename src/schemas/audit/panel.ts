import type { Static } from 'typebox'
import { Choice, Closed, Nullable, Type } from '../type.ts'
import { ConfidenceLevelSchema, LabelSchema } from '../vocabulary.ts'

/** The result of all judges of a question, with its receipt: the grades, their models and the steps. */
export const PanelResultSchema = Closed(
  {
    rubric: Type.String({ description: 'The rubric of the grade that was asked for; grades by others do not count.' }),
    label: Nullable(LabelSchema, {
      description: 'The label of every graded opinion; null where no opinion is graded, or where labels differ.',
    }),
    level: Nullable(ConfidenceLevelSchema, {
      description:
        'The best level among the grades; `medium` where support lifts `low`. Support never makes it `high`.',
    }),
    support: Closed({
      kind: Choice(
        ['overlapping', 'disjoint', 'none'],
        '`overlapping`: two different models cite overlapping texts of one step for each claim behind the label; `disjoint`: they give the same label from other texts; `none`: no two different models give one label by the same claims and by quotes.',
      ),
      lifted: Type.Boolean({ description: 'True: the level is higher than that of every grade.' }),
      grades: Type.Array(
        Closed({
          grade_id: Type.String(),
          judge: Type.String(),
          model: Nullable(Type.String({ description: 'As it answered; null: the judge is no model.' })),
        }),
        { description: 'Grades that support each other; where none do, all that have a label. One of each judge.' },
      ),
      steps: Type.Array(Type.Integer(), { description: 'The steps in which their quotes overlap.' }),
      reason: Type.String({ description: 'The reason of the level, in one sentence.' }),
    }),
  },
  { description: 'Derived at each reading and never stored: no grade changes by it.' },
)
export type PanelResult = Static<typeof PanelResultSchema>
