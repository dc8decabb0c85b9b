import { readFileSync } from 'node:fs'
import { buildContext } from '../../boot/context.ts'
import { fileFault } from '../../domain/file-fault.ts'
import { given } from '../../domain/given.ts'
import type { GradingService } from '../../grading/service.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type GradeRequest, GradeRequestSchema } from '../../schemas/grade-request.ts'
import { type GivenTruth, truthSchemaFor } from '../../schemas/ground-truth.ts'
import type { CacheMode } from '../../schemas/vocabulary.ts'
import { configurationOf } from '../client/configuration.ts'
import { EXIT, type ExitCode, type Strictness, strictCode } from '../client/exit-codes.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { exitOfGrade } from '../commands/show-command.ts'
import { adviceFor } from '../output/judge-hint.ts'
import { printGrade, printRefusal } from '../output/print-grade.ts'
import { clip, oneLine } from '../results/terminal-text.ts'
import { readGradeFile } from './grade-file-source.ts'
import { line } from './ndjson.ts'
import { checkPaths } from './trial-source.ts'

export interface GradeOptions extends Strictness {
  readonly groundTruth: string
  readonly judge?: string
  readonly rubric?: string
  readonly samples?: number
  readonly cache?: CacheMode
  readonly json?: boolean
}

/** Grades files in this process, one after the other. Returns the exit code. */
export async function gradeFiles(shell: Shell, files: readonly string[], options: GradeOptions): Promise<ExitCode> {
  await checkPaths(files, [options.groundTruth])
  const { config, secrets } = configurationOf(shell.env)
  const context = await buildContext({ config, secrets })
  try {
    const { service } = await context.project(config.project)
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
      const advice = adviceFor(code)
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
