import type { Static } from 'typebox'
import { GivenTruthSchema } from './ground-truth.ts'
import { Closed, Int, Str, Type } from './type.ts'
import { CacheModeSchema, MOST_SAMPLES } from './vocabulary.ts'

export const MOST_NAME_CHARS = 300
export const MOST_FIELDS = 50

const Name = Type.String({ maxLength: MOST_NAME_CHARS })

export const TrialMetadataSchema = Type.Object(
  {
    agent: Type.Optional(Name),
    model: Type.Optional(Name),
    task: Type.Optional(Name),
    trial: Type.Optional(Name),
    run_index: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    variant: Type.Optional(Name),
  },
  {
    additionalProperties: Type.Union([
      Type.String({ maxLength: 2000 }),
      Type.Number({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
      Type.Boolean(),
      Type.Null(),
    ]),
    maxProperties: MOST_FIELDS,
    description:
      'Where the trial came from. Never shown to the judge and never part of the cache key. `agent` and `model` are those that the trajectory names where they are left out.',
  },
)
export type TrialMetadata = Static<typeof TrialMetadataSchema>

/** The document of a run. The schema asks for an object; `formats/` reads the document and reports every path that it cannot read. */
export const TrajectoryDocumentSchema = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'An ATIF document (v1.0 to v1.8), a plain step list `{ "steps": [ … ] }`, the lines or the array of a log as `{ "records": [ … ] }`, or `{ "id": "sha256:…" }` of an uploaded one.',
})

export const GradeRequestSchema = Closed({
  trajectory: TrajectoryDocumentSchema,
  ground_truth: GivenTruthSchema,
  rubric: Type.Optional(Str('`id@version`; the newest version when only an id.', { maxLength: 200 })),
  judge: Type.Optional(Str('A name of `GET /v1/judges`.', { maxLength: 200 })),
  samples: Type.Optional(
    Int('Independent answers; every vote is stored.', { minimum: 1, maximum: MOST_SAMPLES, default: 1 }),
  ),
  cache: Type.Optional(CacheModeSchema),
  metadata: Type.Optional(TrialMetadataSchema),
})
export type GradeRequest = Static<typeof GradeRequestSchema>

/** The options of a grade, without the trial. */
export const GradeOptionsSchema = Type.Pick(GradeRequestSchema, ['rubric', 'judge', 'samples', 'cache'], {
  additionalProperties: false,
})
export type GradeOptions = Static<typeof GradeOptionsSchema>
