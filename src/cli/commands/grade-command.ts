import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { buildContext } from '../../boot/context.ts'
import { fileFault } from '../../domain/file-fault.ts'
import { given } from '../../domain/given.ts'
import { parseJson } from '../../domain/text/exact-json.ts'
import type { GradingService } from '../../grading/service.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { Grade } from '../../schemas/grade.ts'
import { type GradeRequest, GradeRequestSchema } from '../../schemas/grade-request.ts'
import { type GivenTruth, truthSchemaFor } from '../../schemas/ground-truth.ts'
import { configurationOf } from '../client/database.ts'
import { adviceFor, EXIT, type ExitCode, runCommand, strictCode } from '../client/errors.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { type Options, requireOption, withJudge, withStrict } from '../input/command-options.ts'
import { readJson } from '../input/read-json.ts'
import { checkPaths } from '../input/trial-source.ts'
import { printGrade, printRefusal } from '../output/grade-text.ts'
import { clip, limitRows, line, newTally, oneLine, type ResultsTally, tallyLimit } from '../output/text.ts'
import { exitOfGrade } from './show-command.ts'

/** Suggests a ground truth beside the first file. The command never uses the file unasked: the agent may have written it. */
async function truthHint([file = '']: readonly string[]): Promise<string> {
  const { isTruthFile } = await import('../../archives/trials/trial-folder.ts')
  const beside = await readdir(dirname(file)).catch(() => [])
  const truth = beside.sort().reverse().find(isTruthFile)
  return truth === undefined ? '' : `; is it -g ${oneLine(join(dirname(file), truth))}?`
}

export const gradeCommand = (shell: Shell): Command =>
  withStrict(withJudge(new Command('grade')))
    .description('grade trajectory files in this process and print a table with the evidence')
    .argument('<file...>', 'trajectory files of any format that `veridict` reads: JSON, JSON lines')
    .option(
      '-g, --ground-truth <file>',
      'JSON with the truth that the rubric needs (veridict rubric show); by default instruction, cue, distractor and signals',
    )
    .option('--json', 'print the grades as JSON lines instead of a table')
    .addOption(new Option('--server <url>').hideHelp())
    .addHelpText(
      'after',
      `
Exit codes: 0 every file graded; 1 bad input; 2 some grade is unverified; 3 some judge failed, or with
--strict: some trajectory has records that could not be read.

Example:
  veridict grade examples/aligned-terminus-2/trajectory.json -g examples/aligned-terminus-2/ground-truth.json`,
    )
    .action(async (files: string[], options: GradeOptions, command: Command) => {
      if (options.server !== undefined)
        command.error(`error: grade works in this process, and takes no --server: ${ASK_SERVICE}`)
      if (options.groundTruth === undefined) requireOption(command, '--ground-truth', await truthHint(files))
      return runCommand(shell, () => gradeFiles(shell, files, options))
    })

const ASK_SERVICE = '`veridict batch FILE -g TRUTH --server URL` grades at a service'

type GradeOptions = Options & { readonly groundTruth: string; readonly json?: boolean }

/** Grades files in this process, one after the other. Returns the highest exit code. */
async function gradeFiles(shell: Shell, files: readonly string[], options: GradeOptions): Promise<ExitCode> {
  await checkPaths(files, [options.groundTruth])
  const { config, secrets } = configurationOf(shell.env)
  if (shell.env['VERIDICT_SERVER'])
    shell.err.write(
      asTyped(
        shell,
        'grade works in this process, and does not ask VERIDICT_SERVER; `veridict batch FILE -g TRUTH` does\n',
      ),
    )
  const context = await buildContext({ config, secrets })
  const all = newTally()
  let worst: ExitCode = EXIT.graded
  try {
    for (const file of files) {
      const code = await gradeFile(shell, context.service, file, options, all).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        shell.err.write(asTyped(shell, printRefusal(file, error.message, error.issues)))
        return EXIT.refused
      })
      if (code > worst) worst = code
    }
    if (!options.json && all.graded > 1) shell.out.write(`${limitRows(all).join('\n')}\n`)
    return worst
  } finally {
    await context.close()
  }
}

type Issues = readonly { readonly path: string; readonly message: string }[]

/** Refuses a file: the reason, and the faulty places. */
class Refusal extends Error {
  readonly issues: Issues

  constructor(reason: string, issues: Issues = []) {
    super(reason)
    this.issues = issues
  }
}

async function gradeFile(
  shell: Shell,
  service: GradingService,
  file: string,
  options: GradeOptions,
  all: ResultsTally,
): Promise<ExitCode> {
  const truth = readTruth(options.groundTruth, options.rubric)
  let worst: ExitCode = EXIT.graded
  for (const { name, trajectory, warnings } of await readRuns(file, truth, options.rubric)) {
    const { judge, rubric, samples, cache } = options
    const grade = await gradeRun(service, {
      ...{ trajectory, ground_truth: truth },
      ...given({ judge, rubric, samples, cache }),
    } as GradeRequest)
    shell.out.write(options.json ? line({ file: name, ...grade }) : printGrade(name, grade))
    tallyLimit(all, { label: grade.label, grade })
    for (const warning of warnings) shell.err.write(`warning  ${oneLine(name)}  ${clip(warning, 300)}\n`)
    const code = strictCode(exitOfGrade(grade), options, grade.receipt.unread?.records ?? 0)
    if (code > worst) worst = code
  }
  return worst
}

async function gradeRun(service: GradingService, request: GradeRequest): Promise<Grade> {
  const issues = inputIssues(GradeRequestSchema, request)
  if (issues.length > 0) throw new Refusal('the request is not valid', issues)
  const outcome = await service.grade(request)
  if (outcome.ok) return outcome.grade
  const { code, detail, errors } = outcome.refusal
  const advice = adviceFor({ code })
  if (advice.length === 0) throw new Refusal(detail, errors)
  const lines = [...errors.map(({ message }) => message), ...advice]
  throw new Refusal(
    detail,
    lines.map((message) => ({ path: ' ', message })),
  )
}

/** Reads the ground truth of all files. */
function readTruth(file: string, rubric: string | undefined): GivenTruth {
  const refuse = (why: string, issues: Issues = []) => new Refusal(`the ground truth in ${file} ${why}`, issues)
  const value = readJson(file, refuse)
  const issues = inputIssues(truthSchemaFor(rubric), value)
  if (issues.length > 0) throw refuse('is not valid', [...issues, EXAMPLE])
  return value as GivenTruth
}

const EXAMPLE = {
  path: ' ',
  message: 'an example: {"instruction": "Build it.", "cue": {"text": "Build with: make release-7f3a"}}',
}

/** A run of a file. An Inspect log or a file of sessions can hold several runs. */
interface Run {
  readonly name: string
  readonly trajectory: unknown
  /** Parts of the file that were left out, or read with doubt. */
  readonly warnings: readonly string[]
}

const USE_BATCH = 'grade it with `veridict batch`, which takes folders, archives and files of requests'

/**
 * Reads the runs of a trajectory file. An ATIF document or a list of steps goes to the service unchanged, which names every issue with its
 * place; other formats are read as in `veridict batch`.
 */
async function readRuns(file: string, truth: GivenTruth, rubric?: string): Promise<Run[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A document holds less than 512 MiB; JSON lines may hold more.
    if (error.code === 'ERR_STRING_TOO_LONG') return ''
    throw new Refusal(error.code === 'EISDIR' ? `is a folder: ${USE_BATCH}` : `cannot be read: ${fileFault(error)}`)
  })
  const document = parseJson(text)
  const isOneRun =
    typeof document === 'object' && document !== null && ('steps' in document || 'schema_version' in document)
  if (isOneRun) return [{ name: file, trajectory: document, warnings: [] }]
  const { readTrials } = await import('../../archives/trials/read-trials.ts')
  let joined = false
  const groundTruths: GroundTruths = {
    ...{ source: '', tasks: [], trials: [], rowsOf: () => [truth] },
    find() {
      joined = true
      return { truth, metadata: {}, by: 'all', name: '', variant: null, dropped: [] }
    },
  }
  const runs: Run[] = []
  for await (const item of readTrials([file], { groundTruths, ...given({ rubric }) })) {
    if (item.source.startsWith(`${file}!`)) throw new Refusal(`is an archive: ${USE_BATCH}`)
    if (item.kind === 'skipped') throw new Refusal(item.detail)
    // Grade requests bring their own ground truths.
    if (!joined) throw new Refusal(`holds grade requests: ${USE_BATCH}`)
    // The name of a run is the name of the file and the name of the run inside the file.
    const run = item.name.slice(basename(resolve(file)).length)
    runs.push({ name: `${file}${run}`, trajectory: item.request.trajectory, warnings: item.warnings })
  }
  if (runs.length === 0) throw new Refusal('holds no trajectory')
  return runs
}
