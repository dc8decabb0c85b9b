/** Plays every fault of `test/faults` and prints the table of results: `npm run faults`. With `--rows FILE` it prints the rows of an earlier run. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As `test/faults/sweep.ts` writes it. */
interface Row {
  readonly operation: string
  readonly act: 'none' | 'kill' | 'full' | 'ioerr' | 'busy'
  readonly promise: string
  readonly points: number
  readonly runs: number
  readonly met: number
  readonly wrong: readonly string[]
  readonly unheard: number
}

const ACTS: Readonly<Record<Row['act'], string>> = {
  none: 'the surroundings',
  kill: 'SIGKILL',
  full: 'disk full',
  ioerr: 'I/O error',
  busy: 'locked',
}

const HEAD = ['operation', 'each fault: runs that met their point / runs, of points', 'found after', 'what is promised']

/** One row for an operation, with all faults that it was hit by. */
function toCells(rows: readonly Row[]): readonly string[] {
  const faults = rows.map(({ act, points, runs, met }) => `${ACTS[act]} ${met}/${runs} of ${points}`).join(', ')
  const unheard = rows.reduce((sum, row) => sum + row.unheard, 0)
  const wrong = rows.reduce((sum, row) => sum + row.wrong.length, 0)
  const told = unheard > 0 ? `; ${unheard} answers cut off on their way, told as unknown` : ''
  return [
    rows[0]?.operation ?? '',
    faults,
    wrong === 0 ? `as promised${told}` : `${wrong} BROKEN`,
    rows[0]?.promise ?? '',
  ]
}

const renderTable = (rows: readonly Row[]): string =>
  [HEAD, HEAD.map(() => '---'), ...[...Map.groupBy(rows, ({ operation }) => operation).values()].map(toCells)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

function runTests(): { readonly rows: string; readonly code: number } {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-faults-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const rows = join(folder, 'rows.ndjson')
  const env = { ...process.env, VERIDICT_SLOW_TESTS: '1', VERIDICT_FAULT_TABLE: rows }
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const ended = spawnSync(process.execPath, [vitest, 'run', 'test/faults'], { env, stdio: 'inherit' })
  return { rows, code: ended.status ?? 1 }
}

/** Test files run side by side: the rows come in any order. */
function readRows(file: string): readonly Row[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const rows = lines.map((line) => JSON.parse(line) as Row)
  return rows.sort((a, b) => a.operation.localeCompare(b.operation))
}

const given = process.argv.indexOf('--rows')
const { rows: file, code } = given < 0 ? runTests() : { rows: process.argv[given + 1] ?? '', code: 0 }
const rows = readRows(file)
const table = renderTable(rows)
process.stdout.write(`\n${table}\n\n${rows.reduce((sum, row) => sum + row.runs, 0)} runs\n`)
for (const wrong of rows.flatMap((row) => row.wrong)) process.stdout.write(`BROKEN: ${wrong}\n`)
process.exit(code)
