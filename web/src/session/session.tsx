import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, useAction } from '../api.ts'
import { navigate, usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Who } from '../types.ts'
import { messageSentence } from '../ui/parts.tsx'
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
    // The page itself reports a service that cannot be reached.
    ask('getSession', {}, stop.signal).then(setWho, () => undefined)
    return () => stop.abort()
  }, [signingIn])
  // A new page forgets everything that was loaded.
  const signOut = () =>
    ask('closeSession', {}).then(
      () => location.assign(SIGN_IN_PATH),
      () => setStuck(true),
    )
  if (who?.session !== true) return null
  return (
    <span class="session">
      <span>
        <span class="unseen">Signed in as </span>
        <HostileText text={who.name} />
      </span>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
      {stuck && <span role="alert">Still signed in: the service cannot be reached.</span>}
    </span>
  )
}

const FIELD_ID = 'sign-in-key'
const REFUSED_ID = 'sign-in-refused'

/** The sign-in: exchanges a key for a session of the browser, and keeps the key nowhere. */
export function SignInPage() {
  const next = readWayBack(usePlace().query)
  const field = useRef<HTMLInputElement>(null)
  const { busy, trouble, start } = useAction(async () => {
    try {
      await ask('openSession', { body: { key: field.current?.value.trim() ?? '' } })
    } catch (error) {
      field.current?.focus()
      throw error
    }
    navigate(next, { replace: true })
  })
  return (
    <>
      <h1>Sign in</h1>
      <Why />
      <form
        class="sign-in"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) start()
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
          aria-invalid={trouble !== null}
          aria-describedby={trouble === null ? undefined : REFUSED_ID}
        />
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
        <p id={REFUSED_ID} class={trouble === null ? undefined : 'trouble'} role="alert">
          {trouble !== null && (
            <>
              <strong>Not signed in.</strong> <HostileText text={messageSentence(trouble)} />
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
