import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, toApiError } from '../api.ts'
import { navigate, usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Who } from '../types.ts'
import { readReason, readWayBack, SIGN_IN_PATH } from './sign-in-place.ts'

/** Shows the name of the session and the button that ends it; nothing without a session. */
export function SessionTools({ path }: { readonly path: string }) {
  const [who, setWho] = useState<Who | null>(null)
  const [stuck, setStuck] = useState(false)
  const signingIn = path === SIGN_IN_PATH
  useEffect(() => {
    setWho(null)
    if (signingIn) return
    const stop = new AbortController()
    // Whoever is not known is led to the sign-in; that the service cannot be reached, the page itself says.
    askWho(stop.signal).then(setWho, () => undefined)
    return () => stop.abort()
  }, [signingIn])
  if (who?.session !== true) return null
  return (
    <span class="session">
      <span>
        <span class="unseen">Signed in as </span>
        <HostileText text={who.name} />
      </span>
      <button type="button" onClick={() => signOut().catch(() => setStuck(true))}>
        Sign out
      </button>
      {stuck && <span role="alert">Still signed in: the service cannot be reached.</span>}
    </span>
  )
}

const FIELD_ID = 'sign-in-key'
const REFUSED_ID = 'sign-in-refused'

/** A key becomes a session of this browser; it is kept nowhere else. */
export function SignInPage() {
  const next = readWayBack(usePlace().query)
  const field = useRef<HTMLInputElement>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  const submit = async (key: string) => {
    setSending(true)
    setRefused(null)
    try {
      await signIn(key, next)
    } catch (error) {
      setRefused(toApiError(error).message)
      setSending(false)
      field.current?.focus()
    }
  }
  return (
    <>
      <h1>Sign in</h1>
      <Why />
      <form
        class="sign-in"
        onSubmit={(event) => {
          event.preventDefault()
          if (!sending) void submit(field.current?.value.trim() ?? '')
        }}
      >
        <label htmlFor={FIELD_ID}>Key</label>
        <input
          id={FIELD_ID}
          ref={field}
          type="password"
          autocomplete="current-password"
          required
          maxLength={200}
          aria-invalid={refused !== null}
          aria-describedby={refused === null ? undefined : REFUSED_ID}
        />
        <button type="submit" class="primary" disabled={sending}>
          {sending ? 'Signing in…' : 'Sign in'}
        </button>
        <p id={REFUSED_ID} class={refused === null ? undefined : 'trouble'} role="alert">
          {refused !== null && (
            <>
              <strong>Not signed in.</strong> <HostileText text={refused} />
            </>
          )}
        </p>
      </form>
      <p class="aside">
        Whoever runs the service makes a key with <code>veridict keys create</code>. This browser stays signed in for 12
        hours, until you sign out, or until the key is revoked.
      </p>
    </>
  )
}

function Why() {
  const reason = readReason()
  if (reason === null) return <p>The audit pages ask for a key of the service.</p>
  return (
    <p role="status">
      You were asked to sign in: <HostileText text={reason} />
    </p>
  )
}

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
