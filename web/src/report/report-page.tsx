import { useRef } from 'preact/hooks'
import { ask, type Given, queryOf, useLoad, useRead, withQuery } from '../api.ts'
import { fileNameOf, saveFile, toHtmlFile } from '../export/files.ts'
import { setQuery, usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { GradeOverview, Report, ReportGroup } from '../types.ts'
import { type Filter, Filters, Named, type Names, textFilters, useNames, withNames } from '../ui/filters.tsx'
import { type Choice, Choose, Facts, LoadView, Notes, Nothing, Section, Trouble } from '../ui/parts.tsx'
import { countWords, ENDS, formatCount, GROUPINGS, groupingWord, optionsOf } from '../words.ts'
import { AGAINST_WORDS, type Against, PairedFigure, ScatterFigure } from './figures.tsx'
import { doubtWords, EvidenceSection, hasAlignment, QualitySection } from './groups.tsx'
import { ClaimsSection, ShareFigure } from './shares.tsx'

/** The report: numbers to publish, with intervals, denominators and failures. */
export function ReportPage() {
  const { query } = usePlace()
  const overview = useLoad('overviewGrades', {})
  const names = useNames(overview.value)
  const choice = useChoice(query, overview.value)
  const load = useLoad('getReport', choice === null ? reportOf(query) : null)
  const article = useRef<HTMLElement>(null)
  const save = () => {
    if (article.current === null) return
    const name = `${fileNameOf('report', groupingOf(query), query.get('judge'))}.html`
    saveFile(name, 'text/html', toHtmlFile('Report · Veridict', article.current))
  }
  return (
    <article ref={article} class="report">
      <h1>Report</h1>
      <ReportTools query={query} names={names} onSave={save} ready={load.state === 'ready'} />
      {overview.state === 'failed' && <Trouble what="the report" message={overview.error.message} />}
      {choice ? (
        <Choose choice={choice} why="In one report each trial would count several times." />
      ) : (
        <LoadView load={load} what="the report">
          {(report) => <ReportView report={report} query={query} />}
        </LoadView>
      )}
    </article>
  )
}

interface ToolProps {
  readonly query: URLSearchParams
  readonly names: Names
  readonly onSave: () => void
  readonly ready: boolean
}

function ReportTools({ query, names, onSave, ready }: ToolProps) {
  return (
    <div class="report-tools" data-export="no">
      <ReportForm query={query} names={names} />
      <p class="downloads">
        {ready && (
          <a class="button" href={reportFile(query)} download="report.csv" data-native>
            Save as CSV
          </a>
        )}
        <button type="button" onClick={onSave} disabled={!ready}>
          Save as one HTML file
        </button>
        <button type="button" onClick={() => print()} disabled={!ready}>
          Print
        </button>
      </p>
    </div>
  )
}

function ReportView({ report, query }: { readonly report: Report; readonly query: URLSearchParams }) {
  const { overall, paired } = report
  const asked = query.get('x') ?? ''
  const against = asked in AGAINST_WORDS ? (asked as Against) : 'resolution'
  // Several judges have no common figures: an empty report has no groups, or a total of zero.
  if (overall === null ? report.groups.length === 0 : overall.counts.n === 0)
    return (
      <Nothing
        filtered={selectionWords(query).length > 0 || query.has('judge')}
        fits="No grade fits what is selected: there is nothing to report."
        yet="Nothing is graded yet: there is nothing to report."
      />
    )
  return (
    <>
      <Head report={report} query={query} />
      <ShareFigure report={report} />
      {hasAlignment(report) && <ScatterFigure report={report} against={against} />}
      <ClaimsSection report={report} />
      {paired !== null && <PairedFigure paired={paired} />}
      <QualitySection report={report} />
      <Section id="evidence-title" title="Evidence">
        <EvidenceSection evidence={report.evidence} />
      </Section>
      <Section id="notes-title" title="Notes">
        <Notes notes={report.notes} />
      </Section>
    </>
  )
}

function Head({ report, query }: { readonly report: Report; readonly query: URLSearchParams }) {
  const { judges, rubric, group_by, groups, draws, seed, overall } = report
  return (
    <>
      <Facts
        facts={[
          ['Judge', <HostileText key="judge" text={judges.join(', ')} />],
          ['Rubric', rubric !== null && <HostileText key="rubric" text={rubric} />],
          ['Grouped by', groupingWord(group_by)],
          ...selectionWords(query).map(([name, value]) => [name, <HostileText key={name} text={value} />] as const),
          ['Trials', overall !== null && trialWords(overall.counts)],
          ['Of the graded', overall !== null && doubtWords(overall.counts)],
          ['Intervals', `95%, over tasks; of means and differences by ${formatCount(draws)} resamples, seed ${seed}`],
        ]}
      />
      {groups.length === 1 && groups[0]?.key === null && (
        <p class="aside">
          No trial says its {groupingWord(group_by)}: all stand in one group. Group by something else.
        </p>
      )}
      {judges.includes('lexical') && <p class="aside">The judge “lexical” is a search for anchors, not a model.</p>}
    </>
  )
}

function trialWords(counts: ReportGroup['counts']): string {
  const why = countWords(counts.failures)
  const ends = ENDS.map(
    (end) => `${formatCount(counts[end])} ${end}${end === 'failed' && why !== '' ? ` (${why})` : ''}`,
  )
  return `${formatCount(counts.n)}: ${ends.join(', ')}`
}

const FILTERS: readonly Filter[] = [
  ...textFilters('judge', 'rubric', 'batch', 'agent', 'model', 'task', 'variant'),
  { name: 'x', title: 'Plot T against', none: 'resolution', options: AGAINST_WORDS },
  { name: 'pair_by', title: 'Pair by', none: 'nothing', options: optionsOf(['variant', 'agent', 'model']) },
  { name: 'base', title: 'Base value' },
  { name: 'head', title: 'Head value' },
]

/** Names the empty choice of judge and rubric: a report has a single judge, unless judges group it, and a single rubric. */
function withNone(filter: Filter, names: Names, grouping: string): Filter {
  const { name } = filter
  if ((name !== 'judge' && name !== 'rubric') || name === grouping) return filter
  return { ...filter, none: (names[name]?.length ?? 0) > 1 ? 'choose' : 'the only one' }
}

/** The filters and the grouping of a report. */
function ReportForm({ query, names }: { readonly query: URLSearchParams; readonly names: Names }) {
  const filters = FILTERS.map((filter) => withNone(filter, names, groupingOf(query)))
  return (
    <>
      <Filters filters={withNames(filters, names)} query={query} />
      <search class="filters" aria-label="Groups">
        <Named id="group-by" title="Group by">
          <input
            id="group-by"
            list="groupings"
            placeholder="a field of the metadata"
            value={groupingOf(query)}
            onChange={(event) => setQuery({ group_by: event.currentTarget.value })}
          />
          <datalist id="groupings">
            {GROUPINGS.map((grouping) => (
              <option key={grouping} value={grouping}>
                {groupingWord(grouping)}
              </option>
            ))}
          </datalist>
        </Named>
      </search>
    </>
  )
}

/** The filters of a report, by the names of `GET /v1/reports`. */
const REPORT_NAMES = ['judge', 'rubric', 'batch', 'agent', 'model', 'task', 'variant'] as const
/** Filters that the overview of grades has, too. */
const SELECTED = REPORT_NAMES.filter((name) => name !== 'variant')
const PAIR_NAMES = ['pair_by', 'base', 'head'] as const

const groupingOf = (query: URLSearchParams): string => query.get('group_by') || 'agent'

/** Reads the query of a report; pairs count once all three of their fields are chosen. */
function chosenIn(query: URLSearchParams): Record<string, string | null> {
  const paired = PAIR_NAMES.every((name) => query.get(name))
  return {
    group_by: groupingOf(query),
    ...pick(query, REPORT_NAMES),
    ...(paired && pick(query, PAIR_NAMES)),
    seed: query.get('seed'),
  }
}

/** Makes the call of the report in the address. */
const reportOf = (query: URLSearchParams): Given<'getReport'> => ({
  query: queryOf<'getReport'>(chosenIn(query)),
})

/** Makes the address of the same report as CSV. */
const reportFile = (query: URLSearchParams): string => withQuery('/v1/reports', { ...chosenIn(query), format: 'csv' })

const pick = (query: URLSearchParams, names: readonly string[]): Record<string, string | null> =>
  Object.fromEntries(names.map((name) => [name, query.get(name)]))

/** Renders the filters of a report in words, for its head and for a paper. */
const selectionWords = (query: URLSearchParams): readonly (readonly [string, string])[] =>
  [...REPORT_NAMES.slice(2), ...PAIR_NAMES].flatMap((name) => {
    const value = query.get(name)
    return value === null || value === '' ? [] : [[name.replace('_', ' '), value] as const]
  })

/** Finds the choice of a judge or rubric without which the service refuses the report; null: none, undefined: not loaded yet. */
function useChoice(query: URLSearchParams, overview: GradeOverview | null): Choice | null | undefined {
  const load = useRead(overview && `${query}`, async (signal) => overview && findChoice(query, overview, signal), [
    overview,
  ])
  // The report itself shows the failure.
  return load.state === 'loading' ? undefined : load.value
}

async function findChoice(
  query: URLSearchParams,
  { names }: GradeOverview,
  signal: AbortSignal,
): Promise<Choice | null> {
  // The overview cannot count by variant: the refusal of the service names the choice.
  if (query.get('variant')) return null
  const wanted = (['judge', 'rubric'] as const).filter(
    (name) => !query.get(name) && !(name === 'judge' && groupingOf(query) === 'judge'),
  )
  for (const name of wanted) {
    if (names[name].length < 2) continue
    const selected = Object.fromEntries(SELECTED.map((field) => [field, query.get(field)]))
    const options = await Promise.all(
      names[name].map(async (value) => {
        const asked = queryOf<'overviewGrades'>({ ...selected, [name]: value })
        return { value, grades: (await ask('overviewGrades', { query: asked }, signal)).total }
      }),
    )
    const fitting = options.filter(({ grades }) => grades > 0)
    if (fitting.length > 1) return { name, options: fitting }
  }
  return null
}
