import { useEffect, useMemo, useState } from 'preact/hooks'
import { type All, ask, type Load, readResults, toApiError, useLoad, useRead } from '../api.ts'
import type { Batch, BatchResult } from '../types.ts'
import { formatCount, plural } from '../words.ts'

/** `live`: events of the batch arrive; `lost`: the connection broke, and the browser tries again; `over`: the batch has ended. */
export type Connection = 'live' | 'lost' | 'over'

const hasEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

/** Follows a batch by its events. `EventSource` of the browser opens a broken stream again, for as long as the page is open. */
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
        // The service refused the stream, and the browser does not try again: the refusal of the batch leads to the sign-in.
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

/** Most results of a page; the NDJSON has them all. */
const MOST_RESULTS = 50_000
/** The pause between two readings of the results of a running batch. */
const PAUSE_MS = 3000
/** Most items of a batch whose results are read again by themselves; a larger batch waits for its reader or its end. */
const LIVE_ITEMS = 2000

/** Reads the results of a batch, again and again while the batch goes on. */
export function useResults(batch: Batch) {
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((before) => before + 1)
  const { id, counts } = batch
  const over = hasEnded(batch)
  const load = useRead(id, (signal) => readEnded(id, signal), [turn, over])
  useEffect(() => {
    if (over || counts.total > LIVE_ITEMS) return
    const timer = setInterval(reload, PAUSE_MS)
    return () => clearInterval(timer)
  }, [over, counts.total])
  return { load, reload }
}

/** Reads the ended items of a batch once; null until they are read. An unreadable batch has no items; null reads nothing. */
export function useEndedItems(batch: string | null): readonly BatchResult[] | null {
  const load = useRead(batch, (signal) => readEnded(batch ?? '', signal))
  return load.state === 'failed' ? NO_ITEMS : (load.value?.items ?? null)
}

const NO_ITEMS: readonly BatchResult[] = []

/** Reads the ended items of a batch, in their order. */
async function readEnded(batch: string, signal: AbortSignal): Promise<All<BatchResult>> {
  const items: BatchResult[] = []
  for await (const item of readResults(batch, signal)) {
    if (items.length === MOST_RESULTS) return { items, cut: true }
    items.push(item as BatchResult)
  }
  return { items, cut: false }
}

/** Most items of a batch whose results are read for their names. */
const MOST_ITEMS = 5000

/** The names of a batch’s items by grade: equal questions share a grade. */
export type ItemNames = ReadonlyMap<string, readonly string[]>

/** Reads the names of the ended items; null until they are read, and without a batch. */
export function useItemNames(id: string | null): ItemNames | null {
  const own = id?.startsWith('bat_') === true ? id : null
  const batch = useLoad('getBatch', own === null ? null : { path: { id: own } })
  const small = batch.value !== null && batch.value.counts.total <= MOST_ITEMS
  const ended = useEndedItems(small ? own : null)
  return useMemo(() => {
    if (ended === null) return null
    const names = new Map<string, string[]>()
    for (const { grade_id, item_id } of ended)
      if (grade_id !== null) names.set(grade_id, [...(names.get(grade_id) ?? []), item_id])
    return names
  }, [ended])
}

interface AnswersProps {
  readonly items: ItemNames | null
  readonly grade: string
  readonly batch: string | null
}

/** Says that a grade answers several items. */
export function AnswersItems({ items: names, grade, batch }: AnswersProps) {
  const items = names?.get(grade)?.length ?? 0
  if (items < 2 || batch === null) return null
  return (
    <p class="aside">
      This grade answers {formatCount(items)} items of{' '}
      <a href={`/audit/batches/${encodeURIComponent(batch)}`}>its batch</a>: they ask the same question, and its names
      are those of one of them.
    </p>
  )
}

/** Says why a batch has fewer grades than items. */
export function AnswersOfBatch({ items: names }: { readonly items: ItemNames | null }) {
  if (names === null) return null
  const items = [...names.values()].reduce((sum, of) => sum + of.length, 0)
  if (items === names.size) return null
  return (
    <p class="aside">
      {plural(names.size, 'grade')} {names.size === 1 ? 'answers' : 'answer'} {formatCount(items)} items of this batch:
      equal questions share a grade.
    </p>
  )
}
