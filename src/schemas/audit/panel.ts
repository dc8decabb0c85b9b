import type { Static } from 'typebox'
import { Bool, Choice, Closed, Documented, Nullable, Str, Type } from '../type.ts'
import { ConfidenceLevelSchema, LabelSchema } from '../vocabulary.ts'

/** The result of all judges of a question, with its receipt: the grades, their models and the steps. */
export const PanelResultSchema = Documented('Derived at each reading and never stored: no grade changes by it.', {
  rubric: Str('The rubric of the grade that was asked for; grades by others do not count.'),
  label: Nullable(
    LabelSchema,
    'The label of every graded opinion; null where no opinion is graded, or where labels differ.',
  ),
  level: Nullable(
    ConfidenceLevelSchema,
    'The best level among the grades; `medium` where support lifts `low`. Support never makes it `high`.',
  ),
  support: Closed({
    kind: Choice(
      ['overlapping', 'disjoint', 'none'],
      '`overlapping`: two different models cite overlapping texts of one step for each claim behind the label; `disjoint`: they give the same label from other texts; `none`: no two different models give one label by the same claims and by quotes.',
    ),
    lifted: Bool('True: the level is higher than that of every grade.'),
    grades: Type.Array(
      Closed({
        grade_id: Type.String(),
        judge: Type.String(),
        model: Nullable(Str('As it answered; null: the judge is no model.')),
      }),
      { description: 'Grades that support each other; where none do, all that have a label. One of each judge.' },
    ),
    steps: Type.Array(Type.Integer(), { description: 'The steps in which their quotes overlap.' }),
    reason: Str('The reason of the level, in one sentence.'),
  }),
})
export type PanelResult = Static<typeof PanelResultSchema>
