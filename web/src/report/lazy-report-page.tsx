import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Trouble } from '../ui/parts.tsx'

/** Fetches the page of the report, and the plotting library with it, when a reader goes there. */
export function LazyReportPage() {
  const [loaded, setLoaded] = useState<{ readonly page: ComponentType } | null>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    import('./report-page.tsx').then(
      ({ ReportPage }) => setLoaded({ page: ReportPage }),
      () => setFailed(true),
    )
  }, [])
  if (loaded !== null) return <loaded.page />
  return (
    <>
      <h1>Report</h1>
      {failed ? (
        <Trouble what="the report" message="its script could not be fetched: load the page again" />
      ) : (
        <p class="waiting">Loading the report…</p>
      )}
    </>
  )
}
