import { useEffect } from 'preact/hooks'
import { useLoad, withQuery } from '../api.ts'
import { type ItemNames, SharedGrades, useItemNames } from '../batches/use-batch.tsx'
import { SaveGradeButton } from '../export/save-grade-button.tsx'
import { isUnnamed, trialOf } from '../grades/columns.tsx'
import { hrefInView, recallView, type ViewName, viewQuery } from '../grades/view.ts'
import { navigate, usePlace } from '../location.ts'
import { markSeen } from '../review/review-item.ts'
import type { PageProps } from '../routes.tsx'
import { HostileCode, HostileText } from '../text/hostile-text.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import type { Grade } from '../types.ts'
import { useShortcuts } from '../ui/keyboard.ts'
import { StepButton } from '../ui/pager.tsx'
import { LoadView, Outcome, Section } from '../ui/parts.tsx'
import { formatCount } from '../words.ts'
import { Claims } from './claims.tsx'
import { GroundTruthView } from './ground-truth.tsx'
import { PanelView } from './panel.tsx'
import { Attempts, ReceiptView } from './receipt.tsx'
import { Objections, Verdict, Warnings } from './verdict.tsx'

/** A grade: the verdict beside its evidence, the other grades of the question, the receipt and the calls. */
export function GradePage({ id }: PageProps) {
  const load = useLoad('getGrade', { path: { id } })
  const items = useItemNames(usePlace().query.get('batch'), load.value !== null && isUnnamed(load.value))
  return (
    <>
      <h1>{load.value ? <Title grade={load.value} items={items} /> : 'Grade'}</h1>
      <p class="aside grade-id">
        Grade <HostileCode text={id} />
      </p>
      <Neighbours id={id} />
      <LoadView load={load} what="the grade" list={{ href: '/audit/grades', name: 'All grades' }}>
        {(grade) => <GradeView grade={grade} items={items} />}
      </LoadView>
    </>
  )
}

interface GradeProps {
  readonly grade: Grade
  readonly items: ItemNames | null
}

function Title({ grade, items }: GradeProps) {
  const { task = '' } = grade.metadata
  const trial = trialOf(grade, items)
  const isNamed = `${trial}/`.replace('__', '/').startsWith(task && `${task}/`)
  return (
    <>
      <HostileText text={isNamed ? trial : `${task} · ${trial}`} />{' '}
      <Outcome grade={grade} rubric={grade.receipt.rubric} />
    </>
  )
}

function GradeView({ grade, items }: GradeProps) {
  const { trajectory: question, ground_truth } = grade.receipt
  // A reader of the label is no longer blind for a review.
  useEffect(() => markSeen([`${question}/${ground_truth}`]), [question, ground_truth])
  const path = { id: grade.id }
  const trajectory = useLoad('getTrajectory', { path: { id: grade.receipt.trajectory } })
  const truth = useLoad('getGroundTruth', { path })
  const panel = useLoad('listPanel', { path })
  const attempts = useLoad('listAttempts', { path })
  return (
    <>
      <div class="grade">
        <div class="grade-side">
          <Verdict grade={grade}>
            <LoadView load={truth} what="the ground truth">
              {(value) => <GroundTruthView truth={value} rubric={grade.receipt.rubric} />}
            </LoadView>
          </Verdict>
          <SharedGrades grade={grade.id} items={items} />
          <p>
            <SaveGradeButton grade={grade} />{' '}
            <a href={`/audit/grades/${encodeURIComponent(grade.id)}/review`}>Review it</a>
          </p>
          <Claims grade={grade} />
          <Objections grade={grade} />
          <Warnings receipt={grade.receipt} />
        </div>
        <Section id="trajectory" class="grade-timeline" title="Trajectory">
          <LoadView load={trajectory} what="the trajectory">
            {(summary) => <Timeline summary={summary} citations={grade.citations} fromEvidence />}
          </LoadView>
        </Section>
      </div>
      <Section id="panel" title="Judges side by side">
        <LoadView load={panel} what="the other grades">
          {(value) => <PanelView grade={grade} panel={value} />}
        </LoadView>
      </Section>
      <ReceiptView receipt={grade.receipt} metadata={grade.metadata} />
      <Section id="attempts" title="Attempts">
        <LoadView load={attempts} what="the attempts">
          {({ items }) => <Attempts attempts={items} grade={grade.id} />}
        </LoadView>
      </Section>
    </>
  )
}

/** The place of a grade in the list from which it was opened in this browser, and the way to its neighbours. */
function Neighbours({ id }: { readonly id: string }) {
  const { query } = usePlace()
  const view = query.get('view') === 'batch' ? 'batch' : 'grades'
  const ids = recallView(view, query)
  const at = ids.indexOf(id)
  const go = (by: number) => () => navigate(hrefInView(view, query, ids[at + by] ?? id))
  useShortcuts(
    at === -1
      ? []
      : [
          { key: 'J', what: 'next grade of the list', run: go(at < ids.length - 1 ? 1 : 0) },
          { key: 'K', what: 'grade before', run: go(at > 0 ? -1 : 0) },
        ],
  )
  if (!query.has('view')) return null
  return (
    <nav class="pager neighbours" aria-label="Grades of the list">
      <a href={hrefOfList(view, query)}>{view === 'batch' ? 'The batch' : 'The list'}</a>
      {at !== -1 && (
        <>
          <StepButton go={at === 0 ? null : go(-1)}>Previous grade</StepButton>
          <span role="status">
            {formatCount(at + 1)} of {formatCount(ids.length)}
          </span>
          <StepButton go={at === ids.length - 1 ? null : go(1)}>Next grade</StepButton>
        </>
      )}
    </nav>
  )
}

function hrefOfList(view: ViewName, query: URLSearchParams): string {
  const { batch = '', ...own } = Object.fromEntries(viewQuery(query))
  return view === 'batch'
    ? withQuery(`/audit/batches/${encodeURIComponent(batch)}`, own)
    : withQuery('/audit/grades', { batch, ...own })
}
