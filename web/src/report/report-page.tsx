import { useRef } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { fileNameOf, saveFile, toHtmlFile } from '../export/files.ts'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Report, ReportGroup } from '../types.ts'
import { type Names, useNames } from '../ui/filters.tsx'
import { Choose, Empty, Facts, FIRST_COMMAND, LoadView, Trouble } from '../ui/parts.tsx'
import { ENDS, formatCount, groupingWord } from '../words.ts'
import { doubtWords, EvidenceSection, failureWords, hasAlignment } from './groups.tsx'
import { PairedFigure } from './paired-figure.tsx'
import { QualitySection } from './quality-section.tsx'
import { groupingOf, ReportForm, reportFile, reportOf, selectionWords, useChoice } from './report-form.tsx'
import { AGAINST_WORDS, type Against, ScatterFigure } from './scatter-figure.tsx'
import { ClaimsSection, ShareFigure } from './shares.tsx'

/** Numbers to publish, with their intervals, denominators and failures. */
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
  // Several judges have no figure in common: only a total of none means that nothing was found.
  if (overall === null ? report.groups.length === 0 : overall.counts.n === 0)
    return <NoTrials filtered={selectionWords(query).length > 0 || query.has('judge')} />
  return (
    <>
      <Head report={report} query={query} />
      <ShareFigure report={report} />
      {hasAlignment(report) && <ScatterFigure report={report} against={against} />}
      <ClaimsSection report={report} />
      {paired !== null && <PairedFigure paired={paired} />}
      <QualitySection report={report} />
      <section aria-labelledby="evidence-title">
        <h2 id="evidence-title">Evidence</h2>
        <EvidenceSection evidence={report.evidence} />
      </section>
      <section aria-labelledby="notes-title">
        <h2 id="notes-title">Notes</h2>
        <ul>
          {report.notes.map((note) => (
            <li key={note}>
              <HostileText text={note} />
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

const NoTrials = ({ filtered }: { readonly filtered: boolean }) =>
  filtered ? (
    <Empty>No grade fits what is selected: there is nothing to report.</Empty>
  ) : (
    <Empty command={FIRST_COMMAND}>Nothing is graded yet: there is nothing to report.</Empty>
  )

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
          ['Intervals', `95%, ${formatCount(draws)} resamples of tasks, seed ${seed}`],
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
  const why = failureWords(counts)
  const ends = ENDS.map(
    (end) => `${formatCount(counts[end])} ${end}${end === 'failed' && why !== '' ? ` (${why})` : ''}`,
  )
  return `${formatCount(counts.n)}: ${ends.join(', ')}`
}
