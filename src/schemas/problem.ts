import type { Static } from 'typebox'
import { Type } from './type.ts'

/** RFC 9457, with a `code` for programs and, for bad input, the places. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'Always `about:blank`: `code` says what it is.' }),
    title: Type.String({ description: 'The words of the HTTP status.' }),
    status: Type.Integer(),
    code: Type.String({ description: 'What went wrong, for programs.' }),
    detail: Type.String({ description: 'What went wrong, for people. Never repeats what was sent.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({
              description: 'JSON pointer into the body; under `/querystring`, `/params`, `/headers` elsewhere.',
            }),
            message: Type.String(),
          },
          { additionalProperties: false },
        ),
      ),
    ),
    grade_id: Type.Optional(Type.String({ description: 'The stored failed grade, with every attempt.' })),
    retryable: Type.Optional(Type.Boolean({ description: 'Whether the same request can succeed later.' })),
  },
  { additionalProperties: false, description: 'What went wrong (RFC 9457).' },
)
export type Problem = Static<typeof ProblemSchema>
