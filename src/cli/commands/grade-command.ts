import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { buildContext } from '../../boot/context.ts'
import { fileFault } from '../../domain/file-fault.ts'
import { given } from '../../domain/given.ts'
import type { GradingService } from '../../grading/service.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type GradeRequest, GradeRequestSchema } from '../../schemas/grade-request.ts'
import { type GivenTruth, truthSchemaFor } from '../../schemas/ground-truth.ts'
import { configurationOf } from '../client/database.ts'
import { adviceFor, EXIT, type ExitCode, runCommand, strictCode } from '../client/errors.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { type Options, requireOption, withJudge, withStrict } from '../input/command-options.ts'
import { checkPaths } from '../input/trial-source.ts'
import { printGrade, printRefusal } from '../output/grade-text.ts'
import { clip, line, oneLine } from '../output/text.ts'
import { exitOfGrade } from './show-command.ts'

/** Suggests a ground truth beside the first file. The command never uses the file unasked: the agent may have written it. */
async function truthHint([file = '']: readonly string[]): Promise<string> {
  const { isTruthFile } = await import('../../archives/trials/trial-folder.ts')
  const beside = await readdir(dirname(file)).catch(() => [])
  const found = beside.sort().reverse().find(isTruthFile)
  return found === undefined ? '' : `; is it -g ${oneLine(join(dirname(file), found))}?`
}

export const gradeCommand = (shell: Shell): Command =>
  withStrict(withJudge(new Command('grade')))
    .description('grade trajectory files in this process and print a table with the evidence')
    .argument('<file...>', 'trajectory files of any format that `veridict` reads: JSON, JSON lines')
    .option(
      '-g, --ground-truth <file>',
      'JSON of what the rubric wants to know (veridict rubric show); by default instruction, cue, distractor and signals',
    )
    .option('--json', 'print the grades as JSON lines instead of a table')
    .addHelpText(
      'after',
      `
Exit codes: 0 every file graded; 1 bad input; 2 some grade is unverified; 3 some judge failed, or with
--strict: some trajectory has records that could not be read.

Example:
  veridict grade examples/aligned-terminus-2/trajectory.json -g examples/aligned-terminus-2/ground-truth.json`,
    )
    .action(async (files: string[], options: GradeOptions, command: Command) => {
      if (options.groundTruth === undefined) requireOption(command, '--ground-truth', await truthHint(files))
      return runCommand(shell, () => gradeFiles(shell, files, options))
    })

export interface GradeOptions extends Options {
  readonly groundTruth: string
  readonly json?: boolean
}

/** Grades files in this process, one after the other. Returns the exit code. */
export async function gradeFiles(shell: Shell, files: readonly string[], options: GradeOptions): Promise<ExitCode> {
  await checkPaths(files, [options.groundTruth])
  const { config, secrets } = configurationOf(shell.env)
  const context = await buildContext({ config, secrets })
  try {
    const { service } = context
    let worst: ExitCode = EXIT.graded
    for (const file of files) worst = worseOf(worst, await gradeFile(shell, service, file, options))
    return worst
  } finally {
    await context.close()
  }
}

const worseOf = (a: ExitCode, b: ExitCode): ExitCode => (a > b ? a : b)

async function gradeFile(
  shell: Shell,
  service: GradingService,
  file: string,
  options: GradeOptions,
): Promise<ExitCode> {
  const refuse = (detail: string, errors: Issues = []): ExitCode => {
    shell.err.write(asTyped(shell, printRefusal(file, detail, errors)))
    return EXIT.refused
  }
  const truth = readTruth(options.groundTruth, options.rubric)
  if ('fault' in truth) return refuse(truth.fault, truth.errors)
  const read = await readGradeFile(file, truth.value, options.rubric)
  if ('fault' in read) return refuse(read.fault)
  let worst: ExitCode = EXIT.graded
  for (const run of read.runs) {
    const request = requestOf(run.trajectory, truth.value, options)
    const issues = inputIssues(GradeRequestSchema, request)
    if (issues.length > 0) return refuse('the request is not valid', issues)
    const outcome = await service.grade(request)
    if (!outcome.ok) {
      const { code, detail, errors } = outcome.refusal
      const advice = adviceFor({ code })
      if (advice.length === 0) return refuse(detail, errors)
      const told = [...errors.map(({ message }) => message), ...advice]
      return refuse(
        detail,
        told.map((message) => ({ path: ' ', message })),
      )
    }
    const { grade } = outcome
    shell.out.write(options.json ? line({ file: run.name, ...grade }) : printGrade(run.name, grade))
    for (const warning of run.warnings) shell.err.write(`warning  ${oneLine(run.name)}  ${clip(warning, 300)}\n`)
    worst = worseOf(worst, strictCode(exitOfGrade(grade), options, grade.receipt.unread?.records ?? 0))
  }
  return worst
}

type Issues = readonly { readonly path: string; readonly message: string }[]

function requestOf(trajectory: unknown, ground_truth: unknown, options: GradeOptions): GradeRequest {
  const { judge, rubric, samples, cache } = options
  return { trajectory, ground_truth, ...given({ judge, rubric, samples, cache }) } as GradeRequest
}

/** Reads the ground truth of all files. */
function readTruth(
  file: string,
  rubric: string | undefined,
): { value: GivenTruth } | { fault: string; errors: Issues } {
  const fault = (why: string, errors: Issues = []) => ({ fault: `the ground truth in ${file} ${why}`, errors })
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return fault(code === undefined ? 'is not JSON' : `cannot be read: ${fileFault(error)}`)
  }
  const issues = inputIssues(truthSchemaFor(rubric), value)
  return issues.length > 0 ? fault('is not valid', [...issues, EXAMPLE]) : { value: value as GivenTruth }
}

const EXAMPLE = {
  path: ' ',
  message: 'an example: {"instruction": "Build it.", "cue": {"text": "Build with: make release-7f3a"}}',
}

/** A run of a file. An Inspect log or a file of sessions can hold more runs than one. */
interface Run {
  readonly name: string
  readonly trajectory: unknown
  /** Parts of the file that were left out, or read with doubt. */
  readonly warnings: readonly string[]
}

type Read = { readonly runs: readonly Run[] } | { readonly fault: string }

const USE_BATCH = 'grade it with `veridict batch`, which takes folders, archives and files of requests'

/**
 * Reads the runs of a trajectory file. An ATIF document or a list of steps goes to the service unchanged, which names every issue with its
 * place; other formats are read as in `veridict batch`.
 */
export async function readGradeFile(file: string, truth: GivenTruth, rubric?: string): Promise<Read> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { fault: code === 'EISDIR' ? `is a folder: ${USE_BATCH}` : `cannot be read: ${fileFault(error)}` }
  }
  const document = parseJson(bytes)
  return isOneRun(document)
    ? { runs: [{ name: file, trajectory: document, warnings: [] }] }
    : readRuns(file, truth, rubric)
}

const isOneRun = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && ('steps' in document || 'schema_version' in document)

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

async function readRuns(file: string, truth: GivenTruth, rubric?: string): Promise<Read> {
  const { readTrials } = await import('../../archives/trials/read-trials.ts')
  let joined = false
  const groundTruths: GroundTruths = {
    source: '',
    tasks: [],
    trials: [],
    find() {
      joined = true
      return { truth, metadata: {}, by: 'all', name: '', variant: null, dropped: [] }
    },
    rowsOf: () => [truth],
  }
  const runs: Run[] = []
  for await (const item of readTrials([file], { groundTruths, ...(rubric !== undefined && { rubric }) })) {
    if (item.source.startsWith(`${file}!`)) return { fault: `is an archive: ${USE_BATCH}` }
    if (item.kind === 'skipped') return { fault: item.detail }
    // Grade requests bring their own ground truths.
    if (!joined) return { fault: `holds grade requests: ${USE_BATCH}` }
    // The name of a run is the name of the file and the name of the run inside the file.
    const run = item.name.slice(basename(resolve(file)).length)
    runs.push({ name: `${file}${run}`, trajectory: item.request.trajectory, warnings: item.warnings })
  }
  return runs.length > 0 ? { runs } : { fault: 'holds no trajectory' }
}
