import { count } from '../../domain/count.ts'
import { MARKER_CODES, type MarkerCode } from '../../domain/markers/marker-finding.ts'
import type { AuditCounts, MarkerRow } from '../input/marker-audit.ts'
import { line } from '../input/ndjson.ts'
import { csvLine, type OutputFormat } from './results-format.ts'
import { clip, clipFront, columns, type Paint } from './terminal-text.ts'

const CSV_COLUMNS = ['kind', 'name', 'task', 'variant', 'marker', 'code', 'detail', 'places']

export const MARKER_OUTPUT_HELP = `Output (--output, to stdout or --out FILE; progress and skipped files go to stderr):
  table   a row a finding (--all: the ok ones too), then the counts
  ndjson  a JSON object a line, the ok ones too: kind task or run, name, task, variant, marker, code, detail, places
  csv     the same columns; places are parted by blanks`

/** Renders the head of the rows. */
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

/** Renders the counts below a table; other formats end with their last row. */
export function markersEnd(
  codes: ReadonlyMap<MarkerCode, number>,
  { tasks, runs }: AuditCounts,
  format: OutputFormat,
  paint: Paint,
): string {
  if (format !== 'table') return ''
  const checks = [...codes.values()].reduce((sum, n) => sum + n, 0)
  const counts = MARKER_CODES.flatMap((code) => {
    const n = codes.get(code) ?? 0
    return n === 0 ? [] : [paint(code === 'ok' ? 'green' : 'yellow', `${code} ${n}`)]
  })
  const subjects = [...(tasks > 0 ? [count(tasks, 'task')] : []), ...(runs > 0 ? [count(runs, 'run')] : [])].join(', ')
  return `\n${paint('bold', subjects)} · ${count(checks, 'row')} · ${counts.join(' · ')}\n`
}
