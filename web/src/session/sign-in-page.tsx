import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { toApiError } from '../use-load.ts'
import { signIn } from './session.ts'
import { readReason, readWayBack } from './sign-in-place.ts'

const FIELD_ID = 'sign-in-key'
const REFUSED_ID = 'sign-in-refused'

/** A key becomes a session of this browser; it is kept nowhere else. */
export function SignInPage(): JSX.Element {
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

function Why(): JSX.Element {
  const reason = readReason()
  if (reason === null) return <p>The audit pages ask for a key of the service.</p>
  return (
    <p role="status">
      You were asked to sign in: <HostileText text={reason} />
    </p>
  )
}
