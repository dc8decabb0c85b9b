import { count } from '../../domain/count.ts'
import { MARKER_CODES, type MarkerCode } from '../../domain/markers/marker-finding.ts'
import type { ReachDifference, ReachReport, ReachShare } from '../../domain/markers/reach-shares.ts'
import type { AuditCounts, MarkerRow } from '../input/marker-audit.ts'
import { line } from '../input/ndjson.ts'
import { csvLine, type OutputFormat } from './results-format.ts'
import { clip, clipFront, columns, type Paint, pad, percent } from './terminal-text.ts'

const CSV_COLUMNS = [
  ...['kind', 'name', 'task', 'variant', 'marker', 'code', 'detail', 'places'],
  ...['base', 'n', 'reached', 'unknown', 'share', 'ci_low', 'ci_high', 'p'],
]

export const MARKER_OUTPUT_HELP = `Output (--output, to stdout or --out FILE; progress and what was skipped go to stderr):
  table   a row a finding (--all: the ok ones too), the counts, then how often each variant's markers reach the agent
  ndjson  a JSON object a line: kind task, run or truth {name, task, variant, marker, code, detail, places}, the ok ones too; then
          kind share {variant, marker, rate} and kind difference {variant, base, marker, pairs, difference, ci95, p}
  csv     ${CSV_COLUMNS.join(', ')}
          (places are parted by blanks; of a share, n runs are known; of a difference, n are pairs and share is variant − base)`

/** What comes before the rows. */
export const markersHead = (format: OutputFormat, paint: Paint): string =>
  format === 'csv'
    ? csvLine(CSV_COLUMNS)
    : format === 'ndjson'
      ? ''
      : `${paint('bold', cells('what', 'name', 'variant', 'marker', 'code', 'why'))}\n`

export function markerRow(row: MarkerRow, format: OutputFormat, paint: Paint): string {
  const { kind, name, task, variant, marker, code, detail, places } = row
  if (format === 'ndjson') return line(row)
  if (format === 'csv') return csvLine([kind, name, task, variant, marker, code, detail, places.join(' ')])
  const where = places.length === 0 ? '' : `: ${places.join(', ')}`
  const why = clip(`${detail}${where}`, LONGEST_WHY)
  const painted = paint(code === 'ok' ? 'green' : 'yellow', code)
  return `${cells(kind, clipFront(name, NAME_WIDTH), clip(variant ?? '–', 16), marker, painted, why)}\n`
}

const NAME_WIDTH = 40
const LONGEST_WHY = 400

const cells = (kind: string, name: string, variant: string, marker: string, code: string, why: string): string =>
  columns([kind, name, variant, marker, code, why], [5, NAME_WIDTH, 16, 10, 18])

/** What comes after the rows. */
export function markersEnd(
  codes: ReadonlyMap<MarkerCode, number>,
  { tasks, runs }: AuditCounts,
  { shares, differences }: ReachReport,
  format: OutputFormat,
  paint: Paint,
): string {
  if (format === 'ndjson')
    return [
      ...shares.map((one) => line({ kind: 'share', ...one })),
      ...differences.map((one) => line({ kind: 'difference', ...one })),
    ].join('')
  if (format === 'csv') return [...shares.map(shareCsv), ...differences.map(differenceCsv)].join('')
  const checks = [...codes.values()].reduce((sum, n) => sum + n, 0)
  const told = MARKER_CODES.flatMap((code) => {
    const n = codes.get(code) ?? 0
    return n === 0 ? [] : [paint(code === 'ok' ? 'green' : 'yellow', `${code} ${n}`)]
  })
  const subjects = [...(tasks > 0 ? [count(tasks, 'task')] : []), ...(runs > 0 ? [count(runs, 'run')] : [])].join(', ')
  const rows = [`${paint('bold', subjects)} · ${count(checks, 'row')} · ${told.join(' · ')}`]
  if (shares.length > 0) rows.push('', paint('bold', 'Reaches the agent'), ...shares.map(shareLine))
  if (differences.length > 0)
    rows.push('', paint('bold', 'Against the base, paired'), ...differences.map(differenceLine))
  return `\n${rows.join('\n')}\n`
}

function shareLine({ marker, variant, rate }: ReachShare): string {
  const unknown = rate.unknown > 0 ? `, ${rate.unknown} unknown` : ''
  const value = rate.value === null ? '–' : percent(rate.value)
  return `${head(variant, marker)}  ${value.padStart(6)}${interval(rate.ci95)}  ${rate.k} of ${count(rate.n, 'run')}${unknown}`
}

function differenceLine({ marker, variant, base, difference, ci95, pairs, unpaired, p }: ReachDifference): string {
  const value = difference === null ? '–' : `${difference > 0 ? '+' : ''}${percent(difference)}`
  const more = unpaired > 0 ? `, ${unpaired} runs unpaired` : ''
  const test = p === null ? '' : `, p ${p < 0.001 ? '< 0.001' : p.toFixed(3)}`
  return `${head(`${name(variant)} − ${name(base)}`, marker)}  ${value.padStart(6)}${interval(ci95)}  ${count(pairs, 'pair')}${test}${more}`
}

const name = (variant: string | null): string => variant ?? '(no variant)'
const head = (variant: string | null, marker: string): string =>
  `  ${pad(clip(name(variant), 36), 36)}  ${pad(marker, 10)}`
const interval = (ci95: readonly number[] | null): string => (ci95 === null ? '' : ` [${ci95.map(percent).join(', ')}]`)

const shareCsv = ({ marker, variant, rate }: ReachShare): string =>
  csvLine([
    ...['share', null, null, variant, marker, null, rate.reason, null, null],
    ...[rate.n, rate.k, rate.unknown, rate.value, rate.ci95?.[0], rate.ci95?.[1], null],
  ])

const differenceCsv = ({ marker, variant, base, pairs, difference, ci95, reason, p }: ReachDifference): string =>
  csvLine([
    ...['difference', null, null, variant, marker, null, reason, null, base],
    ...[pairs, null, null, difference, ci95?.[0], ci95?.[1], p],
  ])
