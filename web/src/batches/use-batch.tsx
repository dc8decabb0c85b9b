import { useEffect, useState } from 'preact/hooks'
import { type All, ask, type Load, readResults, toApiError, useRead } from '../api.ts'
import { usePlace } from '../location.ts'
import type { Batch, BatchResult } from '../types.ts'
import { formatCount, plural } from '../words.ts'

const hasEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

/** The pause between two readings of a running batch. */
const PAUSE_MS = 1000

/** Follows a batch until its end. A failed reading keeps the state before and is tried again, unless the batch was never read. */
export function useBatch(id: string): Load<Batch> {
  const [load, setLoad] = useState<Load<Batch>>({ state: 'loading', value: null })
  useEffect(() => {
    const stop = new AbortController()
    let value: Batch | null = null
    const read = async () => {
      try {
        value = await ask('getBatch', { path: { id } }, stop.signal)
        setLoad({ state: 'ready', value })
      } catch (error) {
        if (!stop.signal.aborted) setLoad({ state: 'failed', value, error: toApiError(error) })
      }
      if (!stop.signal.aborted && value !== null && !hasEnded(value)) setTimeout(() => void read(), PAUSE_MS)
    }
    void read()
    return () => stop.abort()
  }, [id])
  return load
}

/** Most results of a page; the NDJSON has them all. */
const MOST_RESULTS = 50_000
/** Most items of a batch whose results are read again by themselves; a larger batch waits for its reader or its end. */
const LIVE_ITEMS = 2000

/** Reads the results of a batch, again and again while items of the batch end. */
export function useResults({ id, status, counts }: Batch) {
  const [turn, setTurn] = useState(0)
  const progress = counts.total > LIVE_ITEMS ? null : counts.pending + counts.running
  const load = useRead(id, (signal) => readEnded(id, signal), [turn, status, progress])
  return { load, reload: () => setTurn((before) => before + 1) }
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

/** Most items whose results are read for their names. */
const MOST_ITEMS = 5000

/** The names of items by grade: equal questions share a grade. */
export type ItemNames = ReadonlyMap<string, readonly string[]>

/** Names an item. The item of a re-grade of chosen grades has the id of the old grade: its trial says more, as on the command line. */
export const itemName = ({ item_id, base_grade_id, metadata }: BatchResult): string =>
  item_id === base_grade_id ? metadata.trial || metadata.task || item_id : item_id

/** Reads the names of the ended items of a batch, or without a batch of the newest ones where `newest` asks for them; null: not read. */
export function useItemNames(batch: string | null, newest: boolean): ItemNames | null {
  const key = batch === null ? (newest ? '' : null) : batch.startsWith('bat_') ? batch : null
  const load = useRead(key, async (signal) => {
    const names = new Map<string, string[]>()
    let room = MOST_ITEMS
    for (const { id, counts } of await batchesToName(batch, signal)) {
      room -= counts.total
      const items = room < 0 ? NO_ITEMS : (await readEnded(id, signal)).items
      for (const item of items)
        if (item.grade_id !== null) names.set(item.grade_id, [...(names.get(item.grade_id) ?? []), itemName(item)])
    }
    return names
  })
  return load.value
}

const batchesToName = async (batch: string | null, signal: AbortSignal): Promise<readonly Batch[]> =>
  batch === null
    ? (await ask('listBatches', { query: { limit: 5 } }, signal)).items
    : [await ask('getBatch', { path: { id: batch } }, signal)]

interface AnswersProps {
  readonly items: ItemNames | null
  /** The grade of the page; absent: all grades of the batch. */
  readonly grade?: string
}

/** Says that a grade answers several items of its batch, or that the batch has fewer grades than items. */
export function SharedGrades({ items: names, grade }: AnswersProps) {
  if (!usePlace().query.has('batch') || names === null) return null
  const items = grade === undefined ? [...names.values()].flat().length : (names.get(grade)?.length ?? 0)
  const grades = grade === undefined ? names.size : 1
  if (items <= grades) return null
  return (
    <p class="aside">
      {grade === undefined ? plural(grades, 'grade') : 'This grade'} {grades === 1 ? 'answers' : 'answer'}{' '}
      {formatCount(items)} items of {grade === undefined ? 'this batch' : 'its batch'}: equal questions share a grade.
    </p>
  )
}
