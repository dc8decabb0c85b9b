import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CheckedCitation } from '../api-types.ts'
import { readPlace, usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { Empty } from '../ui/empty.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { useLoad } from '../use-load.ts'
import { formatCount } from '../words.ts'
import { Opinions } from './opinions.tsx'
import { ReviewForm } from './review-form.tsx'
import type { ReviewItem } from './review-item.ts'
import { ReviewKeys } from './review-keys.tsx'
import { goTo, placeOf } from './review-place.ts'
import { TruthView } from './truth-view.tsx'
import { useReviewing } from './use-reviewing.ts'

export interface ReviewViewProps {
  readonly items: readonly ReviewItem[]
  /** `settled` of a queue, `reviewed` of a sample. */
  readonly done: 'settled' | 'reviewed'
}

const NO_CITATIONS: readonly CheckedCitation[] = []

/** One question after the other, by keyboard, without the labels of judges until this reader has given one or asks for them. */
export function ReviewView({ items, done }: ReviewViewProps): JSX.Element {
  const { query } = usePlace()
  const index = placeOf(items, query.get('at'))
  const item = items[index]
  // The address names the question, so that it can be linked to and loaded again.
  useEffect(() => {
    if (item !== undefined && readPlace().query.get('at') !== item.place) goTo(item, { replace: true })
  }, [item])
  if (item === undefined)
    return (
      <Empty>
        Nothing to review fits. <a href="/audit/sample">Draw a sample</a> or look at the{' '}
        <a href="/audit/disagreements">disagreements</a>.
      </Empty>
    )
  return <Reviewing items={items} item={item} index={index} done={done} />
}

interface ReviewingProps extends ReviewViewProps {
  readonly item: ReviewItem
  readonly index: number
}

function Reviewing({ items, item, index, done }: ReviewingProps): JSX.Element {
  const rubric = useLoad('getRubric', { path: { id: item.rubric } })
  const reviewing = useReviewing(items, item, { word: done, rubric: rubric.value })
  const summary = useLoad('getTrajectory', { path: { id: item.trajectory } })
  const truth = useLoad('getGroundTruth', { path: { id: item.gradeId } })
  const [cited, setCited] = useState<readonly CheckedCitation[]>(NO_CITATIONS)
  const { revealed } = reviewing
  useEffect(() => setCited(NO_CITATIONS), [item.place])
  return (
    <div class="review">
      <p class="review-progress" role="status">
        <strong>
          {formatCount(reviewing.count)} of {formatCount(items.length)} {done}
        </strong>
        <progress max={items.length} value={reviewing.count} aria-label={done} />
      </p>
      <nav class="pager" aria-label="Questions">
        <button type="button" disabled={index === 0} onClick={() => goTo(items[index - 1])}>
          Previous <kbd>p</kbd>
        </button>
        <button type="button" disabled={index === items.length - 1} onClick={() => goTo(items[index + 1])}>
          Next <kbd>n</kbd>
        </button>
      </nav>
      <p class="unseen" role="status">
        Question {formatCount(index + 1)} of {formatCount(items.length)}
      </p>
      <h2 class="review-title">
        Question {formatCount(index + 1)} of {formatCount(items.length)}
        {item.task !== null && (
          <>
            {' · '}
            <HostileText text={item.task} />
          </>
        )}{' '}
        {reviewing.isDone && <span class="aside">({done})</span>}
      </h2>
      <div class="review-columns">
        <div class="review-side">
          <LoadView load={truth} what="the ground truth">
            {(value) => <TruthView truth={value} open={revealed} />}
          </LoadView>
          <LoadView load={rubric} what="the rubric">
            {(value) => <ReviewForm reviewing={reviewing} rubric={value} />}
          </LoadView>
          {revealed && <Opinions key={item.place} item={item} turn={reviewing.turn} onCitations={setCited} />}
        </div>
        <div class="review-run">
          <LoadView load={summary} what="the trajectory">
            {(value) => <Timeline key={item.place} summary={value} citations={revealed ? cited : NO_CITATIONS} />}
          </LoadView>
        </div>
      </div>
      <ReviewKeys
        key={`${item.place} ${summary.state} ${rubric.state}`}
        labels={rubric.value?.labels.map(({ label }) => label) ?? []}
        reviewing={reviewing}
        onNext={() => goTo(items[index + 1])}
        onBefore={() => goTo(items[index - 1])}
      />
    </div>
  )
}
