import { useCallback, useEffect, useState } from 'preact/hooks'
import { ApiError, getJson } from './api.ts'

export type Load<T> =
  | { readonly state: 'loading'; readonly value: T | null }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly value: null; readonly error: ApiError }

/** What `path` answers; null asks for nothing. What was shown before stays until the next answer of the same path. */
export function useLoad<T>(path: string | null): Load<T> & { readonly reload: () => void } {
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  return { ...useRead<T>(path, getJson, [turn]), reload }
}

/** What is read by the path, and anew whenever one of `again` is another. */
export function useRead<T>(
  path: string | null,
  read: (path: string, signal: AbortSignal) => Promise<T>,
  again: readonly unknown[],
): Load<T> {
  const [loaded, setLoaded] = useState<{ path: string | null; load: Load<T> }>({ path: null, load: LOADING })
  useEffect(() => {
    if (path === null) return
    const stop = new AbortController()
    read(path, stop.signal).then(
      (value) => setLoaded({ path, load: { state: 'ready', value } }),
      (error: unknown) => {
        if (!stop.signal.aborted) setLoaded({ path, load: { state: 'failed', value: null, error: toApiError(error) } })
      },
    )
    return () => stop.abort()
  }, [path, ...again])
  return loaded.path === path ? loaded.load : LOADING
}

const LOADING = { state: 'loading', value: null } as const

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, 'unknown', 'the answer of the service cannot be read')
