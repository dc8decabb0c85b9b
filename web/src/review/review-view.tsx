import { useEffect, useMemo, useState } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { GroundTruthView } from '../grade/ground-truth.tsx'
import { readPlace, usePlace } from '../location.ts'
import type { PageProps } from '../routes.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import type { CheckedCitation } from '../types.ts'
import { useShortcuts } from '../ui/keyboard.ts'
import { StepButton } from '../ui/pager.tsx'
import { Empty, LoadView } from '../ui/parts.tsx'
import { formatCount, spaced } from '../words.ts'
import { Opinions } from './opinions.tsx'
import { COMMENT_ID, ReviewForm } from './review-form.tsx'
import { goTo, itemOfGrade, placeOf, type ReviewItem } from './review-item.ts'
import { type Reviewing, useReviewing } from './use-reviewing.ts'

interface ReviewViewProps {
  readonly items: readonly ReviewItem[]
  /** `settled` of a queue, `reviewed` of a sample. */
  readonly done: 'settled' | 'reviewed'
}

const NO_CITATIONS: readonly CheckedCitation[] = []

/** Questions one after the other, by keyboard, without the labels of judges until the reader has given a label or asks for them. */
export function ReviewView({ items, done }: ReviewViewProps) {
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
  return <QuestionView items={items} item={item} index={index} done={done} />
}

interface QuestionProps extends ReviewViewProps {
  readonly item: ReviewItem
  readonly index: number
}

function QuestionView({ items, item, index, done }: QuestionProps) {
  const rubric = useLoad('getRubric', { path: { id: item.rubric } })
  const reviewing = useReviewing(items, item, { word: done, rubric: rubric.value })
  const summary = useLoad('getTrajectory', { path: { id: item.trajectory } })
  const truth = useLoad('getGroundTruth', { path: { id: item.gradeId } })
  const [cited, setCited] = useState<readonly CheckedCitation[]>(NO_CITATIONS)
  const { revealed } = reviewing
  const go = (by: number) => goTo(items[index + by])
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
        <StepButton go={index === 0 ? null : () => go(-1)}>
          Previous <kbd>p</kbd>
        </StepButton>
        <StepButton go={index === items.length - 1 ? null : () => go(1)}>
          Next <kbd>n</kbd>
        </StepButton>
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
          <h3>Ground truth</h3>
          <LoadView load={truth} what="the ground truth">
            {(value) => <GroundTruthView truth={value} rubric={item.rubric} open={revealed} />}
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
        go={go}
      />
    </div>
  )
}

interface KeysProps {
  readonly reviewing: Reviewing
  readonly labels: readonly string[]
  readonly go: (by: number) => void
}

/** The keys of a review. */
function ReviewKeys({ reviewing, labels, go }: KeysProps): null {
  useShortcuts([
    ...labels.slice(0, 9).map((label, index) => ({
      key: String(index + 1),
      what: spaced(label),
      run: () => reviewing.change({ label }),
    })),
    { key: '0', what: 'cannot be told', run: () => reviewing.change({ label: null }) },
    { key: 'c', what: 'write a comment (Escape leaves it)', run: () => document.getElementById(COMMENT_ID)?.focus() },
    { key: 's', what: 'submit the review', run: () => void reviewing.submit() },
    { key: 'u', what: 'unblind: show the labels', run: () => reviewing.unblind() },
    { key: 'n', what: 'next question', run: () => go(1) },
    { key: 'p', what: 'previous question', run: () => go(-1) },
  ])
  return null
}

/** The review of the question of a single grade. */
export function GradeReviewPage({ id }: PageProps) {
  const load = useLoad('getGrade', { path: { id } })
  const grade = load.value
  const items = useMemo(() => (grade === null ? [] : [itemOfGrade(grade)]), [grade])
  return (
    <>
      <h1>Review a grade</h1>
      <p>
        <a href={`/audit/grades/${encodeURIComponent(id)}`}>The grade</a>; to read it first makes the review one that is
        not blind.
      </p>
      <LoadView load={load} what="the grade" list={{ href: '/audit/grades', name: 'All grades' }}>
        {() => <ReviewView items={items} done="reviewed" />}
      </LoadView>
    </>
  )
}
