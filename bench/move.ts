import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { MoveReport } from '../src/ports/move-ports.ts'
import { moveStore } from '../src/storage/move/move-store.ts'
import { generateStore } from '../test/storage/generated-store.ts'
import { startPostgres } from '../test/storage/postgres-server.ts'
import { SETTINGS } from '../test/storage/postgres-settings.ts'

/** A generated SQLite store into a PostgreSQL from a package: times, rates, digests. Exits with 1 where the digests differ. */
const { values } = parseArgs({
  options: { grades: { type: 'string', default: '10000' }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  console.log('npm run bench:move -- [--grades 10000]')
  process.exit(0)
}

const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

function print({ outcome, projects, moved_rows, moving_s, verified_rows, verifying_s }: MoveReport): void {
  for (const { tables } of projects)
    for (const { table, rows, digest, target_digest } of tables)
      console.log(
        `  ${table.padEnd(18)} ${String(rows).padStart(8)}  ${digest.slice(0, 16)}  ${digest === target_digest ? 'equal' : 'DIFFERS'}`,
      )
  console.log(
    `${outcome}: moved ${moved_rows} rows in ${moving_s.toFixed(1)} s, ${Math.round(moved_rows / moving_s)} rows/s;`,
  )
  console.log(
    `read back ${verified_rows} rows in ${verifying_s.toFixed(1)} s, ${Math.round(verified_rows / verifying_s)} rows/s`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'veridict-bench-move-'))
const server = await startPostgres()
try {
  console.log(`Node ${process.version}, ${cpus().length} cores, load ${(loadavg()[0] ?? 0).toFixed(1)}`)
  const path = join(folder, 'veridict.sqlite')
  const making = performance.now()
  await generateStore(path, { grades: Number(values.grades) })
  console.log(`made ${values.grades} grades in ${seconds(making)}: ${mebibytes(statSync(path).size)}`)
  const before = process.memoryUsage().rss
  let most = 0
  const moving = performance.now()
  const report = await moveStore({
    ...{ from: path, to: { url: server.url, settings: SETTINGS }, mode: 'move', now: () => new Date() },
    signal: new AbortController().signal,
    onProgress: () => {
      most = Math.max(most, process.memoryUsage().rss)
    },
  })
  print(report)
  const [size] = await server.query("SELECT pg_database_size('postgres')::float8 AS bytes")
  console.log(`all together ${seconds(moving)}; the database has ${mebibytes(Number(size?.['bytes']))};`)
  console.log(`memory ${mebibytes(before)} before, ${mebibytes(most)} at most`)
  process.exitCode = report.outcome === 'moved' ? 0 : 1
} finally {
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
}
