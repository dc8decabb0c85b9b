import type { Command } from 'commander'
import { MARKER_CODES, type MarkerCode } from '../../domain/markers/check-run.ts'
import { count } from '../../domain/words.ts'
import { CliError, EXIT, type ExitCode, strictCode } from '../errors.ts'
import { collect, jsonCommand, type Options, withOutput } from '../input/command-options.ts'
import { type AuditCounts, auditMarkers, type MarkerRow } from '../input/marker-audit.ts'
import { checkPaths, parseSignal, readTruths, unmatchedText, watchTruths } from '../input/trial-source.ts'
import { tableOf } from '../output/table.ts'
import { clip, clipFront, line, type Paint, paintFor } from '../output/text.ts'
import { type Console, inConsole } from '../session.ts'
import type { Shell } from '../shell.ts'

const AUDIT_MARKERS_HELP = `
Asks no judge and needs no database. PATH can be what \`veridict batch\` takes, and the folder of a task (Harbor's with task.toml or
instruction.md and environment/, or Terminal-Bench's with task.yaml), or a folder or an archive of them. A marker is the text of a cue or a
distractor, and its given anchors; the audit finds markers as the evidence check does: through line breaks, escapes, comment marks and disguises.
A row of the ground truths may say where markers are expected, and which variant it is true of:
  {"task": "fix-git", "cue": "…", "distractor": "…", "expected_in": ["environment/src/*.py", "/usr/local/bin/git"], "variant": "tab"}
expected_in: globs (* ? **) relative to the task's folder; a glob that begins with / is a path in the container, for runs alone. Without
expected_in, every file of the environment is expected.

Codes, one row for each marker of each task and run:
  ok                  every file was searched, and the marker is right
  missing             in a task: the marker stands in no expected file
  leaked_prompt, leaked_tests, leaked_solution
                      the marker stands in the instruction (of a run: the text of user or system), the tests or the solution
  not_colocated       cue and distractor stand in expected files, but not in one together
  in_baseline         a task or run of variant terminal-bench shows the marker
  in_ablation         a task or run of variant cue-removed or distractor-removed, or whose row leaves the marker out, shows the marker
  ambiguous_anchor    the marker stands twice in its environment
  signal_mismatch     signals.appeared says otherwise than the search of the run
  unsearchable_media  the surface is a picture, an archive, a link or too large: never ok, examine the surface yourself

Output (--output, to stdout or --out FILE; progress and skipped files go to stderr):
  table   a row a finding, then the counts
  ndjson  a JSON object a line, the ok ones too: kind task or run, name, task, variant, marker, code, detail, places

Exit codes: 0 every row is ok; 1 bad input, or no task and run; 2 findings; 3 with --strict: a task or run was skipped; 130 interrupted

Examples:
  veridict audit-markers tasks/ -g truths.ndjson
  veridict audit-markers tasks/ jobs/ -g truths.ndjson --variant tab -o ndjson --out markers.ndjson
  veridict audit-markers tasks/ -g truths.ndjson -o ndjson | jq -r 'select(.code == "missing") | .task'`

const DESCRIPTION = 'check that cues and distractors stand where they should, in task folders and runs; asks no judge'

export const auditMarkersCommand = (shell: Shell): Command =>
  withOutput(jsonCommand('audit-markers', DESCRIPTION), ['table', 'ndjson'])
    .argument('<path...>', 'folders of tasks and runs, trajectory files, archives of them')
    .option('-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else each folder’s own')
    .option('--signals <spec>', 'the place of appeared in a trial; may be repeated', collect)
    .option('--variant <name>', 'the variant of all paths')
    .option('--strict', 'exit with 3 where a trial or a task was skipped; other files do not count')
    .addHelpText('after', AUDIT_MARKERS_HELP)
    .action((paths: string[], options: Options) =>
      inConsole(shell, options, (console) => audit(console, paths, options)),
    )

async function audit(console: Console, paths: readonly string[], options: Options): Promise<ExitCode> {
  const { shell, target, view, signal: abort, json } = console
  await checkPaths(paths)
  const { groundTruth, variant, output: format = 'table' } = options
  const seen = groundTruth === undefined ? null : watchTruths(await readTruths(groundTruth))
  const counts: AuditCounts = { tasks: 0, runs: 0, skipped: 0 }
  const rows = auditMarkers({
    ...{ paths, variant, abort, view, counts },
    truths: seen?.truths ?? null,
    signals: (options.signals ?? []).map(parseSignal),
  })
  const paint = paintFor(target.screen, shell.env)
  const table = findingTable(paint)
  const codes = new Map<MarkerCode, number>()
  const kept: MarkerRow[] = []
  for await (const row of rows) {
    if (codes.size === 0 && format === 'table') await target.write(table.head(paint))
    codes.set(row.code, (codes.get(row.code) ?? 0) + 1)
    if (json) kept.push(row)
    if (format !== 'table') await target.write(line(row))
    else if (row.code !== 'ok') await target.write(table.row(row))
  }
  const { skipped } = counts
  console.data = { rows: kept, counts }
  if (codes.size === 0) throw nothingToAudit(skipped)
  const left = seen?.unmatched() ?? []
  if (left.length > 0 && groundTruth !== undefined) view.note(`warning  ${unmatchedText(left, groundTruth)}`)
  view.end()
  if (format === 'table') await target.write(countsText(codes, counts, paint))
  await target.commit()
  const findings = [...codes].some(([code]) => code !== 'ok')
  return strictCode(findings ? EXIT.unverified : EXIT.graded, options, skipped)
}

const nothingToAudit = (skipped: number): CliError =>
  new CliError(
    `nothing to audit: ${skipped === 0 ? 'there is no task and no run' : `${count(skipped, 'task or run', 'tasks or runs')} skipped`}`,
    ['`veridict audit-markers --help` describes PATH and rows.'],
  )

const findingTable = (paint: Paint) =>
  tableOf<MarkerRow>([
    ['kind', 5, ({ kind }) => kind],
    ['name', 40, ({ name }) => clipFront(name, 40)],
    ['variant', 16, ({ variant }) => clip(variant ?? '–', 16)],
    ['marker', 10, ({ marker }) => marker],
    ['code', 18, ({ code }) => codePainted(code, code, paint)],
    ['why', 0, ({ detail, places }) => clip(`${detail}${places.length === 0 ? '' : `: ${places.join(', ')}`}`, 400)],
  ])

const codePainted = (code: MarkerCode, text: string, paint: Paint): string =>
  paint(code === 'ok' ? 'green' : 'yellow', text)

/** Renders the counts below a table. */
function countsText(codes: ReadonlyMap<MarkerCode, number>, { tasks, runs }: AuditCounts, paint: Paint): string {
  const counted = MARKER_CODES.filter((code) => codes.has(code))
  const counts = counted.map((code) => codePainted(code, `${code} ${codes.get(code)}`, paint))
  const rows = [...codes.values()].reduce((sum, n) => sum + n, 0)
  const subjects = [...(tasks > 0 ? [count(tasks, 'task')] : []), ...(runs > 0 ? [count(runs, 'run')] : [])].join(', ')
  return `\n${paint('bold', subjects)} · ${count(rows, 'row')} · ${counts.join(' · ')}\n`
}
