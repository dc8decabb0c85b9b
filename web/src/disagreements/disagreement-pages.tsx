import { useContext, useEffect, useMemo } from 'preact/hooks'
import { queryOf, useAll, useLoad, withQuery } from '../api.ts'
import { Why } from '../batches/results.tsx'
import { type ItemNames, useItemNames } from '../batches/use-batch.tsx'
import { trialName } from '../grades/columns.tsx'
import { setQuery, usePlace } from '../location.ts'
import { itemOfDisagreement, markSeen, placeOfQuestion } from '../review/review-item.ts'
import { ReviewView } from '../review/review-view.tsx'
import { findRubric, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Disagreement, GradeOverview } from '../types.ts'
import { type Filter, Filters, readFilters, textFilters, useNames, withNames } from '../ui/filters.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, FIRST_COMMAND, LoadView, None } from '../ui/parts.tsx'
import { type Column, countColumn, nameColumn, Table } from '../ui/table.tsx'
import { formatCount, KIND_WORDS, LABELS, withoutCodes } from '../words.ts'

/** The queue of the questions on which judges, harness or humans disagree, the most telling first. */
export function DisagreementsPage() {
  const { query } = usePlace()
  const cursor = query.get('cursor')
  const open = query.get('labels') === 'shown'
  const chosen = readFilters(QUEUE_FILTERS, query)
  const overview = useLoad('overviewGrades', {})
  const names = useNames(overview.value)
  const called = useItemNames(query.get('batch'), true)
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
              keyOf={placeOfQuestion}
              hrefOf={(item) => withQuery(REVIEW, { ...chosen, at: placeOfQuestion(item) })}
              empty={<NoDisagreement filtered={Object.keys(chosen).length > 0} overview={overview.value} />}
            />
            <Pager cursor={cursor} next={next_cursor} />
          </>
        )}
      </LoadView>
    </>
  )
}

/** Says why the queue is empty: no grade yet, a single judge, or agreement. */
function NoDisagreement(props: { readonly filtered: boolean; readonly overview: GradeOverview | null }) {
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
}) {
  const { items, more, open, review } = props
  const settled = items.filter((item) => item.settled).length
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

/** The claims with different answers, by the ids of the filter `Differ in claim`: first those that decide labels, which `deciding claims apart` counts. */
function ClaimNames({ of: { claims, rubric = '' } }: { readonly of: Disagreement }) {
  const labels = findRubric(useContext(Rubrics), rubric)?.labels ?? []
  const decides = (claim: string) => labels.some((label) => Object.hasOwn(label.claims, claim))
  const [deciding = [], others = []] = [true, false].map((wanted) =>
    claims.map(({ claim }) => claim).filter((claim) => decides(claim) === wanted),
  )
  if (claims.length === 0) return <None>no claim</None>
  return (
    <>
      {deciding.map((claim) => (
        <span key={claim} class="line">
          <HostileText text={claim} />
        </span>
      ))}
      {others.length > 0 && (
        <span class="aside">
          {deciding.length > 0 ? 'and, without a part in the label, ' : 'only without a part in the label: '}
          <HostileText text={others.join(', ')} />
        </span>
      )}
    </>
  )
}

/** Names a question by its task, and its item of the chosen or a newest batch or its trial. */
function nameOf({ task, trial, trajectory, grades }: Disagreement, items: ItemNames | null): string {
  const [item = trial ?? ''] = grades.flatMap((grade) => items?.get(grade.grade_id) ?? [])
  const names = [task && !item.includes(task) ? task : '', item]
  return names.filter((name) => name !== '').join(' · ') || trialName({}, trajectory)
}

const columnsOf = (open: boolean, items: ItemNames | null): readonly Column<Disagreement>[] => [
  nameColumn('Trial', (item) => nameOf(item, items)),
  {
    title: 'Kinds',
    cell: ({ kinds }) =>
      kinds.map((kind) => (
        <span key={kind} class="line">
          {KIND_WORDS[kind]}
        </span>
      )),
  },
  { title: 'Differ in', cell: (item) => <ClaimNames of={item} /> },
  { title: 'Why', cell: (item) => <Why reasons={reasonsOf(item, open)} /> },
  ...(open ? [{ title: 'Score', number: true, cell: ({ score }: Disagreement) => score.toFixed(1) }] : []),
  nameColumn('Agent', ({ agent }) => agent),
  nameColumn('Model', ({ model }) => model),
  countColumn('Reviews', ({ reviews }) => reviews.length),
  { title: 'Settled', cell: ({ settled }) => (settled ? 'settled' : <span class="aside">not settled</span>) },
]

/** Most questions of a review; a longer queue is reviewed in parts, since reviews reorder it. */
const MOST = 2000

/** The review of the queue as loaded by the page, question by question. */
export function DisagreementReviewPage() {
  const { query } = usePlace()
  const { settled, ...chosen } = readFilters(QUEUE_FILTERS, query)
  const load = useAll('listDisagreements', queryOf<'listDisagreements'>(chosen), MOST)
  const judge = query.get('judge')
  const queue = load.value
  const items = useMemo(() => {
    const wanted = (queue?.items ?? []).filter((item) => settled === undefined || String(item.settled) === settled)
    return wanted.flatMap((item) => itemOfDisagreement(item, judge) ?? [])
  }, [queue, settled, judge])
  return (
    <>
      <h1>Review disagreements</h1>
      <p>
        <a href={withQuery('/audit/disagreements', { settled, ...chosen })}>The queue</a>
      </p>
      <LoadView load={load} what="the queue">
        {({ cut }) => (
          <>
            {cut && <p class="aside">The queue is longer: these are its first {MOST} questions.</p>}
            <ReviewView items={items} done="settled" />
          </>
        )}
      </LoadView>
    </>
  )
}

/** Matches words that would unblind the reader, beside the labels: claims with values, contradiction codes, empty claims. */
const TELLING = 'claims nothing|without a label|[a-z_]+_against_[a-z]+|[a-z][a-z_.]*=[^ ]+?(?=[,.;]? |[,.]?$)'
const HIDDEN = '▒▒▒'

/**
 * Masks the words of `why` that would unblind the reader: labels, claims with values, contradiction codes, votes, and the parts of the score.
 * Names of judges and tasks stay.
 */
function maskWhy({ why, grades, reviews }: Disagreement): string[] {
  const stated = [
    ...grades.flatMap((grade) => [grade.label, grade.claimed_label, ...grade.votes]),
    ...reviews.map(({ label }) => label),
  ]
  const labels = new Set([...LABELS, ...stated.flatMap((label) => (label === null ? [] : [escapeRegExp(label)]))])
  const telling = new RegExp(`(?<![\\w-])(?:${[...labels].join('|')}|${TELLING})(?![\\w-])`, 'g')
  return why
    .filter((sentence) => !sentence.startsWith('Score '))
    .map((sentence) => sentence.replaceAll(telling, HIDDEN))
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const reasonsOf = (of: Disagreement, open: boolean) =>
  (open ? of.why : maskWhy(of)).map((text) => <HostileText key={text} text={withoutCodes(text)} />)

/** The filters of the queue, by the names of `GET /v1/disagreements`. */
const QUEUE_FILTERS: readonly Filter[] = [
  { name: 'kind', title: 'Kind', options: KIND_WORDS },
  { name: 'settled', title: 'Settled', options: { false: 'not settled', true: 'settled' } },
  ...textFilters('judge', 'rubric'),
  { name: 'claim', title: 'Differ in claim' },
  ...textFilters('agent', 'model', 'task', 'batch'),
]
