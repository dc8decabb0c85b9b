import { useContext, useMemo } from 'preact/hooks'
import { queryOf, useLoad } from '../api.ts'
import { type ItemNames, SharedGrades, useItemNames } from '../batches/use-batch.tsx'
import { usePlace } from '../location.ts'
import { onlyRubric, Rubrics } from '../rubrics.ts'
import type { Grade } from '../types.ts'
import { Filters, labelsToChoose, readFilters, useNames, withLabels, withNames } from '../ui/filters.tsx'
import { NumberPager, Pager, readPage, rowsOfPage } from '../ui/pager.tsx'
import { LoadView, Nothing, OutcomeCounts } from '../ui/parts.tsx'
import { sortItems, Table } from '../ui/table.tsx'
import { formatCount, plural } from '../words.ts'
import { GRADE_FILTERS, headOfTrial, isUnnamed, trialColumns } from './columns.tsx'
import { type GradeWindow, hrefInView, rememberView, useGradeWindow } from './view.ts'

/** All grades, newest first or sorted by their reader, with filters. */
export function GradesPage() {
  const { query } = usePlace()
  const filters = readFilters(GRADE_FILTERS, query)
  const overview = useLoad('overviewGrades', { query: queryOf<'overviewGrades'>(filters) })
  const load = useGradeWindow({ ...filters, cursor: query.get('cursor') })
  const names = useNames(overview.value)
  const rubric = query.get('rubric')
  const rubrics = rubric ? [rubric] : (names.rubric ?? [])
  const listed = load.value?.grades ?? []
  const items = useItemNames(query.get('batch'), listed.some(isUnnamed))
  const counted = listed.length === overview.value?.total ? listed.map(({ receipt }) => receipt.rubric) : rubrics
  const labels = labelsToChoose(useContext(Rubrics), rubrics, overview.value?.labels ?? {})
  return (
    <>
      <h1>Grades</h1>
      <Filters filters={withLabels(withNames(GRADE_FILTERS, names), labels)} query={query} />
      {overview.value && (
        <OutcomeCounts labels={overview.value.labels} ends={overview.value.statuses} rubric={onlyRubric(counted)}>
          <strong>{`${plural(overview.value.total, 'grade')}${overview.value.complete ? '' : ' or more'}`}</strong>
        </OutcomeCounts>
      )}
      <SharedGrades items={items} />
      <LoadView load={load} what="the grades">
        {(window) => <Grades query={query} window={window} items={items} />}
      </LoadView>
    </>
  )
}

interface GradesProps {
  readonly query: URLSearchParams
  readonly window: GradeWindow
  readonly items: ItemNames | null
}

function Grades({ query, window: { grades, complete, next }, items }: GradesProps) {
  const cursor = query.get('cursor')
  const sort = query.get('sort')
  const several = new Set(grades.map(({ receipt }) => receipt.rubric)).size > 1
  const columns = useMemo(() => trialColumns(items, several), [items, several])
  const sorted = useMemo(() => sortItems(grades, columns, query), [grades, columns, sort])
  const page = readPage(query)
  if (complete) rememberView('grades', query, sorted)
  if (grades.length === 0)
    return (
      <Nothing
        filtered={Object.keys(readFilters(GRADE_FILTERS, query)).length > 0}
        fits="No grade fits these filters: clear some of them."
        yet="Nothing is graded yet. This grades the bundled examples; any folder of trajectories may stand in their place."
      />
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
        sorted
        headOf={headOfTrial}
        hrefOf={({ id }) => hrefInView('grades', query, id)}
        empty="This page is behind the last one."
      />
      <NumberPager page={page} count={sorted.length} />
      <Pager cursor={cursor} next={complete ? next : null} words={['Newest grades', 'Newer grades', 'Older grades']} />
    </>
  )
}
