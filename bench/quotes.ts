import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { createLocator } from '../src/domain/quotes/locate.ts'
import { createRendering } from '../src/domain/trajectory/rendering.ts'
import type { Trajectory } from '../src/domain/trajectory/trajectory.ts'
import { openDocuments } from '../src/formats/common/open-documents.ts'
import { readTrajectory } from '../src/formats/read.ts'
import { DISHONEST, framings } from './quotes/dishonest.ts'
import { createRandom, HONEST, pickSpans, type Span, type Writing } from './quotes/writings.ts'

/** Real spans of real runs, written the ways models write quotes, and their dishonest twins, against the locator. */
const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: '../shared/trajectories' },
    spans: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
    show: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run bench:quotes -- [--dir ../shared/trajectories] [--spans 20] [--json] [--show KIND]

Takes spans (seeded) of every run in the folder that can be read, writes each the ways models write quotes, and prints how many are
accepted, by which normalization. Exits 1 where a dishonest one is accepted. --show prints the refused quotes of one kind.`)
  process.exit(0)
}

/** `standsThere`: dishonest, and yet a text that stands in the same step. */
const COUNTS = ['tried', 'verified', 'normalized', 'refused', 'standsThere'] as const
type Counts = Record<(typeof COUNTS)[number], number>

interface Row extends Counts {
  readonly kind: string
  readonly honest: boolean
  readonly by: Map<string, number>
}

/** Makes a row of the counts. */
function rowOf(kind: string, honest: boolean, count: (key: keyof Counts) => number): Row {
  return { kind, honest, by: new Map(), ...(Object.fromEntries(COUNTS.map((key) => [key, count(key)])) as Counts) }
}

const QUOTE_LIMIT = 1000
const LIMITS = { max_steps: 100_000, max_part_chars: 32_000_000 }
const rows = new Map<string, Row>(
  [...HONEST, ...DISHONEST].map(({ kind, honest }) => [kind, rowOf(kind, honest, () => 0)]),
)
const exceptions: string[] = []
let files = 0
let runs = 0
const begun = performance.now()
for (const file of globSync(join(values.dir, '**/*.{json,jsonl,traj,eval,cast,log}')).sort()) {
  const trajectories = readFile(file)
  if (trajectories.length > 0) files++
  for (const trajectory of trajectories) tryRun(trajectory, relative(values.dir, file))
}
report()
process.exit(exceptions.length > 0 ? 1 : 0)

function readFile(file: string): Trajectory[] {
  const opened = openDocuments(readFileSync(file, 'utf8'))
  if (!opened.ok) return []
  return opened.value.flatMap(({ document }) => {
    const read = readTrajectory(document, LIMITS)
    return read.ok ? [read.value] : []
  })
}

function tryRun(trajectory: Trajectory, file: string): void {
  const random = createRandom(1 + runs++ * 7919)
  const rendering = createRendering(trajectory, '0123456789abcdef')
  for (const span of pickSpans(trajectory, Number(values.spans), random)) {
    // One answer: what a search may cost is counted over all its quotes.
    const locator = createLocator(rendering)
    for (const writing of [...HONEST, ...DISHONEST]) {
      const quote = writing.write(span, random)
      if (quote === null || quote.length > QUOTE_LIMIT || !quote.isWellFormed()) continue
      const [place] = locator.inStep(span.step, quote)
      count(writing, span, quote, place, trajectory, file)
    }
  }
}

type Found = ReturnType<ReturnType<typeof createLocator>['inStep']>[number] | undefined

function count(writing: Writing, span: Span, quote: string, place: Found, trajectory: Trajectory, file: string): void {
  const row = rows.get(writing.kind)
  if (row === undefined) return
  row.tried++
  if (place === undefined) {
    row.refused++
    if (writing.kind === values.show) console.log(JSON.stringify({ file, step: span.step, span: span.text, quote }))
    return
  }
  const by = place.normalization?.join(' + ') ?? 'verbatim'
  row.by.set(by, (row.by.get(by) ?? 0) + 1)
  if (place.match === 'verified') row.verified++
  else row.normalized++
  if (writing.honest) return
  const there = trajectory.steps[span.step]?.parts[place.position.part]?.text.slice(place.start, place.end) ?? ''
  if (framings(there, span).some((text) => letters(text) === letters(quote))) row.standsThere++
  else exceptions.push(`${writing.kind}: ${JSON.stringify({ file, step: span.step, quote, there, by })}`)
}

/** The quote and what it was found to be, but for white space and quotation marks. */
function letters(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[‘’‚‛]/g, "'")
    .replaceAll(/[“”„‟]/g, '"')
    .trim()
}

function report(): void {
  const all = [...rows.values()]
  if (values.json) {
    const shown = all.map((row) => ({ ...row, by: Object.fromEntries(row.by) }))
    console.log(JSON.stringify({ files, runs, rows: shown, exceptions }, null, 1))
    return
  }
  console.log(`${files} files, ${runs} runs, ${((performance.now() - begun) / 1000).toFixed(1)} s\n`)
  for (const honest of [true, false]) {
    console.log(`${honest ? 'HONEST' : 'DISHONEST'}\nkind · tried · verified · normalized · refused · by`)
    const group = all.filter((row) => row.honest === honest)
    for (const row of group) console.log(lineOf(row))
    console.log(`${lineOf(total(group))}\n`)
  }
  for (const exception of exceptions) console.log(`ACCEPTED ${exception}`)
}

function total(group: readonly Row[]): Row {
  return rowOf('all', true, (key) => group.reduce((sum, row) => sum + row[key], 0))
}

function lineOf(row: Row): string {
  const by = [...row.by].sort((a, b) => b[1] - a[1]).map(([name, times]) => `${name} ${times}`)
  const elsewhere = row.standsThere > 0 ? [`of these ${row.standsThere} stand in the step as written`] : []
  const numbers = [row.tried, row.verified, row.normalized, row.refused].map((one) => `${one}`.padStart(7)).join('')
  return `${row.kind.padEnd(36)}${numbers}  ${[...by.slice(0, 5), ...elsewhere].join('; ')}`
}
