import { useEffect, useMemo } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { PanelTable } from '../grade/panel.tsx'
import { rubricId } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { citationAnchor } from '../timeline/marks.ts'
import type { CheckedCitation, Review } from '../types.ts'
import { LabelBadge, LoadView } from '../ui/parts.tsx'
import { formatTime } from '../words.ts'
import type { ReviewItem } from './review-item.ts'

interface OpinionsProps {
  readonly item: ReviewItem
  readonly turn: number
  /** All citations of all judges, in the order in which they are numbered here: the timeline shows them. */
  readonly onCitations: (citations: readonly CheckedCitation[]) => void
}

/** The grades and reviews of a question; the page has them once labels may be shown. */
export function Opinions({ item, turn, onCitations }: OpinionsProps) {
  const panel = useLoad('listPanel', { path: { id: item.gradeId } })
  const reviews = useLoad('listReviews', {
    query: { question: item.question, rubric: rubricId(item.rubric), limit: 200 },
  })
  const { reload } = reviews
  const own = rubricId(item.rubric)
  const all = panel.value?.items
  const grades = useMemo(() => (all ?? []).filter(({ receipt }) => rubricId(receipt.rubric) === own), [all, own])
  const citations = useMemo(() => grades.flatMap((grade) => grade.citations), [grades])
  useEffect(() => onCitations(citations), [citations, onCitations])
  useEffect(() => reload(), [turn, reload])
  return (
    <section class="opinions" aria-label="What the judges say">
      <h3>What the judges say</h3>
      <LoadView load={panel} what="the judges’ grades">
        {() => (
          <PanelTable grades={grades} hrefOf={(_, citation) => `#${citationAnchor(citations.indexOf(citation))}`} />
        )}
      </LoadView>
      <h3>What humans say</h3>
      <LoadView load={reviews} what="the reviews">
        {({ items }) => <Humans reviews={items} rubric={own} />}
      </LoadView>
    </section>
  )
}

function Humans({ reviews, rubric }: { readonly reviews: readonly Review[]; readonly rubric: string }) {
  if (reviews.length === 0) return <p class="aside">Nobody has reviewed it.</p>
  return (
    <ul class="humans">
      {reviews.map((review) => (
        <li key={review.id}>
          <HostileText text={review.rater} />:{' '}
          {review.label === null ? (
            <strong>cannot be told</strong>
          ) : (
            <LabelBadge label={review.label} rubric={rubric} />
          )}{' '}
          <span class="aside">
            {[review.provenance ?? 'human', review.blind ? 'blind' : 'not blind', ''].join(', ')}
            <time dateTime={review.created_at}>{formatTime(review.created_at)}</time>
          </span>
          {review.comment !== '' && (
            <p>
              <HostileText text={review.comment} />
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
