import { useEffect, useMemo } from 'preact/hooks'
import { useLoad, withQuery } from '../api.ts'
import { fittingResults, gradesOf } from '../batches/results.tsx'
import { AnswersItems, type ItemNames, useEndedItems, useItemNames } from '../batches/use-batch.tsx'
import { SaveGradeButton } from '../export/save-grade-button.tsx'
import { GRADE_FILTERS, trialColumns, trialOf } from '../grades/columns.tsx'
import { hrefInView, recallView, useGradeWindow, type ViewName, viewQuery } from '../grades/view.ts'
import { navigate, usePlace } from '../location.ts'
import { markSeen } from '../review/review-item.ts'
import type { PageProps } from '../routes.tsx'
import { HostileCode, HostileText } from '../text/hostile-text.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import type { Grade } from '../types.ts'
import { readFilters } from '../ui/filters.tsx'
import { useShortcuts } from '../ui/keyboard.ts'
import { StepButton } from '../ui/pager.tsx'
import { LoadView, Outcome, Section } from '../ui/parts.tsx'
import { sortItems } from '../ui/table.tsx'
import { formatCount } from '../words.ts'
import { Claims } from './claims.tsx'
import { GroundTruthView } from './ground-truth.tsx'
import { PanelView } from './panel.tsx'
import { Attempts, ReceiptView } from './receipt.tsx'
import { Objections, Verdict, Votes, Warnings } from './verdict.tsx'

/** A grade: the verdict beside its evidence, the other grades of the question, the receipt and the calls. */
export function GradePage({ id }: PageProps) {
  const load = useLoad('getGrade', { path: { id } })
  const batch = usePlace().query.get('batch')
  const items = useItemNames(batch)
  return (
    <>
      <h1>{load.value ? <Title grade={load.value} items={items} /> : 'Grade'}</h1>
      <p class="aside grade-id">
        Grade <HostileCode text={id} />
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
          <Section id="truth" title="Ground truth">
            <LoadView load={truth} what="the ground truth">
              {(value) => <GroundTruthView truth={value} rubric={grade.receipt.rubric} />}
            </LoadView>
          </Section>
        </div>
        <Section id="trajectory" class="grade-timeline" title="Trajectory">
          <LoadView load={trajectory} what="the trajectory">
            {(summary) => <Timeline summary={summary} citations={grade.citations} />}
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

/** The place of a grade in the list from which it was opened, and the way to its neighbours. */
function Neighbours({ id, items }: { readonly id: string; readonly items: ItemNames | null }) {
  const { query } = usePlace()
  const view = query.get('view')
  if (view === 'grades') return <InGrades id={id} query={query} items={items} />
  return view === 'batch' && query.has('batch') ? <InBatch id={id} query={query} /> : null
}

interface InListProps {
  readonly id: string
  readonly query: URLSearchParams
}

function InGrades({ id, query, items }: InListProps & { readonly items: ItemNames | null }) {
  const recalled = recallView('grades', query)
  const filters = { ...readFilters(GRADE_FILTERS, query), cursor: query.get('cursor') }
  const load = useGradeWindow(recalled === null ? filters : null)
  const loaded = useMemo(() => {
    if (load.state !== 'ready') return load.state === 'failed' ? [] : null
    return sortItems(load.value.grades, trialColumns(items, true), query).map((grade) => grade.id)
  }, [load, query, items])
  return <Beside id={id} view="grades" query={query} ids={recalled ?? loaded} list={withList('/audit/grades', query)} />
}

function InBatch({ id, query }: InListProps) {
  const recalled = recallView('batch', query)
  const batch = query.get('batch') ?? ''
  const ended = useEndedItems(recalled === null ? batch : null)
  const loaded = useMemo(
    () => ended && gradesOf(fittingResults(ended, query)).map((grade) => grade.id),
    [ended, query.toString()],
  )
  const own = new URLSearchParams(query)
  own.delete('batch')
  const list = withList(`/audit/batches/${encodeURIComponent(batch)}`, own)
  return <Beside id={id} view="batch" query={query} ids={recalled ?? loaded} list={list} />
}

const withList = (path: string, query: URLSearchParams) => withQuery(path, Object.fromEntries(viewQuery(query)))

interface BesideProps extends InListProps {
  readonly view: ViewName
  /** Null: not loaded yet. */
  readonly ids: readonly string[] | null
  readonly list: string
}

function Beside({ id, view, query, ids, list }: BesideProps) {
  const at = ids?.indexOf(id) ?? -1
  const go = (by: number) => {
    const next = at === -1 ? undefined : ids?.[at + by]
    if (next !== undefined) navigate(hrefInView(view, query, next))
  }
  useShortcuts([
    { key: 'J', what: 'next grade of the list', run: () => go(1) },
    { key: 'K', what: 'grade before', run: () => go(-1) },
  ])
  return (
    <nav class="pager neighbours" aria-label="Grades of the list">
      <a href={list}>{view === 'batch' ? 'The batch' : 'The list'}</a>
      <StepButton go={at <= 0 ? null : () => go(-1)}>Previous grade</StepButton>
      <span role="status">{placeWords(ids, at)}</span>
      <StepButton go={ids === null || at === -1 || at === ids.length - 1 ? null : () => go(1)}>Next grade</StepButton>
    </nav>
  )
}

function placeWords(ids: readonly string[] | null, at: number): string {
  if (ids === null) return 'Loading the list…'
  return at === -1 ? 'not found in the list' : `${formatCount(at + 1)} of ${formatCount(ids.length)}`
}
