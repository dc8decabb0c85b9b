import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PageProps } from '../routes.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { useLoad } from '../use-load.ts'
import { itemOfGrade } from './review-item.ts'
import { ReviewView } from './review-view.tsx'

/** The question of one grade, to be reviewed by itself. */
export function GradeReviewPage({ id }: PageProps): JSX.Element {
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
