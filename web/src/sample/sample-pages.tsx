import { useMemo, useState } from 'preact/hooks'
import { queryOf, useAll, useLoad } from '../api.ts'
import { setQuery, usePlace } from '../location.ts'
import { placeOfQuestion, readRater } from '../review/review-item.ts'
import { ReviewView } from '../review/review-view.tsx'
import { onlyRubric } from '../rubrics.ts'
import type { Grade, Review } from '../types.ts'
import { Filters, Named, readFilters, textFilters, useNames, withNames } from '../ui/filters.tsx'
import { type Choice, Choose, Facts, LabelBadge, LoadView, Nothing } from '../ui/parts.tsx'
import { formatCount, plural } from '../words.ts'
import { DRAW_DESIGNS, type DrawOptions, drawSample, populationOf } from './draw.ts'

/** Draws questions at random: the reviews of a sample correct the shares of a judge. */
export function SamplePage() {
  const { query } = usePlace()
  const load = useGraded(query)
  const names = useNames(useLoad('overviewGrades', {}).value)
  return (
    <>
      <h1>Review a sample</h1>
      <p class="prose">
        A judge errs, and not equally on every label, so the shares it reports are shifted. How far can only be measured
        on questions that were chosen without looking at the answer: drawn at random from everything that was graded, or
        at random within each label when some labels are rare. The disagreement queue cannot give that number, for it
        holds exactly the questions where the judge is most likely wrong; correcting rates with it would find a judge
        worse than it is. Each review of a sample is stored with the way and the chance with which its question was
        drawn, and the report weighs it by them.
      </p>
      <Filters filters={withNames(SAMPLE_FILTERS, names)} query={query} />
      <LoadView load={load} what="the grades">
        {({ items, cut }) => (
          <>
            {cut && <p class="trouble">More than {formatCount(MOST_GRADES)} grades fit: narrow the filters first.</p>}
            {!cut && <Drawing key={query.toString()} grades={items} query={query} />}
          </>
        )}
      </LoadView>
    </>
  )
}

function Drawing({ grades, query }: { readonly grades: readonly Grade[]; readonly query: URLSearchParams }) {
  const asked = readSampleQuery(query)
  if (grades.length === 0)
    return (
      <Nothing
        filtered={Object.keys(readFilters(SAMPLE_FILTERS, query)).length > 0}
        fits="No grade with a label fits these filters: clear some of them."
        yet="Nothing is graded with a label yet: there is nothing to draw from."
      />
    )
  const choice = choiceAmong(grades)
  if (choice !== null) return <Choose choice={choice} why="A sample is of one judge’s labels." />
  return (
    <>
      <form
        class="filters draw"
        onSubmit={(event) => {
          event.preventDefault()
          const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)])
          setQuery({ ...Object.fromEntries(fields), until: newestOf(grades) })
        }}
      >
        <Named id="draw-design" title="Draw">
          <select id="draw-design" name="design">
            <option value="random">at random</option>
            <option value="stratified" selected={asked.design === 'stratified'}>
              as many of each label
            </option>
          </select>
        </Named>
        <Named id="draw-n" title="Questions">
          <input id="draw-n" name="n" type="number" min={1} max={2000} required defaultValue={String(asked.n)} />
        </Named>
        <Named id="draw-seed" title="Seed">
          <input id="draw-seed" name="seed" required maxLength={40} defaultValue={asked.seed} />
        </Named>
        <button type="submit">Draw</button>
      </form>
      {asked.until !== null && <Drawn grades={grades} query={query} />}
    </>
  )
}

/** Makes the choice of the judge, then of the rubric, where grades have several; null: no choice is needed. */
function choiceAmong(grades: readonly Grade[]): Choice | null {
  for (const name of ['judge', 'rubric'] as const) {
    const counts = Map.groupBy(grades, ({ receipt }) => receipt[name])
    if (counts.size > 1) return { name, options: [...counts].map(([value, of]) => ({ value, grades: of.length })) }
  }
  return null
}

const newestOf = (grades: readonly Grade[]): string =>
  grades.reduce((newest, { id }) => (id > newest ? id : newest), '')

function Drawn({ grades, query }: { readonly grades: readonly Grade[]; readonly query: URLSearchParams }) {
  const draw = useMemo(() => {
    const asked = readSampleQuery(query)
    return drawSample(populationOf(madeUntil(grades, asked.until)), asked)
  }, [grades, query])
  const rubric = onlyRubric(grades.map(({ receipt }) => receipt.rubric))
  return (
    <>
      <p class="counts" role="status">
        <strong>{plural(draw.items.length, 'question')} drawn</strong>
        <a href={`/audit/sample/review?${query}`}>Review them one by one, blind</a>
      </p>
      <Facts
        facts={draw.strata.map(({ label, drawn, of }) => [
          label === null ? 'all labels' : <LabelBadge key="label" label={label} rubric={rubric} />,
          `${formatCount(drawn)} of ${formatCount(of)} drawn, each with a chance of ${(drawn / of).toPrecision(3)}`,
        ])}
      />
    </>
  )
}

const MOST_REVIEWS = 20_000

/** The review of the sample in the address, question by question. */
export function SampleReviewPage() {
  const { query } = usePlace()
  // The rater at the start of the page: the list must not move while a name is typed.
  const [rater] = useState(readRater)
  const graded = useGraded(query)
  const reviews = useAll('listReviews', rater === '' ? null : { rater }, MOST_REVIEWS)
  const { design, n, seed, until } = readSampleQuery(query)
  const grades = graded.value
  const reviewed = rater === '' ? NOBODY : reviews.value
  const items = useMemo(() => {
    if (grades === null || reviewed === null) return []
    // A question that was reviewed for another reason is open: the sample would lack the contested questions.
    const done = new Set(reviewed.items.flatMap((one) => (one.sampling?.design === design ? placeOfQuestion(one) : [])))
    const draw = drawSample(populationOf(madeUntil(grades.items, until)), { design, n, seed })
    return draw.items.map((item) => ({ ...item, done: done.has(item.place) }))
  }, [grades, reviewed, design, n, seed, until])
  const back = new URLSearchParams(query)
  back.delete('at')
  return (
    <>
      <h1>Review a sample</h1>
      <p>
        <a href={`/audit/sample?${back}`}>The sample</a>, drawn{' '}
        {design === 'random' ? 'at random' : 'within each label'}
      </p>
      <LoadView load={graded} what="the sample">
        {() =>
          reviewed === null ? (
            <LoadView load={reviews} what="your reviews">
              {() => null}
            </LoadView>
          ) : (
            <ReviewView items={items} done="reviewed" />
          )
        }
      </LoadView>
    </>
  )
}

const NOBODY = { items: [] as readonly Review[], cut: false }

/** The filters of the grades to draw from. */
const SAMPLE_FILTERS = textFilters('judge', 'rubric', 'agent', 'model', 'task', 'batch')

/** Most grades that a page lists. */
const MOST_GRADES = 20_000
const DEFAULT_N = 50

interface SampleQuery extends DrawOptions {
  /** The newest grade of the draw: later grades do not change the draw. Null: no draw yet. */
  readonly until: string | null
}

function readSampleQuery(query: URLSearchParams): SampleQuery {
  const n = Number(query.get('n') ?? DEFAULT_N)
  return {
    design: DRAW_DESIGNS.find((design) => design === query.get('design')) ?? 'random',
    n: Number.isInteger(n) && n >= 1 && n <= 2000 ? n : DEFAULT_N,
    seed: query.get('seed') ?? '1',
    until: query.get('until'),
  }
}

/** Loads the fitting grades with a label. */
const useGraded = (query: URLSearchParams) =>
  useAll('listGrades', queryOf<'listGrades'>({ ...readFilters(SAMPLE_FILTERS, query), status: 'graded' }), MOST_GRADES)

/** Picks the grades up to a grade: ids begin with their time. */
const madeUntil = (grades: readonly Grade[], until: string | null): readonly Grade[] =>
  until === null ? grades : grades.filter(({ id }) => id <= until)
