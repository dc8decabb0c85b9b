import type { Static } from 'typebox'
import { Bool, Closed, Documented, Str, Type } from './type.ts'

/** A problem of RFC 9457, with a `code` for programs and the places of bad input. */
export const ProblemSchema = Documented('What went wrong (RFC 9457).', {
  type: Str('Always `about:blank`: `code` says what it is.'),
  title: Str('The words of the HTTP status.'),
  status: Type.Integer(),
  code: Str('What went wrong, for programs.'),
  detail: Str('What went wrong, for people. Never repeats what was sent.'),
  errors: Type.Optional(
    Type.Array(
      Closed({
        path: Str('JSON pointer into the body; under `/querystring`, `/params`, `/headers` elsewhere.'),
        message: Type.String(),
      }),
    ),
  ),
  grade_id: Type.Optional(Str('The stored failed grade, with every attempt.')),
  retryable: Type.Optional(Bool('Whether the same request can succeed later.')),
})
export type Problem = Static<typeof ProblemSchema>
