import { useEffect, useState } from 'preact/hooks'
import { readResults } from '../api.ts'
import type { Batch, BatchResult } from '../api-types.ts'
import { toApiError } from '../use-load.ts'

/** More results than this are not held in a page; the NDJSON has them all. */
export const MOST_RESULTS = 50_000
/** How often the results of a running batch are read again, in milliseconds. */
const PAUSE_MS = 3000
/** Batches larger than this are only read again when their reader asks, or when they end. */
const LIVE_ITEMS = 2000

export interface Results {
  readonly items: readonly BatchResult[]
  readonly complete: boolean
  readonly trouble: string | null
  readonly reload: () => void
}

/** The results of a batch, read again while it goes on. */
export function useResults(batch: Batch): Results {
  const [state, setState] = useState<Omit<Results, 'reload'>>({ items: [], complete: false, trouble: null })
  const [turn, setTurn] = useState(0)
  const { id, counts } = batch
  const over = batch.status === 'done' || batch.status === 'cancelled'
  useEffect(() => {
    const stop = new AbortController()
    readEnded(id, stop.signal).then(
      ({ items, complete }) => setState({ items, complete, trouble: null }),
      (error: unknown) => {
        if (!stop.signal.aborted) setState((before) => ({ ...before, trouble: toApiError(error).message }))
      },
    )
    return () => stop.abort()
  }, [id, turn, over])
  useEffect(() => {
    if (over || counts.total > LIVE_ITEMS) return
    const timer = setInterval(() => setTurn((before) => before + 1), PAUSE_MS)
    return () => clearInterval(timer)
  }, [over, counts.total])
  return { ...state, reload: () => setTurn((before) => before + 1) }
}

interface Read {
  readonly items: readonly BatchResult[]
  readonly complete: boolean
}

/** Reads the ended items of a batch once; null until they are read. Unreadable results are no items; null reads nothing. */
export function useEndedItems(batch: string | null): readonly BatchResult[] | null {
  const [read, setRead] = useState<{ readonly batch: string; readonly items: readonly BatchResult[] } | null>(null)
  useEffect(() => {
    if (batch === null) return
    const stop = new AbortController()
    readEnded(batch, stop.signal).then(
      ({ items }) => setRead({ batch, items }),
      () => !stop.signal.aborted && setRead({ batch, items: [] }),
    )
    return () => stop.abort()
  }, [batch])
  return read !== null && read.batch === batch ? read.items : null
}

/** Reads the ended items of a batch, in their order. */
async function readEnded(batch: string, signal: AbortSignal): Promise<Read> {
  const items: BatchResult[] = []
  for await (const item of readResults(batch, signal)) {
    if (items.length === MOST_RESULTS) return { items, complete: false }
    items.push(item as BatchResult)
  }
  return { items, complete: true }
}
