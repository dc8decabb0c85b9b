import type { Static } from 'typebox'
import { Bool, Documented, Str, Timestamp, Type } from './type.ts'

/** The sign-in of a browser. */
export const SignInSchema = Documented('A key, exchanged for a session.', {
  key: Str('A key as `veridict keys create` printed it.', { minLength: 1, maxLength: 200 }),
})

const caller = {
  name: Str('The name of the key; `anybody` where none is needed and none was sent.'),
  scopes: Type.Array(Type.String(), {
    description: 'Of `grade`, `read`, `review`, `admin`; `admin` includes the others.',
  }),
}

/** A session at its opening; its signature is in the cookie alone. */
export const OpenedSessionSchema = Documented('A session that was opened.', { ...caller, expires_at: Timestamp })
export type OpenedSession = Static<typeof OpenedSessionSchema>

/** The caller of a request. */
export const WhoSchema = Documented('Who asks, and what they may do.', {
  required: Bool('Whether the service asks for a key.'),
  session: Bool('Whether this is known by a session, which can be ended, and not by a key.'),
  ...caller,
})
export type Who = Static<typeof WhoSchema>
