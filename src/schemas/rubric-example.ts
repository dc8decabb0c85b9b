import type { Static } from 'typebox'
import { Choice, Closed, Nullable, Type } from './type.ts'
import {
  CitationStatusSchema,
  ConfidenceLevelSchema,
  ContradictionCodeSchema,
  FailureCodeSchema,
  GradeStatusSchema,
} from './vocabulary.ts'

const Text = Nullable(Type.String())

/** Expected members of a grade; absent members are not compared. */
const ExpectSchema = Closed(
  {
    status: Type.Optional(GradeStatusSchema),
    outcome: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    label: Type.Optional(Text),
    claimed_label: Type.Optional(Text),
    confidence: Type.Optional(ConfidenceLevelSchema),
    claims: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Values of claims by their ids; null: unclear.' }),
    ),
    unmet: Type.Optional(
      Type.Array(Type.String(), { description: 'Ids of the claims that do not hold; []: all hold.' }),
    ),
    contradictions: Type.Optional(Type.Array(ContradictionCodeSchema, { description: 'Their codes; []: none.' })),
    citations: Type.Optional(Type.Array(CitationStatusSchema, { description: 'The status of each, in their order.' })),
    failure: Type.Optional(FailureCodeSchema),
  },
  { minProperties: 1, description: 'What the grade must say.' },
)

/** A file `rubrics/<id>@<version>/examples/*.yaml`: a run, the answer of a judge, and the expected grade. */
export const RubricExampleSchema = Closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  run: Type.Unsafe<Readonly<Record<string, unknown>> | readonly unknown[]>({
    type: ['array', 'object'],
    description: 'A list of steps, `- tool_output: what it says`, or a trajectory of any format.',
  }),
  truth: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description: 'What the truth of the rubric wants to know of a run.',
  }),
  reply: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>> | string>({
      type: ['object', 'string'],
      description: 'What the judge answers, as an object, or as its very text.',
    }),
  ),
  judge: Type.Optional(Choice(['lexical'], 'The built-in judge answers instead of `reply`.')),
  expect: ExpectSchema,
})
export type RubricExample = Static<typeof RubricExampleSchema>
