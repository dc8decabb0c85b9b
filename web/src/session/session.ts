import { ask } from '../api.ts'
import type { Who } from '../api-types.ts'
import { navigate } from '../location.ts'
import { SIGN_IN_PATH } from './sign-in-place.ts'

/** Reads the name and the scopes of this browser’s session. */
export const askWho = (signal: AbortSignal): Promise<Who> => ask('getSession', {}, signal)

/** Exchanges the key for a session and goes on to `next`. Throws an `ApiError`. */
export async function signIn(key: string, next: string): Promise<void> {
  await ask('openSession', { body: { key } })
  navigate(next, { replace: true })
}

/** Ends the session and forgets everything that was loaded. Throws an `ApiError`. */
export async function signOut(): Promise<void> {
  await ask('closeSession', {})
  location.assign(SIGN_IN_PATH)
}
