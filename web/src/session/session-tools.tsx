import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Who } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { askWho, signOut } from './session.ts'
import { SIGN_IN_PATH } from './sign-in-place.ts'

/** Shows the name of the session and the button that ends it; nothing without a session. */
export function SessionTools({ path }: { readonly path: string }): JSX.Element | null {
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
