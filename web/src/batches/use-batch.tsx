import { useEffect, useMemo, useState } from 'preact/hooks'
import { ask, type Load, readResults, toApiError, useLoad } from '../api.ts'
import type { Batch, BatchResult } from '../types.ts'
import { formatCount, plural } from '../words.ts'

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

/** Of larger batches the results are not read only to count them. */
const MOST_ITEMS = 5000

/** The names of a batch's items by the grade that answers them. */
export type ItemNames = ReadonlyMap<string, readonly string[]>

/** Those of the ended items: equal questions share a grade. Null until they are known, and of no batch. */
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
}

/** That a grade stands for more than the trial whose name it has. */
export function AnswersItems(props: AnswersProps & { readonly grade: string; readonly batch: string | null }) {
  const items = props.items?.get(props.grade)?.length ?? 0
  if (items < 2 || props.batch === null) return null
  return (
    <p class="aside">
      This grade answers {formatCount(items)} items of{' '}
      <a href={`/audit/batches/${encodeURIComponent(props.batch)}`}>its batch</a>: they ask the same question, and its
      names are those of one of them.
    </p>
  )
}

/** Why a batch has fewer grades than items. */
export function AnswersOfBatch({ items: names }: AnswersProps) {
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
