import { useEffect, useState } from 'preact/hooks'
import { fittingResults, gradesOf } from './fitting-results.tsx'
import { readResults } from './use-results.ts'

/** The grades of a batch, as its page lists them; null until they are known. No batch: nothing is asked for. */
export function useResultIds(batch: string | null, query: URLSearchParams): readonly string[] | null {
  const [ids, setIds] = useState<readonly string[] | null>(null)
  useEffect(() => {
    if (batch === null) return
    const stop = new AbortController()
    readResults(batch, stop.signal).then(
      ({ items }) => setIds(gradesOf(fittingResults(items, query)).map(({ id }) => id)),
      () => !stop.signal.aborted && setIds([]),
    )
    return () => stop.abort()
  }, [batch, query.toString()])
  return ids
}
