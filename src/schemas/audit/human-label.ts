import type { Static } from 'typebox'
import { Closed, Type } from '../type.ts'

const Value = Type.Union([Type.Boolean(), Type.String({ minLength: 1, maxLength: 300 }), Type.Integer()])

/** The label of a run by a person, in the words of the rubric of the judges. */
export const HumanLabelSchema = Closed(
  {
    outcome: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 300 }), Type.Integer()], {
        description: 'The label that they gave, or the number.',
      }),
    ),
    claims: Type.Optional(
      Type.Record(Type.String(), Value, {
        minProperties: 1,
        maxProperties: 40,
        description: 'What they answered, by the id of the claim; claims that they said nothing of are left out.',
      }),
    ),
  },
  { minProperties: 1 },
)
export type HumanLabel = Static<typeof HumanLabelSchema>
