import { count } from '../../domain/count.ts'
import type { MovedProject, MovedTableReport, MoveReport } from '../../ports/move-ports.ts'
import { inert, type Paint } from '../results/terminal-text.ts'

const DIGITS = 16
const DASH = '–'

/** Both sides of every table, then what it means. */
export function moveReportText(report: MoveReport, paint: Paint): string {
  const blocks = report.projects.map((project) => projectText(project, paint))
  return `${[...blocks, summary(report)].join('\n')}\n`
}

function projectText({ project, schema, tables, references }: MovedProject, paint: Paint): string {
  const head = `${inert(project)} → schema ${inert(schema)}`
  const columns = `  ${'table'.padEnd(18)} ${'SQLite'.padStart(10)} ${'PostgreSQL'.padStart(10)}  digest`
  const dangling = references
    .filter((one) => one.dangling > 0)
    .map((one) => `  note: ${one.reference}: ${one.dangling} that do not fit, in the source as in the target`)
  return [head, columns, ...tables.map((table) => tableLine(table, paint)), ...dangling].join('\n')
}

function tableLine(one: MovedTableReport, paint: Paint): string {
  const { table, rows, digest, target_rows, target_digest } = one
  const there = target_rows === null ? DASH : String(target_rows)
  const line = `  ${table.padEnd(18)} ${String(rows).padStart(10)} ${there.padStart(10)}  ${digest.slice(0, DIGITS)}`
  if (target_digest === null) return line
  if (isEqual(one)) return `${line}  ${paint('green', 'equal')}`
  return `${line}  ${paint('red', `DIFFERS: PostgreSQL has ${target_digest.slice(0, DIGITS)}`)}`
}

const isEqual = (one: MovedTableReport): boolean => one.target_digest === one.digest && one.target_rows === one.rows

const MEANS: Readonly<Record<MoveReport['outcome'], string>> = {
  moved:
    'Everything is moved, and PostgreSQL has what SQLite has. Next: set VERIDICT_DATABASE_URL and start the service; keep the SQLite file until you have looked.',
  planned: 'Nothing was written. Without --dry-run this would be moved.',
  equal: 'PostgreSQL has what SQLite has.',
  differs: 'PostgreSQL does not have what SQLite has.',
}

function summary({ outcome, projects, moved_rows, moving_s, verified_rows, verifying_s }: MoveReport): string {
  const rows = projects.flatMap(({ tables }) => tables).reduce((sum, table) => sum + table.rows, 0)
  const rate = (n: number, s: number): string =>
    `${count(n, 'row')} in ${s.toFixed(1)} s (${Math.round(n / Math.max(s, 0.001))}/s)`
  const parts = [
    `${count(projects.length, 'project')}, ${count(rows, 'row')}`,
    ...(moved_rows > 0 ? [`moved ${rate(moved_rows, moving_s)}`] : []),
    ...(verified_rows > 0 ? [`read back ${rate(verified_rows, verifying_s)}`] : []),
  ]
  return `${parts.join('; ')}.\n${MEANS[outcome]}`
}
