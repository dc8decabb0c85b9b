import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { queryOf, withQuery } from '../api.ts'
import type { GradeOverview } from '../api-types.ts'
import type { Disagreement } from '../audit-types.ts'
import { KIND_WORDS } from '../audit-words.ts'
import { type ItemNames, useItemNames } from '../batches/answers.tsx'
import { trialName } from '../grades/trial-name.ts'
import { setQuery, usePlace } from '../location.ts'
import { placeOfDisagreement } from '../review/review-item.ts'
import { markSeen } from '../review/seen.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { Empty, FIRST_COMMAND } from '../ui/empty.tsx'
import { Filters, readFilters } from '../ui/filters.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { NameOrNone, None } from '../ui/none.tsx'
import { Pager } from '../ui/pager.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useLoad } from '../use-load.ts'
import { useNames, withNames } from '../use-names.ts'
import { formatCount } from '../words.ts'
import { Why } from './masked-why.tsx'
import { QUEUE_FILTERS } from './queue-filters.ts'

/** Questions on which not all agree, the most telling first. */
export function DisagreementsPage(): JSX.Element {
  const { query } = usePlace()
  const cursor = query.get('cursor')
  const open = query.get('labels') === 'shown'
  const chosen = readFilters(QUEUE_FILTERS, query)
  const overview = useLoad('overviewGrades', {})
  const names = useNames(overview.value)
  const called = useItemNames(query.get('batch') ?? names.batch?.[0]?.value ?? null)
  const load = useLoad('listDisagreements', {
    query: queryOf<'listDisagreements'>({ ...chosen, cursor, limit: 100 }),
  })
  return (
    <>
      <h1>Disagreements</h1>
      <Filters filters={withNames(QUEUE_FILTERS, names)} query={query} />
      <LoadView load={load} what="the queue">
        {({ items, next_cursor }) => (
          <>
            {items.length > 0 && (
              <Head items={items} more={next_cursor !== null} open={open} review={withQuery(REVIEW, chosen)} />
            )}
            <Table
              caption="Disagreements, the most telling first"
              columns={columnsOf(open, called)}
              items={items}
              keyOf={placeOfDisagreement}
              hrefOf={(one) => withQuery(REVIEW, { ...chosen, at: placeOfDisagreement(one) })}
              empty={<NoDisagreement filtered={Object.keys(chosen).length > 0} overview={overview.value} />}
            />
            <Pager cursor={cursor} next={next_cursor} />
          </>
        )}
      </LoadView>
    </>
  )
}

/** Why nobody disagrees: nothing is asked yet, only one judge was asked, or all are of one mind. */
function NoDisagreement(props: { readonly filtered: boolean; readonly overview: GradeOverview | null }): JSX.Element {
  const { filtered, overview } = props
  if (filtered) return <Empty>Nobody disagrees about anything that fits these filters.</Empty>
  if (overview?.total === 0) return <Empty command={FIRST_COMMAND}>Nothing is graded yet.</Empty>
  if (overview?.names.judge.length === 1)
    return <Empty command="regrade --batch BATCH --judge JUDGE">Only one judge was asked. This asks another one:</Empty>
  return <Empty>Nobody disagrees.</Empty>
}

const REVIEW = '/audit/disagreements/review'
const questionOf = ({ trajectory, ground_truth }: Disagreement) => `${trajectory}/${ground_truth}`

function Head(props: {
  readonly items: readonly Disagreement[]
  readonly more: boolean
  readonly open: boolean
  readonly review: string
}): JSX.Element {
  const { items, more, open, review } = props
  const settled = items.filter((one) => one.settled).length
  useEffect(() => {
    if (open) markSeen(items.map(questionOf))
  }, [open, items])
  return (
    <>
      <p class="counts" role="status">
        <strong>
          {formatCount(settled)} of {formatCount(items.length)} settled{more ? ' on this page, more follow' : ''}
        </strong>
        <a href={review}>Review them one by one, blind</a>
      </p>
      <p class="aside">
        {open
          ? 'Labels are shown: reviews of what stands here are stored as not blind.'
          : 'Labels, what claims say, and votes are hidden (▒▒▒), so that a review can be blind.'}{' '}
        <button type="button" onClick={() => setQuery({ labels: open ? null : 'shown' })}>
          {open ? 'Hide labels' : 'Show labels'}
        </button>
      </p>
    </>
  )
}

/** The claims of which two say different things, by the ids that `Differ in claim` takes; what they say is hidden until labels are shown. */
const ClaimNames = ({ claims }: { readonly claims: readonly string[] }) =>
  claims.length === 0 ? (
    <None>no claim</None>
  ) : (
    <ul class="plain">
      {claims.map((claim) => (
        <li key={claim}>
          <HostileText text={claim} />
        </li>
      ))}
    </ul>
  )

/** What has no task is called as the chosen batch calls it, or the newest one. */
const nameOf = ({ task, trajectory, grades }: Disagreement, items: ItemNames | null): string =>
  task || trialName({}, trajectory, grades.flatMap((grade) => items?.get(grade.grade_id) ?? [])[0])

const columnsOf = (open: boolean, items: ItemNames | null): readonly Column<Disagreement>[] => [
  { title: 'Task', cell: (one) => <HostileText text={nameOf(one, items)} /> },
  {
    title: 'Kinds',
    cell: ({ kinds }) =>
      kinds.map((kind) => (
        <span key={kind} class="line">
          {KIND_WORDS[kind]}
        </span>
      )),
  },
  { title: 'Differ in', cell: ({ claims }) => <ClaimNames claims={claims.map(({ claim }) => claim)} /> },
  { title: 'Why', cell: (one) => <Why of={one} open={open} /> },
  ...(open ? [{ title: 'Score', number: true, cell: ({ score }: Disagreement) => score.toFixed(1) }] : []),
  { title: 'Agent', cell: ({ agent }) => <NameOrNone name={agent} /> },
  { title: 'Model', cell: ({ model }) => <NameOrNone name={model} /> },
  { title: 'Reviews', number: true, cell: ({ reviews }) => formatCount(reviews.length) },
  { title: 'Settled', cell: ({ settled }) => (settled ? 'settled' : <span class="aside">not settled</span>) },
]
