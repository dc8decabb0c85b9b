import { useEffect } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { AnswersItems, type ItemNames, useItemNames } from '../batches/use-batch.tsx'
import { SaveGradeButton } from '../export/save-grade-button.tsx'
import { trialOf } from '../grades/columns.tsx'
import { usePlace } from '../location.ts'
import { markSeen } from '../review/review-item.ts'
import type { PageProps } from '../routes.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import type { Grade } from '../types.ts'
import { LoadView, Outcome } from '../ui/parts.tsx'
import { Claims } from './claims.tsx'
import { GroundTruthView } from './ground-truth.tsx'
import { Neighbours } from './neighbours.tsx'
import { Panel } from './panel.tsx'
import { Attempts, ReceiptView } from './receipt.tsx'
import { Objections, Verdict, Votes, Warnings } from './verdict.tsx'

/** One grade: the verdict beside its evidence, and everything that made it. */
export function GradePage({ id }: PageProps) {
  const load = useLoad('getGrade', { path: { id } })
  const batch = usePlace().query.get('batch')
  const items = useItemNames(batch)
  return (
    <>
      <h1>{load.value ? <Title grade={load.value} items={items} /> : 'Grade'}</h1>
      <p class="aside grade-id">
        Grade{' '}
        <code>
          <HostileText text={id} />
        </code>
      </p>
      <Neighbours id={id} items={items} />
      <LoadView load={load} what="the grade" list={{ href: '/audit/grades', name: 'All grades' }}>
        {(grade) => <GradeView grade={grade} batch={batch} items={items} />}
      </LoadView>
    </>
  )
}

interface GradeProps {
  readonly grade: Grade
  readonly items: ItemNames | null
}

const Title = ({ grade, items }: GradeProps) => (
  <>
    <HostileText text={[grade.metadata.task ?? [], trialOf(grade, items)].flat().join(' · ')} />{' '}
    <Outcome grade={grade} rubric={grade.receipt.rubric} />
  </>
)

function GradeView({ grade, batch, items }: GradeProps & { readonly batch: string | null }) {
  const { trajectory: question, ground_truth } = grade.receipt
  // Whoever has read its label here reviews it no longer blind.
  useEffect(() => markSeen([`${question}/${ground_truth}`]), [question, ground_truth])
  const path = { id: grade.id }
  const trajectory = useLoad('getTrajectory', { path: { id: grade.receipt.trajectory } })
  const truth = useLoad('getGroundTruth', { path })
  const panel = useLoad('listPanel', { path })
  return (
    <>
      <div class="grade">
        <div class="grade-side">
          <Verdict grade={grade} />
          <AnswersItems grade={grade.id} batch={batch} items={items} />
          <p>
            <SaveGradeButton grade={grade} />{' '}
            <a href={`/audit/grades/${encodeURIComponent(grade.id)}/review`}>Review it</a>
          </p>
          <Claims grade={grade} />
          <Objections grade={grade} />
          <Warnings receipt={grade.receipt} />
          <Votes grade={grade} />
          <section aria-labelledby="truth">
            <h2 id="truth">Ground truth</h2>
            <LoadView load={truth} what="the ground truth">
              {(value) => <GroundTruthView truth={value} rubric={grade.receipt.rubric} />}
            </LoadView>
          </section>
        </div>
        <section class="grade-timeline" aria-labelledby="trajectory">
          <h2 id="trajectory">Trajectory</h2>
          <LoadView load={trajectory} what="the trajectory">
            {(summary) => <Timeline summary={summary} citations={grade.citations} />}
          </LoadView>
        </section>
      </div>
      <section aria-labelledby="panel">
        <h2 id="panel">Judges side by side</h2>
        <LoadView load={panel} what="the other grades">
          {({ items }) => <Panel grade={grade} standing={items} />}
        </LoadView>
      </section>
      <ReceiptView receipt={grade.receipt} metadata={grade.metadata} />
      <AttemptSection id={grade.id} />
    </>
  )
}

function AttemptSection({ id }: { readonly id: string }) {
  const load = useLoad('listAttempts', { path: { id } })
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      <LoadView load={load} what="the attempts">
        {({ items }) => <Attempts attempts={items} grade={id} />}
      </LoadView>
    </section>
  )
}
