import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Answer, ApiError, ask, type Given, type Name } from './api.ts'

export type Load<T> =
  | { readonly state: 'loading'; readonly value: T | null }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly value: null; readonly error: ApiError }

/** Loads the answer of a call; null asks for nothing. The value stays until the next answer of the same call. */
export function useLoad<N extends Name>(
  name: N,
  given: Given<N> | null,
): Load<Answer<N>> & { readonly reload: () => void } {
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const key = given === null ? null : JSON.stringify([name, given])
  return { ...useRead(key, (signal) => ask(name, given as Given<N>, signal), [turn]), reload }
}

/** Reads a value by its key, and anew when a value of `again` changes; null reads nothing. */
export function useRead<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  again: readonly unknown[] = [],
): Load<T> {
  const [loaded, setLoaded] = useState<{ key: string | null; load: Load<T> }>({ key: null, load: LOADING })
  useEffect(() => {
    if (key === null) return
    const stop = new AbortController()
    read(stop.signal).then(
      (value) => setLoaded({ key, load: { state: 'ready', value } }),
      (error: unknown) => {
        if (!stop.signal.aborted) setLoaded({ key, load: { state: 'failed', value: null, error: toApiError(error) } })
      },
    )
    return () => stop.abort()
  }, [key, ...again])
  return loaded.key === key ? loaded.load : LOADING
}

const LOADING = { state: 'loading', value: null } as const

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('the answer of the service cannot be read')
