import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Review } from '../audit-types.ts'
import { usePlace } from '../location.ts'
import { readRater } from '../review/rater.ts'
import { ReviewView } from '../review/review-view.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { useAll } from '../use-all.ts'
import { drawSample, populationOf } from './draw.ts'
import { madeUntil, readSampleQuery, useGraded } from './sample-query.ts'

const MOST_REVIEWS = 20_000

/** The sample that the address names, question by question. */
export function SampleReviewPage(): JSX.Element {
  const { query } = usePlace()
  // Whoever reviews at the start: the name may be typed on this page, and the list must not move then.
  const [rater] = useState(readRater)
  const graded = useGraded(query)
  const reviews = useAll('listReviews', rater === '' ? null : { rater }, MOST_REVIEWS)
  const { design, n, seed, until } = readSampleQuery(query)
  const found = graded.value
  const known = rater === '' ? NOBODY : reviews.value
  const items = useMemo(() => {
    if (found === null || known === null) return []
    const given = new Set(known.items.map(({ trajectory, ground_truth }) => `${trajectory}/${ground_truth}`))
    const draw = drawSample(populationOf(madeUntil(found.items, until)), { design, n, seed })
    return draw.items.map((item) => ({ ...item, done: given.has(item.question) }))
  }, [found, known, design, n, seed, until])
  const back = new URLSearchParams(query)
  back.delete('at')
  return (
    <>
      <h1>Review a sample</h1>
      <p>
        <a href={`/audit/sample?${back}`}>The sample</a>, drawn{' '}
        {design === 'random' ? 'at random' : 'within each label'}
      </p>
      <LoadView load={graded} what="the sample">
        {() =>
          known === null ? (
            <LoadView load={reviews} what="your reviews">
              {() => null}
            </LoadView>
          ) : (
            <ReviewView items={items} done="reviewed" />
          )
        }
      </LoadView>
    </>
  )
}

const NOBODY = { items: [] as readonly Review[], cut: false }
