import { realpath } from 'node:fs/promises'
import type { TaskFolder } from '../../archives/trials/reading-job.ts'
import { DEFAULT_LIMITS } from '../../archives/unpack/limits.ts'
import { safeText } from '../../archives/unpack/names.ts'
import { normalizeGroundTruth, resolveAnchors } from '../../domain/anchors/anchors.ts'
import * as m from '../../domain/markers/check-run.ts'
import { checkTask } from '../../domain/markers/check-task.ts'
import { sum } from '../../domain/statistics/weighted-shares.ts'
import { count } from '../../domain/words.ts'
import { collect, type Options, option, output } from '../options.ts'
import { clip, clipFront, oneLine, present, tableOf, tally, writeRows } from '../output/text.ts'
import { type Console, consoleCommand } from '../session.ts'
import { CliError, EXIT, strictCode } from '../shell.ts'
import { type Counts, NO_COUNTS, readTrialsOf, readTruths, sift, type Trial, type WatchedTruths } from '../trials.ts'

export const auditMarkers = consoleCommand<Options, [paths: string[]]>('audit-markers', {
  args: { '<path...>': 'folders of tasks and runs, trajectory files, archives of them' },
  options: [
    ...output(['table', 'ndjson']),
    option('-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else each folder’s own'),
    option('--signals <spec>', 'the place of appeared in a trial; may be repeated', collect),
    option('--variant <name>', 'the variant of all paths'),
    option('--strict', 'exit with 3 where a trial or a task was skipped; other files do not count'),
  ],
  async work(console, options, paths) {
    const file = options.ground_truth
    const truths = file === undefined ? undefined : await readTruths(file)
    const counts = { ...NO_COUNTS, tasks: 0 }
    const codes = Object.fromEntries(m.MARKER_CODES.map((code) => [code, 0])) as Record<m.MarkerCode, number>
    const all = () => sum(Object.values(codes))
    async function* counted(): AsyncGenerator<MarkerRow> {
      for await (const row of readRows(paths, { console, options, truths, counts })) {
        codes[row.code]++
        yield row
      }
      const none = counts.skipped === 0 ? 'there is no task and no run' : `${counts.skipped} skipped`
      if (all() === 0) throw new CliError(`nothing to audit: ${none}`, [HELP])
    }
    const table = { ...FINDINGS, row: (row: MarkerRow) => (row.code === 'ok' ? '' : FINDINGS.row(row)) }
    const rows = await writeRows(console, counted(), { table }, () =>
      [tally({ tasks: counts.tasks, runs: counts.trials }), count(all(), 'row'), tally(codes)].join(' · '),
    )
    const code = strictCode(codes.ok < all() ? EXIT.unverified : EXIT.graded, options, counts.skipped)
    return { data: { rows, counts: { tasks: counts.tasks, runs: counts.trials, skipped: counts.skipped } }, code }
  },
})

const HELP = '`veridict audit-markers --help` describes PATH and rows.'

const FINDINGS = tableOf<MarkerRow>([
  ['kind', 5, ({ kind }) => kind],
  ['name', 40, ({ name }) => clipFront(name, 40)],
  ['variant', 16, ({ variant }) => clip(variant ?? '–', 16)],
  ['marker', 10, ({ marker }) => marker],
  ['code', 18, ({ code }) => code],
  ['why', 0, ({ detail, places }) => clip(present([detail, places.join(', ')]).join(': '), 400)],
])

type Subject = Readonly<{ kind: 'task' | 'run'; name: string; task: string | null; variant: string | null }>
export type MarkerRow = Omit<m.MarkerFinding, 'code'> & Subject & { readonly code: m.MarkerCode }

/** An audit. `counts` counts runs as trials; without `variant` in `options` each run and task names its own. */
type Audit = Readonly<{ console: Console; options: Options; truths: WatchedTruths | undefined; counts: AuditCounts }>
type AuditCounts = Counts & { tasks: number }

/** Audits the tasks and runs below some paths. Holds one run, one window of a file, and the rows of tasks, which come at the end. */
async function* readRows(paths: readonly string[], audit: Audit): AsyncGenerator<MarkerRow> {
  const { counts, console } = audit
  const ofTasks: MarkerRow[] = []
  const items = readTrialsOf({ ...console, local: null }, paths, audit.options, {
    truths: audit.truths,
    onTask: async (task) => void ofTasks.push(...(await taskRows(task, audit))),
    warn: (text) => console.view.note(`warning  ${text}`),
  })
  for await (const run of sift(items, counts, console.view)) {
    yield* runRows(run, audit)
    console.view.doing(`auditing: ${count(counts.tasks, 'task')}, ${count(counts.trials, 'run')}`)
  }
  yield* ofTasks
}

async function taskRows(task: TaskFolder, { console, options, truths, counts }: Audit): Promise<MarkerRow[]> {
  const { searchTask } = await import('../../archives/tasks/search-task.ts')
  const { place, names, truth, rows } = task
  const ofTask = m.markersOf([truth, ...rows])
  const expectedIn = m.placesOf([truth, ...rows])
  const variant = options.variant ?? task.variant ?? undefined
  // A pipe has no path.
  const source = truths && (await realpath(truths.source).catch(() => null))
  const { files, cut } = await searchTask(place, {
    ...{ markers: ofTask, expectedIn, limits: DEFAULT_LIMITS, abort: console.signal },
    ignores: (path) => path === source,
  })
  counts.tasks++
  const [first, ...more] = files.filter(({ unsearched, isExpected }) => unsearched !== null && !isExpected)
  if (first !== undefined) {
    const others = more.length > 0 ? `, and ${more.length} more` : ''
    console.view.note(oneLine(`note     ${place.shown}: not searched: ${first.path} ${first.unsearched}${others}`))
  }
  const markers = m.MARKERS.filter((marker) => ofTask[marker] !== undefined)
  const removed = m.removedIn(variant, { own: truth, ofTask })
  const findings = checkTask({ files, cut, markers, removed, isPlaced: expectedIn !== undefined })
  const subject = { kind: 'task', name: safeText(place.shown), task: names[0] ?? null } as const
  return rowsOf({ ...subject, variant: variant ?? null }, markers, findings)
}

function runRows({ name, request, trajectory }: Trial, { truths, console, counts }: Audit): MarkerRow[] {
  if (trajectory === null) {
    const why = 'the request only names a stored trajectory; give the files it was made of'
    console.view.note(`skipped  ${clip(name, 200)}  ${why}`)
    counts.trials--
    return []
  }
  const { ground_truth: truth, metadata = {} } = request
  const { variant = null, task = null } = metadata
  const ofTruths = task === null ? [] : truths?.rowsOf([task, task.slice(task.lastIndexOf('/') + 1)])
  const rows = [truth, ...(ofTruths ?? [])]
  const ofTask = m.markersOf(rows)
  const anchors = resolveAnchors(normalizeGroundTruth({ ...truth, ...ofTask }))
  const findings = m.checkRun({
    ...{ trajectory, anchors, removed: m.removedIn(variant ?? undefined, { own: truth, ofTask }) },
    ...{ expectedIn: m.placesOf(rows) ?? [], signals: truth.signals ?? {} },
  })
  const markers = m.MARKERS.filter((marker) => (anchors[marker] ?? null) !== null)
  return rowsOf({ kind: 'run', name, task, variant }, markers, findings)
}

const rowsOf = (subject: Subject, markers: readonly m.MarkerName[], findings: readonly m.MarkerFinding[]) =>
  markers.flatMap((marker): MarkerRow[] => {
    const own = findings.filter((finding) => finding.marker === marker)
    if (own.length === 0) return [{ ...subject, marker, code: 'ok', detail: '', places: [] }]
    return own.map((finding) => ({ ...subject, ...finding }))
  })
