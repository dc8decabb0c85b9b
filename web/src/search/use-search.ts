import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, getJson, withQuery } from '../api.ts'
import type { FoundTrial, TrajectorySearch } from '../api-types.ts'
import { toApiError } from '../use-load.ts'

/** How far a search has come. */
export interface Progress {
  readonly found: readonly FoundTrial[]
  readonly searched: number
  readonly unread: number
  readonly total: number
  /** Where to go on; null: nowhere. */
  readonly next: string | null
  readonly running: boolean
  readonly error: ApiError | null
}

const START: Progress = { found: [], searched: 0, unread: 0, total: 0, next: null, running: true, error: null }
/** Having found so many more, a search waits to be told to go on. */
const ENOUGH = 20

/** Looks through all trials for a text, which is not empty, request by request. */
export function useSearch(text: string): Progress & { readonly goOn: () => void; readonly stop: () => void } {
  const [progress, show] = useState(START)
  const running = useRef<AbortController | null>(null)
  const start = (from: Progress) => {
    running.current = new AbortController()
    void search(text, from, running.current.signal, show)
  }
  useEffect(() => {
    start(START)
    return () => running.current?.abort()
  }, [text])
  const stop = () => {
    running.current?.abort()
    show({ ...progress, running: false })
  }
  return { ...progress, goOn: () => start(progress), stop }
}

async function search(text: string, from: Progress, signal: AbortSignal, show: (progress: Progress) => void) {
  let now: Progress = { ...from, running: true, error: null }
  const isEnough = () => now.found.length >= from.found.length + ENOUGH
  show(now)
  try {
    do {
      const path = withQuery('/v1/trajectories/search', { q: text, limit: ENOUGH, cursor: now.next })
      const page = await getJson<TrajectorySearch>(path, signal)
      if (signal.aborted) return
      now = add(now, page)
      show(now)
    } while (now.next !== null && !isEnough())
    show({ ...now, running: false })
  } catch (error) {
    if (!signal.aborted) show({ ...now, running: false, error: toApiError(error) })
  }
}

const add = (to: Progress, page: TrajectorySearch): Progress => ({
  ...to,
  found: [...to.found, ...page.items],
  searched: to.searched + page.searched,
  unread: to.unread + page.unread,
  total: page.total,
  next: page.next_cursor,
})
