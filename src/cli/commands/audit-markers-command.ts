import { Command } from 'commander'
import type { SkippedItem } from '../../archives/trials/trial-item.ts'
import { count } from '../../domain/count.ts'
import type { MarkerCode } from '../../domain/markers/marker-finding.ts'
import { CliError, EXIT, type ExitCode, type Strictness, strictCode } from '../client/cli-error.ts'
import { watchInterruption } from '../client/interruption.ts'
import type { Shell } from '../client/shell.ts'
import { collect, type OutputOptions, withOutput } from '../input/command-options.ts'
import { type AuditCounts, auditMarkers } from '../input/marker-audit.ts'
import { isTrial, skippedText } from '../input/trial-lines.ts'
import { checkPaths, parseSignal, readTruths, unmatchedText, watchTruths } from '../input/trial-source.ts'
import { runCommand } from '../output/error-text.ts'
import { type OutputTarget, openOutput } from '../output/output-target.ts'
import { createProgressView, type ProgressView } from '../output/progress.ts'
import { MARKER_OUTPUT_HELP, markerRow, markersEnd, markersHead } from '../results/marker-format.ts'
import { paintFor } from '../results/terminal-text.ts'

interface AuditMarkersOptions extends OutputOptions, Strictness {
  readonly groundTruth?: string
  readonly signals?: readonly string[]
  readonly variant?: string
  readonly all?: boolean
}

const AUDIT_MARKERS_HELP = `
Asks no judge and needs no database. PATH can be what \`veridict batch\` takes, and the folder of a task (Harbor's with task.toml or
instruction.md and environment/, or Terminal-Bench's with task.yaml), or a folder or an archive of them. A marker is the text of a cue or a
distractor, and its given anchors; it is found as the evidence check finds it: through line breaks, escapes, comment marks and disguises.
A row of the ground truths may say where markers are expected, and which variant it is true of:
  {"task": "fix-git", "cue": "…", "distractor": "…", "expected_in": ["environment/src/*.py", "/usr/local/bin/git"], "variant": "tab"}
expected_in: globs (* ? **) relative to the task's folder; one that begins with / is a path in the container, for runs alone. Without it,
every file of the environment is expected.

Codes, one row for each marker of each task and run:
  ok                  all that was to be searched was searched, and nothing is wrong
  missing             in a task: it stands in no expected file
  leaked_prompt, leaked_tests, leaked_solution
                      it stands in the instruction (of a run: what user or system say), the tests or the solution
  not_colocated       cue and distractor stand in expected files, but not in one together
  in_baseline         a task or run of variant terminal-bench shows it
  in_ablation         a task or run of variant cue-removed or distractor-removed, or whose row leaves it out, shows it
  ambiguous_anchor    it stands twice in its environment
  signal_mismatch     signals.appeared says otherwise than the search of the run
  unsearchable_media  its surface is a picture, an archive, a link or too large: never ok, look at it yourself

${MARKER_OUTPUT_HELP}

Exit codes: 0 nothing is wrong; 1 bad input, or nothing to audit; 2 findings; 3 with --strict: something was skipped; 130 interrupted

Examples:
  veridict audit-markers tasks/ -g truths.ndjson
  veridict audit-markers tasks/ jobs/ -g truths.ndjson --variant tab -o csv --out markers.csv
  veridict audit-markers tasks/ -g truths.ndjson -o ndjson | jq -r 'select(.code == "missing") | .task'`

export const auditMarkersCommand = (shell: Shell): Command =>
  withOutput(new Command('audit-markers'))
    .description('check that cues and distractors stand where they should, in task folders and runs; asks no judge')
    .argument('<path...>', 'folders of tasks and runs, trajectory files, archives of them')
    .option('-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else each folder’s own')
    .option('--signals <spec>', 'where a trial says appeared; may be repeated', collect)
    .option('--variant <name>', 'the variant of all paths')
    .option('--all', 'in a table, list what is ok, too')
    .option('--strict', 'exit with 3 where a trial or a task was skipped; other files do not count')
    .addHelpText('after', AUDIT_MARKERS_HELP)
    .action((paths: string[], options: AuditMarkersOptions) =>
      runCommand(shell, async () => {
        const target = await openOutput(shell, options.out)
        const { signal: abort, release } = watchInterruption(shell)
        const view = await createProgressView(shell.err, shell.env)
        try {
          return await audit(shell, paths, options, { target, view, abort })
        } finally {
          view.end()
          await target.discard()
          release()
        }
      }),
    )

async function audit(
  shell: Shell,
  paths: readonly string[],
  options: AuditMarkersOptions,
  { target, view, abort }: { target: OutputTarget; view: ProgressView; abort: AbortSignal },
): Promise<ExitCode> {
  await checkPaths(paths)
  const { groundTruth, variant, output: format = 'table' } = options
  const seen = groundTruth === undefined ? null : watchTruths(await readTruths(groundTruth))
  let skipped = 0
  const counts: AuditCounts = { tasks: 0, runs: 0, bytes: 0 }
  const given = {
    ...{ paths, variant, abort },
    truths: seen?.truths ?? null,
    signals: (options.signals ?? []).map(parseSignal),
    onNote: (text: string) => view.note(text),
    onSkipped(item: SkippedItem) {
      if (!isTrial(item)) return
      skipped++
      view.note(skippedText(item))
    },
    onProgress: () => view.doing(progressText(counts)),
  }
  const paint = paintFor(target.screen, shell.env)
  const codes = new Map<MarkerCode, number>()
  for await (const row of auditMarkers(given, counts)) {
    if (codes.size === 0) await target.write(markersHead(format, paint))
    codes.set(row.code, (codes.get(row.code) ?? 0) + 1)
    if (row.code !== 'ok' || format !== 'table' || options.all) await target.write(markerRow(row, format, paint))
  }
  if (codes.size === 0) throw nothingToAudit(skipped)
  const left = seen?.unmatched() ?? []
  if (left.length > 0 && groundTruth !== undefined) view.note(`warning  ${unmatchedText(left, groundTruth)}`)
  view.end()
  await target.write(markersEnd(codes, counts, format, paint))
  await target.commit()
  const findings = [...codes].some(([code]) => code !== 'ok')
  return strictCode(findings ? EXIT.unverified : EXIT.graded, options, skipped)
}

const nothingToAudit = (skipped: number): CliError => {
  const why =
    skipped === 0 ? 'there is no task and no run' : `${count(skipped, 'task or run', 'tasks or runs')} skipped`
  return new CliError(`nothing to audit: ${why}`, ['`veridict audit-markers --help` shows what PATH and rows can be.'])
}

const progressText = ({ tasks, runs, bytes }: AuditCounts): string =>
  `auditing: ${count(tasks, 'task')} (${Math.round(bytes / 1e6)} MB), ${count(runs, 'run')}`
