import { useEffect, useMemo } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { SaveGradeButton } from '../export/save-grade-button.tsx'
import { rubricId } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { citationAnchor } from '../timeline/marks.ts'
import type { CheckedCitation, Grade, Review } from '../types.ts'
import { CitationBadge, Facts, LabelBadge, LoadView, Outcome } from '../ui/parts.tsx'
import { claimWords, confidenceWord, formatTime, spaced } from '../words.ts'
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
        {() => <Judges grades={grades} />}
      </LoadView>
      <h3>What humans say</h3>
      <LoadView load={reviews} what="the reviews">
        {({ items }) => <Humans reviews={items} rubric={own} />}
      </LoadView>
    </section>
  )
}

function Judges({ grades }: { readonly grades: readonly Grade[] }) {
  const firsts = grades.map((_, index) =>
    grades.slice(0, index).reduce((sum, grade) => sum + grade.citations.length, 0),
  )
  return (
    <div class="judges">
      {grades.map((grade, index) => (
        <JudgeOpinion key={grade.id} grade={grade} first={firsts[index] ?? 0} />
      ))}
    </div>
  )
}

function JudgeOpinion({ grade, first }: { readonly grade: Grade; readonly first: number }) {
  const { receipt, confidence, votes, contradictions, citations } = grade
  return (
    <article class="judge">
      <h4>
        <HostileText text={receipt.judge} /> <span class="aside">{receipt.rubric}</span>
      </h4>
      <p>
        <Outcome grade={grade} rubric={receipt.rubric} />
      </p>
      <Facts
        facts={[
          ['Confidence', confidenceWord(grade.label, confidence.reported)],
          ['Votes', votes.length > 0 && votes.map(({ label, status }) => (label ? spaced(label) : status)).join(', ')],
          [
            'Contradicted',
            contradictions.length > 0 && <HostileText text={contradictions.map(({ detail }) => detail).join('; ')} />,
          ],
        ]}
      />
      <ol class="cited" start={first + 1}>
        {citations.map((citation, index) => (
          <li key={index}>
            <a href={`#${citationAnchor(first + index)}`} class="jump-to">
              {claimWords(citation.supports)}, step {citation.step_id}
            </a>{' '}
            <CitationBadge status={citation.status} />
            <q>
              <HostileText text={citation.quote.slice(0, 200)} />
              {citation.quote.length > 200 && '…'}
            </q>
          </li>
        ))}
      </ol>
      {grade.notes !== '' && (
        <p class="aside">
          <HostileText text={grade.notes} />
        </p>
      )}
      <p>
        <a href={`/audit/grades/${encodeURIComponent(grade.id)}`}>The whole grade</a>
      </p>
      <SaveGradeButton grade={grade} />
    </article>
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
            {review.blind ? 'blind' : 'not blind'},{' '}
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
