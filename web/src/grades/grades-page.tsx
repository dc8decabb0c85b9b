import { useContext, useMemo } from 'preact/hooks'
import { queryOf, useLoad } from '../api.ts'
import { AnswersOfBatch, type ItemNames, useItemNames } from '../batches/use-batch.tsx'
import { setQuery, usePlace } from '../location.ts'
import { onlyRubric, Rubrics } from '../rubrics.ts'
import type { Grade, GradeOverview } from '../types.ts'
import { Filters, labelsToChoose, readFilters, useNames, withLabels, withNames } from '../ui/filters.tsx'
import { NumberPager, readPage, rowsOfPage } from '../ui/pager.tsx'
import { Empty, FIRST_COMMAND, LabelBadge, StatusBadge, Trouble } from '../ui/parts.tsx'
import { sortItems, Table } from '../ui/table.tsx'
import { formatCount, plural, STATUSES } from '../words.ts'
import { GRADE_FILTERS, headOfTrial, trialColumns } from './columns.tsx'
import { type GradeWindow, hrefInView, rememberView, useGradeWindow } from './view.ts'

/** All grades, newest first or as their reader sorts them, with filters. */
export function GradesPage() {
  const { query } = usePlace()
  const filters = readFilters(GRADE_FILTERS, query)
  const overview = useLoad('overviewGrades', { query: queryOf<'overviewGrades'>(filters) })
  const window = useGradeWindow({ ...filters, cursor: query.get('cursor') })
  const names = useNames(overview.value)
  const items = useItemNames(query.get('batch'))
  const rubric = query.get('rubric')
  const rubrics = rubric ? [rubric] : (names.rubric ?? [])
  const labels = labelsToChoose(useContext(Rubrics), rubrics, overview.value?.labels ?? {})
  return (
    <>
      <h1>Grades</h1>
      <Filters filters={withLabels(withNames(GRADE_FILTERS, names), labels)} query={query} />
      {overview.value && <OutcomeCounts overview={overview.value} listed={window.grades} rubrics={rubrics} />}
      <AnswersOfBatch items={items} />
      <Grades query={query} window={window} items={items} />
    </>
  )
}

const NoGrades = ({ filtered }: { readonly filtered: boolean }) =>
  filtered ? (
    <Empty>No grade fits these filters: clear some of them.</Empty>
  ) : (
    <Empty command={FIRST_COMMAND}>
      Nothing is graded yet. This grades the bundled examples; any folder of trajectories may stand in their place.
    </Empty>
  )

interface GradesProps {
  readonly query: URLSearchParams
  readonly window: GradeWindow
  readonly items: ItemNames | null
}

function Grades({ query, window: { grades, complete, next, error }, items }: GradesProps) {
  const cursor = query.get('cursor')
  const sort = query.get('sort')
  const several = new Set(grades.map(({ receipt }) => receipt.rubric)).size > 1
  const columns = useMemo(() => trialColumns(items, several), [items, several])
  const sorted = useMemo(() => sortItems(grades, columns, query), [grades, columns, sort])
  const page = readPage(query)
  if (complete) rememberView('grades', query, sorted)
  if (error !== null) return <Trouble what="the grades" message={error.message} />
  if (grades.length === 0)
    return complete ? (
      <NoGrades filtered={Object.keys(readFilters(GRADE_FILTERS, query)).length > 0} />
    ) : (
      <p class="waiting">Loading the grades…</p>
    )
  return (
    <>
      {(next !== null || cursor !== null || !complete) && (
        <p class="aside">
          {complete ? 'Sorted and shown are' : 'Loading: here are'} {formatCount(grades.length)} of them
          {complete && ', the newest from here on; filters narrow the rest'}.
        </p>
      )}
      <Table
        caption="Grades by trial"
        columns={columns}
        items={rowsOfPage(sorted, page)}
        keyOf={(grade: Grade) => grade.id}
        headOf={headOfTrial}
        hrefOf={({ id }) => hrefInView('grades', query, id)}
        empty="This page is behind the last one."
      />
      <NumberPager page={page} count={sorted.length} />
      <WindowPager cursor={cursor} next={next} />
    </>
  )
}

/** Beyond what a page holds. */
function WindowPager({ cursor, next }: { readonly cursor: string | null; readonly next: string | null }) {
  if (cursor === null && next === null) return null
  return (
    <nav class="pager" aria-label="Newer and older grades">
      <button type="button" disabled={cursor === null} onClick={() => setQuery({ cursor: null, page: null })}>
        Newest grades
      </button>
      <button type="button" disabled={next === null} onClick={() => setQuery({ cursor: next, page: null })}>
        Older grades
      </button>
    </nav>
  )
}

interface CountsProps {
  readonly overview: GradeOverview
  readonly listed: readonly Grade[]
  /** The names of those that may be counted. */
  readonly rubrics: readonly string[]
}

/** How many grades fit, by how they came out. */
export function OutcomeCounts({ overview, listed, rubrics }: CountsProps) {
  const { total, complete, labels, statuses } = overview
  const rubric = onlyRubric(listed.length === total ? listed.map(({ receipt }) => receipt.rubric) : rubrics)
  const counts = [
    ...Object.entries<number>(labels).map(([label, count]) => ({
      count,
      badge: <LabelBadge label={label} rubric={rubric} />,
    })),
    ...STATUSES.filter((status) => status !== 'graded').map((status) => ({
      count: statuses[status],
      badge: <StatusBadge status={status} />,
    })),
  ]
  return (
    <p class="counts" role="status">
      <strong>
        {plural(total, 'grade')}
        {!complete && ' or more'}
      </strong>
      {counts.map(({ count, badge }, index) =>
        count === 0 ? null : (
          <span key={index}>
            {badge} {formatCount(count)}
          </span>
        ),
      )}
    </p>
  )
}
