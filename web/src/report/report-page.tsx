import { useRef } from 'preact/hooks'
import { type Given, queryOf, useLoad, withQuery } from '../api.ts'
import { EvidencePairs } from '../comparisons/statistics.tsx'
import { fileNameOf, saveFile, toHtmlFile } from '../export/files.ts'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Report, ReportGroup } from '../types.ts'
import { type Filter, Filters, type Names, textFilters, useNames, withNames, wordOf } from '../ui/filters.tsx'
import { Facts, LoadView, Notes, Nothing, Section } from '../ui/parts.tsx'
import { countWords, ENDS, formatCount, GROUPINGS, groupingWord, optionsOf } from '../words.ts'
import { AGAINST_WORDS, type Against, PairedFigure, ScatterFigure } from './figures.tsx'
import { doubtWords, EvidenceSection, hasAlignment, QualitySection } from './groups.tsx'
import { ClaimsSection, ShareFigure } from './shares.tsx'

/** The report: numbers to publish, with intervals, denominators and failures. */
export function ReportPage() {
  const { query } = usePlace()
  const names = useNames(useLoad('overviewGrades', {}).value)
  const load = useLoad('getReport', reportOf(query))
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
      <LoadView load={load} what="the report">
        {(report) => <ReportView report={report} query={query} names={names} />}
      </LoadView>
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
      <Filters filters={withNames(FILTERS, names)} query={query} />
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

interface ReportProps {
  readonly report: Report
  readonly query: URLSearchParams
  readonly names: Names
}

function ReportView({ report, query, names }: ReportProps) {
  const { overall, paired } = report
  const asked = query.get('x') ?? ''
  const against = asked in AGAINST_WORDS ? (asked as Against) : 'resolution'
  // Several judges have no common figures: an empty report has no groups, or a total of zero.
  if (overall === null ? report.groups.length === 0 : overall.counts.n === 0)
    return (
      <Nothing
        filtered={selectionWords(query, names).length > 0 || query.has('judge')}
        fits="No grade fits what is selected: there is nothing to report."
        yet="Nothing is graded yet: there is nothing to report."
      />
    )
  return (
    <>
      <Head report={report} query={query} names={names} />
      <ShareFigure report={report} />
      {hasAlignment(report) && <ScatterFigure report={report} against={against} />}
      <ClaimsSection report={report} />
      {paired !== null && <PairedFigure paired={paired} />}
      <QualitySection report={report} />
      <Section id="evidence-title" title="Evidence">
        <EvidenceSection evidence={report.evidence} />
      </Section>
      <EvidencePairs pairs={report.evidence_agreement} />
      <Section id="notes-title" title="Notes">
        <Notes notes={report.notes} />
      </Section>
    </>
  )
}

function Head({ report, query, names }: ReportProps) {
  const { judges, rubric, group_by, groups, draws, seed, overall } = report
  return (
    <>
      <Facts
        facts={[
          ['Judge', <HostileText key="judge" text={judges.join(', ')} />],
          ['Rubric', rubric !== null && <HostileText key="rubric" text={rubric} />],
          ['Grouped by', group_by !== 'none' && groupingWord(group_by)],
          ...selectionWords(query, names).map(
            ([name, value]) => [name, <HostileText key={name} text={value} />] as const,
          ),
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
  { name: 'group_by', title: 'Group by', none: 'agent', suggestions: GROUPINGS.map((value) => ({ value })) },
  { name: 'x', title: 'Plot T against', none: 'resolution', options: AGAINST_WORDS },
  { name: 'pair_by', title: 'Pair by', none: 'no pairs', options: optionsOf(['variant', 'agent', 'model']) },
  { name: 'base', title: 'Base value' },
  { name: 'head', title: 'Head value' },
]

/** The filters of a report, by the names of `GET /v1/reports`. */
const REPORT_NAMES = ['judge', 'rubric', 'batch', 'agent', 'model', 'task', 'variant'] as const
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
const selectionWords = (query: URLSearchParams, { batch }: Names): readonly (readonly [string, string])[] =>
  [...REPORT_NAMES.slice(2), ...PAIR_NAMES].flatMap((name) => {
    const value = query.get(name)
    const title = FILTERS.find((filter) => filter.name === name)?.title ?? name
    return value ? [[title, name === 'batch' ? wordOf(batch, value) : value] as const] : []
  })
