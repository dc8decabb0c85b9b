import type { Static } from 'typebox'
import { Closed, Timestamp, Type } from './type.ts'

/** The sign-in of a browser. */
export const SignInSchema = Closed(
  { key: Type.String({ minLength: 1, maxLength: 200, description: 'A key as `veridict keys create` printed it.' }) },
  { description: 'A key, exchanged for a session.' },
)

const caller = {
  name: Type.String({ description: 'The name of the key; `anybody` where none is needed and none was sent.' }),
  scopes: Type.Array(Type.String(), {
    description: 'Of `grade`, `read`, `review`, `admin`; `admin` includes the others.',
  }),
}

/** A session at its opening; its signature is in the cookie alone. */
export const OpenedSessionSchema = Closed(
  { ...caller, expires_at: Timestamp },
  { description: 'A session that was opened.' },
)
export type OpenedSession = Static<typeof OpenedSessionSchema>

/** The caller of a request. */
export const WhoSchema = Closed(
  {
    required: Type.Boolean({ description: 'Whether the service asks for a key.' }),
    session: Type.Boolean({ description: 'Whether this is known by a session, which can be ended, and not by a key.' }),
    ...caller,
  },
  { description: 'Who asks, and what they may do.' },
)
export type Who = Static<typeof WhoSchema>
