import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { renderPlot } from './plot.ts'
import { most, othersOf, type Row, type SoakRun } from './run.ts'

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const PAGE = at('docs/load.md')
const IMAGE = at('docs/images/soak.svg')

/** Puts the figures of a run into the page, between its markers, and draws the plot beside it. */
export async function writeDocs(run: SoakRun): Promise<void> {
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(PAGE, between(page, 'soak', renderTables(run)))
  mkdirSync(at('docs/images'), { recursive: true })
  const image = await renderPlot(run)
  if (image === null) console.log('no plot: there is no Chromium; set CHROMIUM to its path')
  else writeFileSync(IMAGE, image)
}

/** The page with new text between `<!-- name -->` and `<!-- /name -->`. Throws where there are no such markers. */
function between(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(open), page.indexOf(close)]
  if (from === -1 || to < from) throw new Error(`docs/load.md has no ${open} … ${close}`)
  return `${page.slice(0, from + open.length)}\n${text}\n${page.slice(to)}`
}

/** Times as ratios to the first phase: absolute ones belong to one machine. */
function renderTables(run: SoakRun): string {
  const first = run.phases[0]?.name
  const rows = run.rows.map((row) => {
    const calm = run.rows.find(({ phase, kind }) => phase === first && kind === row.kind)
    const times = [ratio(row.p50_ms, calm?.p50_ms), ratio(row.p99_ms, calm?.p50_ms)]
    return `| ${[row.phase, row.kind, row.count, ...times, othersOf(row) || '–'].join(' | ')} |`
  })
  const checks = run.checks.map(
    (one) => `| ${one.name} | ${one.promised} | ${one.found} | ${one.holds ? 'yes' : '**no**'} |`,
  )
  return [
    `A run of ${run.minutes} minutes, two storms with a batch of ${run.batch_items} items each, Node ${run.node}, ${run.cores} cores, load of the machine before it ${run.load.toFixed(1)}. Times are`,
    `multiples of the p50 of the same kind in the first phase (${baseOf(run, first)}).`,
    '',
    '| phase | kind | good | p50 | p99 | others |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    `The most that was seen: event-loop delay p99 of a second ${most(run, 'loop_p99_ms')} ms, heap ${most(run, 'heap_mb')} MB, anonymous memory ${most(run, 'anonymous_mb')} MB,`,
    `${most(run, 'handles')} handles, WAL ${most(run, 'wal_mb')} MB.`,
    '',
    '| at the end | promised | found | holds |',
    '|---|---|---|---|',
    ...checks,
  ].join('\n')
}

function baseOf({ rows }: SoakRun, first: string | undefined): string {
  const calm = rows.filter(({ phase }) => phase === first)
  return calm.map(({ kind, p50_ms }: Row) => `${kind} ${p50_ms.toFixed(1)} ms`).join(', ')
}

const ratio = (value: number, base: number | undefined): string =>
  base === undefined || Number.isNaN(base) || Number.isNaN(value) ? '–' : `${(value / base).toFixed(1)}×`
