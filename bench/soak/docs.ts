import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { renderPlot } from './plot.ts'
import { most, type SoakRun } from './run.ts'

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

/** What was seen at the most, and what was promised of the end. The plot shows the phases. */
function renderTables(run: SoakRun): string {
  const checks = run.checks.map(
    (one) => `| ${one.name} | ${one.promised} | ${one.found} | ${one.holds ? 'yes' : '**no**'} |`,
  )
  return [
    `A run of ${run.minutes} minutes, two storms with a batch of ${run.batch_items} items each, Node ${run.node}, ${run.cores} cores, load of the machine before it ${run.load.toFixed(1)}.`,
    '',
    `The most that was seen: event-loop delay p99 of a second ${most(run, 'loop_p99_ms')} ms, heap ${most(run, 'heap_mb')} MB, anonymous memory ${most(run, 'anonymous_mb')} MB,`,
    `${most(run, 'handles')} handles, WAL ${most(run, 'wal_mb')} MB.`,
    '',
    '| at the end | promised | found | holds |',
    '|---|---|---|---|',
    ...checks,
  ].join('\n')
}
