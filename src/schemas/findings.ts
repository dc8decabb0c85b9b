import { type Static, Type } from 'typebox'
import { BatchCountsSchema } from './batch.ts'
import { RaterSchema } from './review.ts'
import * as t from './type.ts'

/** Kinds of findings. */
export const FINDING_KINDS = [
  'failed',
  'cancelled',
  'unverified',
  'contradiction',
  'disagreement',
  'unread',
  'conflicting_reward',
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]
const FindingKindSchema = t.Choice(
  FINDING_KINDS,
  '`failed`: the judge failed; `cancelled`: never graded; `unverified`: no label, since the evidence does not hold or the samples have no majority; `contradiction`: recorded by the grade; `disagreement`: with another judge, a person, or among the samples; `unread`: records of the run could not be read; `conflicting_reward`: the harness names different rewards.',
)

export const DISPOSITIONS = ['accepted', 'regraded', 'dismissed'] as const

/** Classes of kinds and causes; causes with other characters are named by a digest. */
const ClassId = Type.String({ pattern: `^(?:${FINDING_KINDS.join('|')})(?::[!-~]{1,90})?$` })

export const DispositionRequestSchema = t.Closed({
  class: t.Str('The id of a class of `GET /v1/batches/{id}/findings`.', { minLength: 1, maxLength: 100 }),
  disposition: t.Choice(
    DISPOSITIONS,
    '`accepted`: the findings are right, and the results stand with them; `regraded`: every trial has a newer grade; `dismissed`: the findings do not matter, for the reason given.',
  ),
  reason: t.Opt.Str('Required where the class is dismissed.', { maxLength: 5000 }),
  by: RaterSchema,
  digest: t.Opt(t.DigestOf('Of the class as the caller saw it: a class that differs is refused.')),
})
export type DispositionRequest = Static<typeof DispositionRequestSchema>

/** A person's decision about a class of findings. Append-only: of one class the newest counts. */
export const DispositionSchema = t.Closed({
  id: Type.String({ pattern: '^dsp_[0-9a-z]+$' }),
  batch: t.Text,
  class: ClassId,
  disposition: DispositionRequestSchema.properties.disposition,
  ...t.Each(['reason', 'by'], t.Text),
  digest: t.Digest,
  count: t.Count('Findings of the class at that time.'),
  created_at: t.Timestamp,
})
export type Disposition = Static<typeof DispositionSchema>

const TallySchema = t.List(
  t.Closed({
    kind: FindingKindSchema,
    disposition: t.Choice([...DISPOSITIONS, 'open']),
    ...t.Counts(['classes', 'findings']).properties,
  }),
  'Classes and findings by kind and disposition.',
)

const Digests = {
  results: t.DigestOf('Of the ended items: name, status, label, grade and failure.'),
  findings: t.DigestOf('Of the classes and their dispositions.'),
}

export const SignoffRequestSchema = t.Closed({ by: RaterSchema })
export type SignoffRequest = Static<typeof SignoffRequestSchema>

/** A person's signature under the results and the findings of a batch. Append-only. */
export const SignoffSchema = t.Closed({
  ...{ id: DispositionSchema.properties.id, batch: t.Text, by: t.Text },
  counts: BatchCountsSchema,
  tally: TallySchema,
  ...Digests,
  created_at: t.Timestamp,
})
export type Signoff = Static<typeof SignoffSchema>

const FindingClassSchema = t.Closed({
  id: ClassId,
  kind: FindingKindSchema,
  count: t.Count('Trials of the class.'),
  digest: t.DigestOf('Of the trials, their grades, and the grades and reviews that these are held against.'),
  trials: t.List(
    t.Closed({
      item_id: t.Text,
      index: t.Count(),
      name: t.Str('The name for people: the item, or of a re-grade the trial or task of its metadata.'),
      grade_id: t.NullableText,
      against: t.List(t.Text, 'The first twenty grades and reviews that disagree with the grade.'),
      why: t.Text,
    }),
    'The first five; of a class that was asked for the first thousand.',
  ),
  disposition: t.Nullable(DispositionSchema, 'The newest.'),
  open: t.Bool('True: the class has no disposition, or other findings than at its disposition.'),
})
export type FindingClass = Static<typeof FindingClassSchema>

/** The findings of a batch, in classes. */
export const FindingsSchema = t.Closed({
  batch: t.Text,
  ended: t.Bool('False: further items may have findings, and nobody can sign.'),
  classes: t.List(FindingClassSchema, 'Sorted by kind, then by id.'),
  open: t.Count('Open classes of the batch.'),
  tally: TallySchema,
  ...Digests,
  signoff: t.Nullable(
    t.Closed({
      ...SignoffSchema.properties,
      outdated: t.Bool('True: results, findings or dispositions have changed since.'),
    }),
    'The newest.',
  ),
})
export type Findings = Static<typeof FindingsSchema>

/** The query of the findings of a batch. */
export const FindingQuery = t.Closed({
  class: t.Opt.Str('Only this class, with the first thousand of its trials.', { minLength: 1, maxLength: 100 }),
})
