import { ask } from '../api.ts'
import type { Who } from '../api-types.ts'
import { navigate } from '../location.ts'
import { SIGN_IN_PATH } from './sign-in-place.ts'

/** The project whose data this page has seen; null: none yet. */
let project: string | null = null

/** Reads the name and the scopes of this browser’s session. */
export async function askWho(signal: AbortSignal): Promise<Who> {
  const who = await ask('getSession', {}, signal)
  project = who.project
  return who
}

/** Exchanges the key for a session and goes on to `next`. Throws an `ApiError`. */
export async function signIn(key: string, next: string): Promise<void> {
  const opened = await ask('openSession', { body: { key } })
  // What is typed and not sent is still here where the session was only over; data of another project must not stay.
  if (opened.project === project) navigate(next, { replace: true })
  else location.replace(next)
}

/** Ends the session and forgets everything that was loaded. Throws an `ApiError`. */
export async function signOut(): Promise<void> {
  await ask('closeSession', {})
  location.assign(SIGN_IN_PATH)
}
