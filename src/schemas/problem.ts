import type { Static } from 'typebox'
import { Closed, Type } from './type.ts'

/** A problem of RFC 9457, with a `code` for programs and the places of bad input. */
export const ProblemSchema = Closed(
  {
    type: Type.String({ description: 'Always `about:blank`: `code` says what it is.' }),
    title: Type.String({ description: 'The words of the HTTP status.' }),
    status: Type.Integer(),
    code: Type.String({ description: 'What went wrong, for programs.' }),
    detail: Type.String({ description: 'What went wrong, for people. Never repeats what was sent.' }),
    errors: Type.Optional(
      Type.Array(
        Closed({
          path: Type.String({
            description: 'JSON pointer into the body; under `/querystring`, `/params`, `/headers` elsewhere.',
          }),
          message: Type.String(),
        }),
      ),
    ),
    grade_id: Type.Optional(Type.String({ description: 'The stored failed grade, with every attempt.' })),
    retryable: Type.Optional(Type.Boolean({ description: 'Whether the same request can succeed later.' })),
  },
  { description: 'What went wrong (RFC 9457).' },
)
export type Problem = Static<typeof ProblemSchema>
