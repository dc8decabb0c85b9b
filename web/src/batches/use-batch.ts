import { useEffect, useState } from 'preact/hooks'
import { ask } from '../api.ts'
import type { Batch } from '../api-types.ts'
import { type Load, toApiError } from '../use-load.ts'

/** `live`: its events arrive; `lost`: the connection broke, the browser tries again; `over`: there is nothing more to come. */
export type Connection = 'live' | 'lost' | 'over'

const hasEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

/** A batch as it is now, kept up to date by its events. */
export function useBatch(id: string): { readonly load: Load<Batch>; readonly connection: Connection } {
  const [load, setLoad] = useState<Load<Batch>>({ state: 'loading', value: null })
  const [connection, setConnection] = useState<Connection>('lost')
  useEffect(() => {
    const stop = new AbortController()
    let source: EventSource | null = null
    const show = (batch: Batch) => {
      setLoad({ state: 'ready', value: batch })
      setConnection(hasEnded(batch) ? 'over' : 'live')
    }
    const follow = () => {
      source = new EventSource(`/v1/batches/${encodeURIComponent(id)}/events`)
      source.addEventListener('progress', (event) => show(readEvent(event)))
      source.addEventListener('end', (event) => {
        show(readEvent(event))
        source?.close()
      })
      source.addEventListener('error', () => {
        setConnection('lost')
        // It was refused, and the browser does not try again: asking for the batch says why, and leads to the sign-in.
        if (source?.readyState === EventSource.CLOSED)
          ask('getBatch', { path: { id } }, stop.signal).catch(() => undefined)
      })
    }
    ask('getBatch', { path: { id } }, stop.signal).then(
      (batch) => {
        show(batch)
        if (!hasEnded(batch)) follow()
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setLoad({ state: 'failed', value: null, error: toApiError(error) })
      },
    )
    return () => {
      stop.abort()
      source?.close()
    }
  }, [id])
  return { load, connection }
}

const readEvent = (event: MessageEvent<string>): Batch => JSON.parse(event.data) as Batch
