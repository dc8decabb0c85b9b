import type { Static } from 'typebox'
import { FormatQuery, nameFilter, PageQuery } from '../page.ts'
import { Bool, Choice, Closed, Str, Type } from '../type.ts'
import { BootstrapSettingsSchema } from './agreement.ts'
import { DisagreementKindSchema } from './disagreement.ts'
import { PAIRINGS } from './report.ts'

/** The query of a report. */
export const ReportQuery = Closed({
  group_by: Type.Optional(
    Type.String({
      maxLength: 300,
      default: 'agent',
      description:
        'A field of the metadata, like `agent`, `model`, `variant`, `task`, `domain` or `subcategory`; `judge`; `none`: all trials together; `surface`: the category that the judge saw, where the rubric asks for one. At most 1000 values.',
    }),
  ),
  judge: nameFilter('Needed where several judges graded what is selected, except with `group_by=judge`.'),
  rubric: nameFilter(
    '`id@version`, or an id for all of its versions; needed where several rubrics or versions were used on what is selected.',
  ),
  batch: nameFilter(),
  agent: nameFilter(),
  model: nameFilter(),
  task: nameFilter(),
  variant: nameFilter(),
  pair_by: Type.Optional(Choice(PAIRINGS, 'Compares `base` with `head`, trial by trial.')),
  base: nameFilter('A value of `pair_by`.'),
  head: nameFilter('A value of `pair_by`.'),
  measure: nameFilter(
    'Compares this alone: a label or a boolean claim of the rubric, `executed`, `resolved` or `passed`; of `tab-behavior` also `distractor_acted`.',
  ),
  ...BootstrapSettingsSchema.properties,
  ...FormatQuery,
})
export type ReportQuery = Static<typeof ReportQuery>

/** The query of a comparison of two batches. */
export const ComparisonQuery = Closed({
  base: Type.Optional(Str('A batch. Absent: the grades that the head, a re-grade, started from.', { maxLength: 100 })),
  head: Str('A batch.', { maxLength: 100 }),
  rubric: Type.Optional(
    Str('Compare what was asked by this rubric, whatever its version. Needed where both ask by several.', {
      maxLength: 200,
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

/** The query of the review queue. */
export const QueueQuery = Closed({
  kind: Type.Optional(DisagreementKindSchema),
  claim: Type.Optional(
    Str('Questions in which two say different things of this claim, by its id.', { maxLength: 100 }),
  ),
  judge: nameFilter('Questions that this judge has graded, with what all others say of them.'),
  rubric: nameFilter('`id@version`, or an id for all of its versions.'),
  agent: nameFilter(),
  model: nameFilter(),
  task: nameFilter(),
  batch: nameFilter(),
  settled: Type.Optional(Bool('Absent: both.')),
  ...FormatQuery,
  ...PageQuery,
})

export type QueueQuery = Static<typeof QueueQuery>

/** The query of the list of reviews. */
export const ReviewQuery = Closed({
  rater: Type.Optional(Type.String({ maxLength: 100 })),
  grade_id: Type.Optional(Type.String({ maxLength: 100 })),
  question: Type.Optional(Str('The digests of trajectory and ground truth: `sha256:…/sha256:…`.', { maxLength: 200 })),
  rubric: Type.Optional(Str('Reviews of grades by this rubric, whatever its version: its id.', { maxLength: 200 })),
  label: Type.Optional(Str('A label of a loaded rubric; `none`: it could not be told.', { maxLength: 100 })),
  ...FormatQuery,
  ...PageQuery,
})
export type ReviewQuery = Static<typeof ReviewQuery>

/** The query of the calls behind a grade or a batch. */
export const LedgerQuery = Closed({
  raw: Type.Optional(Bool('With the provider’s raw replies.')),
})
