import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../api.ts'
import type { Batch } from '../api-types.ts'
import { Trouble } from '../ui/load-view.tsx'
import { toApiError } from '../use-load.ts'

/** Stop a batch (asked twice: what is cancelled is never graded), or let a parked one go on. */
export function BatchActions({ batch }: { readonly batch: Batch }): JSX.Element | null {
  const [sure, setSure] = useState(false)
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const tell = async (verb: 'cancel' | 'resume') => {
    setBusy(true)
    setTrouble(null)
    setSure(false)
    try {
      await ask(verb === 'cancel' ? 'cancelBatch' : 'resumeBatch', { path: { id: batch.id } })
    } catch (error) {
      setTrouble(toApiError(error).message)
    }
    setBusy(false)
  }
  if (batch.status === 'done' || batch.status === 'cancelled') return null
  return (
    <>
      <p class="actions">
        {batch.status === 'parked' && (
          <button type="button" disabled={busy} onClick={() => void tell('resume')}>
            Resume
          </button>
        )}
        {batch.status !== 'cancelling' && !sure && (
          <button type="button" disabled={busy} onClick={() => setSure(true)}>
            Cancel…
          </button>
        )}
        {sure && (
          <>
            <button type="button" class="danger" onClick={() => void tell('cancel')}>
              Cancel what has not begun
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Go on
            </button>
          </>
        )}
      </p>
      {trouble !== null && <Trouble what="what was asked for" message={trouble} />}
    </>
  )
}
