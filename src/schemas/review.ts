import { type Static, Type } from 'typebox'
import { EvidenceAgreementSchema } from './agreement.ts'
import { BatchCountsSchema } from './batch.ts'
import { ClaimValueSchema } from './grade.ts'
import { SignalsSchema } from './trial.ts'
import * as t from './type.ts'
import * as v from './vocabulary.ts'

/** The sampling design of a review, which decides the honest correction of judge rates. */
export const SAMPLING_DESIGNS = ['random', 'stratified', 'disagreement', 'chosen'] as const
export type SamplingDesign = (typeof SAMPLING_DESIGNS)[number]
const SamplingSchema = t.Closed({
  design: t.Choice(
    SAMPLING_DESIGNS,
    '`random`: every graded question had the same chance; `stratified`: the same within each judge label; `disagreement`: from the queue of disagreements; `chosen`: by hand.',
  ),
  probability: t.Opt.Num('The chance of this question to be reviewed, if known.', { minimum: 1e-9, maximum: 1 }),
})
export type Sampling = Static<typeof SamplingSchema>

const PROVENANCE =
  'Where the label comes from: `human`: a person decided; `environment`: a measurement; `injected`: known by construction; `agent`: a model or agent said so, by which nothing is corrected, settled or counted among humans.'

const ClaimsSchema = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_.]{0,99}$' }),
  Type.Union([Type.Boolean(), Type.Integer(), Type.String({ maxLength: 300 }), Type.Null()]),
  {
    additionalProperties: false,
    description:
      'By the ids of the rubric’s claims; null: unclear. Of `tab-behavior` also observed, cue_acted and distractor_acted, all three then. They must not contradict the label by the rubric’s outcome.',
  },
)

/** Words between single spaces, without control and invisible characters, so that equal looks are equal texts. The check is linear. */
const RATER_PATTERN = '^[^\\p{C}\\p{Z}]+( [^\\p{C}\\p{Z}]+)*$'

export const RaterSchema = t.Str(
  'A lasting name of the reviewer: words apart by single spaces, without control or invisible characters.',
  { minLength: 1, maxLength: 100, pattern: RATER_PATTERN },
)

export const ReviewRequestSchema = t.Closed({
  rater: RaterSchema,
  label: t.Opt.Nullable(
    v.LabelSchema,
    'Null: the reviewer cannot tell, with the reason in `comment`. A label or `outcome` is required.',
  ),
  outcome: t.Opt.Union([Type.String({ maxLength: 100 }), Type.Integer(), Type.Null()], {
    description: 'The label; of a rubric whose outcome is a sum, the number.',
  }),
  claims: t.Opt(ClaimsSchema),
  comment: t.Opt.String({ maxLength: 5000 }),
  blind: t.Opt.Bool('The rater had not seen any judge’s label.', { default: false }),
  sampling: t.Opt(SamplingSchema),
  provenance: t.Opt.Choice(v.PROVENANCES, PROVENANCE, { default: 'human' }),
})
export type ReviewRequest = Static<typeof ReviewRequestSchema>

/** A human’s label for a question. Append-only: of one rater’s reviews of a question by a rubric the newest counts. */
export const ReviewSchema = t.Closed({
  id: Type.String({ pattern: '^rev_[0-9a-z]+$' }),
  grade_id: t.Str('The grade that was reviewed.'),
  ...t.Each(['trajectory', 'ground_truth'], t.Digest),
  rubric: t.Opt.Str('Of the grade. Absent from the oldest reviews, which are of `tab-behavior`.'),
  rater: t.Text,
  label: t.Nullable(v.LabelSchema),
  outcome: t.Opt.Union([t.Text, Type.Number(), Type.Null()], {
    description: 'The label; of a sum, the number. Absent from the oldest reviews.',
  }),
  claims: t.Nullable(ClaimsSchema),
  comment: t.Text,
  blind: Type.Boolean(),
  sampling: t.Nullable(SamplingSchema),
  provenance: t.Opt.Choice(v.PROVENANCES, `${PROVENANCE} Absent from older reviews: \`human\`.`),
  grade_label: t.Nullable(v.LabelSchema, 'The label of the reviewed grade; null for an unverified or failed grade.'),
  created_at: t.Timestamp,
})
export type Review = Static<typeof ReviewSchema>

export const DISAGREEMENT_KINDS = [
  ...(['human', 'judges', 'signals', 'samples', 'contradiction', 'evidence', 'unverified'] as const),
] as const
export type DisagreementKind = (typeof DISAGREEMENT_KINDS)[number]
export const DisagreementKindSchema = t.Choice(
  DISAGREEMENT_KINDS,
  '`human`: reviews against a judge, or against each other; `judges`: judge against judge; `signals`: a judge against what the harness measured; `samples`: a judge’s samples among themselves; `contradiction`: any other that a grade records; `evidence`: two judges, or two samples of a judge, give one label from quotes that do not overlap; `unverified`: the evidence does not hold, or the judge could not tell.',
)

const Opinion = t.Closed({
  ...t.Each(['grade_id', 'judge', 'rubric'], t.Text),
  status: t.Choice(v.GRADE_STATUSES),
  ...t.Each(['label', 'claimed_label'], t.Nullable(v.LabelSchema)),
  outcome: t.Nullable(Type.Union([t.Text, Type.Number()])),
  claims: t.Nullable(t.Dict(ClaimValueSchema), 'By id; null: the judge failed.'),
  confidence: t.Nullable(t.Choice(v.CONFIDENCE_LEVELS)),
  votes: t.List(t.Nullable(v.LabelSchema), 'Of its samples; empty for a single one.'),
  contradictions: Type.Array(v.ContradictionCodeSchema),
})

export const DisagreementSchema = t.Closed({
  ...t.Each(['trajectory', 'ground_truth'], t.Text),
  rubric: t.Str('The id of the rubric, without its version: what others ask of the question is a record of its own.'),
  ...t.Each(['agent', 'model', 'task'], t.NullableText),
  trial: t.Opt(t.NullableText),
  kinds: t.List(DisagreementKindSchema, 'All that apply, the most telling first.'),
  score: t.Num('Higher is more telling: the sum of `terms`.'),
  terms: t.Documented('Of the most telling clash of the most telling kind; see docs/audit.md.', {
    kind: t.Num('Weight of the most telling kind: ten apart, more than all other terms.'),
    claims: t.Num('Two for each differing claim, or place between ordered labels; six at most.'),
    confidence: t.Num('Of the less sure side: low 0, medium 1, high 2; a human is sure.'),
    votes: t.Num('Smaller vote share behind the sides; of samples, how far from unanimous.'),
  }),
  why: t.List(t.Text, 'One sentence for each kind, about its most telling clash; then what the score is made of.'),
  grades: t.List(Opinion, 'The standing grade of each judge and rubric.'),
  claims: t.List(
    t.Closed({
      claim: t.Text,
      said: Type.Array(
        t.Closed({
          by: t.Str('`judge@rubric@version`, or the provenance and the rater of a review, as `human:ada`.'),
          value: ClaimValueSchema,
        }),
      ),
    }),
    'Claims with two different values; null differs from nothing.',
  ),
  signals: t.Nullable(SignalsSchema),
  reviews: t.List(
    t.Closed({
      id: t.Text,
      rater: t.Text,
      label: t.Nullable(v.LabelSchema),
      blind: Type.Boolean(),
      provenance: t.Choice(v.PROVENANCES, PROVENANCE),
    }),
    'The newest of each rater, newest first.',
  ),
  settled: t.Bool('Reviewed, and the newest reviews of all raters agree; labels that an agent made do not count.'),
})
export type Disagreement = Static<typeof DisagreementSchema>

/** The result of all judges of a question, with its receipt: the grades, their models and the steps. */
export const PanelResultSchema = t.Documented('Derived at each reading and never stored: no grade changes by it.', {
  rubric: t.Str('The rubric of the grade that was asked for; grades by others do not count.'),
  label: t.Nullable(v.LabelSchema, 'The label of every graded opinion; null: none, or several.'),
  level: t.Nullable(t.Choice(v.CONFIDENCE_LEVELS), 'The best level of the grades; support lifts `low` to `medium`.'),
  support: t.Closed({
    kind: t.Choice(
      ['overlapping', 'disjoint', 'none'],
      '`overlapping`: two different models cite overlapping texts of one step for each claim behind the label; `disjoint`: they give the same label from other texts; `none`: no two different models give one label by the same claims and by quotes.',
    ),
    lifted: t.Bool('True: the level is higher than that of every grade.'),
    grades: t.List(
      t.Closed({ grade_id: t.Text, judge: t.Text, model: t.Nullable(t.Str('As it answered; null: no model.')) }),
      'Grades that support each other, else all grades with a label; one of each judge.',
    ),
    steps: t.List(Type.Integer(), 'The steps in which their quotes overlap.'),
    reason: t.Str('The reason of the level, in one sentence.'),
  }),
  evidence_agreement: EvidenceAgreementSchema,
})
export type PanelResult = Static<typeof PanelResultSchema>

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

/** A person's signature under the results and the findings of a batch. Append-only. */
export const SignoffSchema = t.Closed({
  id: DispositionSchema.properties.id,
  batch: t.Text,
  by: t.Text,
  counts: BatchCountsSchema,
  tally: TallySchema,
  ...Digests,
  created_at: t.Timestamp,
})
export type Signoff = Static<typeof SignoffSchema>

const FindingClassSchema = t.Closed({
  id: ClassId,
  kind: FindingKindSchema,
  count: t.Count('Findings of the class, each of another trial.'),
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

export const FindingQuery = t.Closed({
  class: t.Opt.Str('Only this class, with the first thousand of its trials.', { minLength: 1, maxLength: 100 }),
})
