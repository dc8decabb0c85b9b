import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { queryOf, withQuery } from '../api.ts'
import { usePlace } from '../location.ts'
import { itemOfDisagreement } from '../review/review-item.ts'
import { ReviewView } from '../review/review-view.tsx'
import { readFilters } from '../ui/filters.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { useAll } from '../use-all.ts'
import { QUEUE_FILTERS } from './queue-filters.ts'

/** A queue longer than this is reviewed in parts: by then it has another order anyway. */
const MOST = 2000

/** The queue as it was when this page was opened, question by question. */
export function DisagreementReviewPage(): JSX.Element {
  const { query } = usePlace()
  const { settled, ...chosen } = readFilters(QUEUE_FILTERS, query)
  const load = useAll('listDisagreements', queryOf<'listDisagreements'>(chosen), MOST)
  const judge = query.get('judge')
  const found = load.value
  const items = useMemo(() => {
    const wanted = (found?.items ?? []).filter((one) => settled === undefined || String(one.settled) === settled)
    return wanted.flatMap((one) => itemOfDisagreement(one, judge) ?? [])
  }, [found, settled, judge])
  return (
    <>
      <h1>Review disagreements</h1>
      <p>
        <a href={withQuery('/audit/disagreements', { settled, ...chosen })}>The queue</a>
      </p>
      <LoadView load={load} what="the queue">
        {({ cut }) => (
          <>
            {cut && <p class="aside">The queue is longer: these are its first {MOST} questions.</p>}
            <ReviewView items={items} done="settled" />
          </>
        )}
      </LoadView>
    </>
  )
}
