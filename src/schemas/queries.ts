import { type Static, Type } from 'typebox'
import { BootstrapSettingsSchema } from './agreement.ts'
import { faultAt } from './problem.ts'
import { PAIRINGS } from './report.ts'
import { DisagreementKindSchema } from './review.ts'
import { nameFilter, TRIAL_FILTERS } from './trial.ts'
import * as t from './type.ts'

export const PageQuery = {
  limit: t.Opt(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: t.Opt.Str('`next_cursor` of the page before.', { maxLength: 300 }),
}

export const NextCursorSchema = t.Nullable(t.Text, '`cursor` of the next page; null on the last one.')

const FormatQuery = { format: t.Opt.Choice(['json', 'csv'], '`csv`: one row a record.', { default: 'json' }) }

export const encodeCursor = (value: string): string => Buffer.from(value).toString('base64url')

/** Decodes a cursor, which is opaque to callers. Throws for a cursor that this service did not make. */
export function decodeCursor(cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined
  const value = Buffer.from(cursor, 'base64url').toString('utf8')
  if (encodeCursor(value) !== cursor || !pattern.test(value))
    throw faultAt('/cursor', 'is not a cursor', 'invalid_cursor', 'this cursor was not made by this service')
  return value
}

export const idOf = ({ id }: { readonly id: string }): string => id

/** Makes a page of `limit` records out of at most `limit + 1`; the next page begins behind `placeOf` the last. */
export function toPage<T>(records: readonly T[], limit: number, placeOf: (last: T) => string) {
  const items = records.slice(0, limit)
  const last = items.at(-1)
  return { items, next_cursor: records.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null }
}

export async function takePage<T>(records: AsyncIterable<T>, limit: number, placeOf: (last: T) => string) {
  const page: T[] = []
  for await (const record of records) if (page.push(record) > limit) break
  return toPage(page, limit, placeOf)
}

export const ReportQuery = t.Closed({
  group_by: t.Opt.Str(
    'A field of the metadata, like `agent`, `model`, `variant`, `task`, `domain` or `subcategory`; `judge`; `none`: all trials together; `surface`: the category that the judge saw, where the rubric asks for one. At most 1000 values.',
    { maxLength: 300, default: 'agent' },
  ),
  judge: nameFilter('Of the grades; needed where several judges graded the selection, except with `group_by=judge`.'),
  rubric: nameFilter('`id@version`, or an id for all versions; needed where several rubrics graded the selection.'),
  batch: nameFilter(),
  ...TRIAL_FILTERS,
  variant: nameFilter(),
  pair_by: t.Opt.Choice(PAIRINGS, 'Compares `base` with `head`, trial by trial.'),
  ...t.Each(['base', 'head'], nameFilter('A value of `pair_by`.')),
  measure: nameFilter(
    'Compares this alone: a label or a boolean claim of the rubric, `executed`, `resolved` or `passed`; of `tab-behavior` also `distractor_acted`.',
  ),
  ...BootstrapSettingsSchema.properties,
  ...FormatQuery,
})
export type ReportQuery = Static<typeof ReportQuery>

export const ComparisonQuery = t.Closed({
  base: t.Opt.Str('A batch. Absent: the grades that the head, a re-grade, started from.', { maxLength: 100 }),
  head: t.Str('A batch.', { maxLength: 100 }),
  rubric: t.Opt.Str(
    'The rubric of the compared answers, of any version; needed where both batches ask by several rubrics.',
    { maxLength: 200 },
  ),
  statistics: t.Opt.Bool('False: without `differs`, `agreement`, `tests`, `repeat_noise` and `evidence_agreement`.', {
    default: true,
  }),
  across: t.Opt.Bool('True: paired tests also across other rubrics and versions (`differs`).', { default: false }),
  ...PageQuery,
})
export type ComparisonQuery = Static<typeof ComparisonQuery>

export const QueueQuery = t.Closed({
  kind: t.Opt(DisagreementKindSchema),
  claim: t.Opt.Str('Questions in which two say different things of this claim, by its id.', { maxLength: 100 }),
  judge: nameFilter('Questions that this judge has graded, with what all others say of them.'),
  rubric: nameFilter('`id@version`, or an id for all of its versions.'),
  ...TRIAL_FILTERS,
  batch: nameFilter(),
  settled: t.Opt.Bool('Absent: both.'),
  ...FormatQuery,
  ...PageQuery,
})
export type QueueQuery = Static<typeof QueueQuery>

export const ReviewQuery = t.Closed({
  ...t.Each(['rater', 'grade_id'], t.Opt.String({ maxLength: 100 })),
  question: t.Opt.Str('The digests of trajectory and ground truth: `sha256:…/sha256:…`.', { maxLength: 200 }),
  rubric: t.Opt.Str('Reviews of grades by this rubric, whatever its version: its id.', { maxLength: 200 }),
  label: t.Opt.Str('A label of a loaded rubric; `none`: it could not be told.', { maxLength: 100 }),
  ...FormatQuery,
  ...PageQuery,
})
export type ReviewQuery = Static<typeof ReviewQuery>

export const LedgerQuery = t.Closed({ raw: t.Opt.Bool('With the provider’s raw replies.') })
