import { readFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import { buildContext, type Context } from '../context.ts'
import { schemaIssues } from '../schemas/check.ts'
import type { Grade } from '../schemas/grade.ts'
import { type GradeRequest, GradeRequestSchema } from '../schemas/grade-request.ts'
import type { CacheMode } from '../schemas/vocabulary.ts'
import { printGrade, printRefusal } from './print-grade.ts'

export interface GradeOptions {
  readonly groundTruth: string
  readonly judge?: string
  readonly rubric?: string
  readonly samples?: number
  readonly cache?: CacheMode
  readonly json?: boolean
}

/** Grades files one after the other in this process. Answers the exit code. */
export async function gradeFiles(
  files: readonly string[],
  options: GradeOptions,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { config, secrets } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  const context = await buildContext({ config, secrets })
  try {
    let worst = 0
    for (const file of files) worst = Math.max(worst, await gradeFile(context, file, options))
    return worst
  } finally {
    await context.close()
  }
}

async function gradeFile(context: Context, file: string, options: GradeOptions): Promise<number> {
  const request = readRequest(file, options)
  if ('fault' in request) return refuse(file, request.fault, [])
  const issues = schemaIssues(GradeRequestSchema, request.value)
  if (issues.length > 0) return refuse(file, 'the request is not valid', issues)
  const outcome = await context.service.grade(request.value)
  if (!outcome.ok) return refuse(file, outcome.refusal.detail, outcome.refusal.errors)
  if (options.json) process.stdout.write(`${JSON.stringify({ file, ...outcome.grade })}\n`)
  else process.stdout.write(printGrade(file, outcome.grade))
  return exitCode(outcome.grade)
}

const exitCode = (grade: Grade): number => (grade.status === 'graded' ? 0 : grade.status === 'unverified' ? 2 : 3)

function refuse(file: string, detail: string, errors: readonly { path: string; message: string }[]): number {
  process.stderr.write(printRefusal(file, detail, errors))
  return 1
}

function readRequest(file: string, options: GradeOptions): { value: GradeRequest } | { fault: string } {
  const trajectory = readJson(file)
  if ('fault' in trajectory) return trajectory
  const truth = readJson(options.groundTruth)
  if ('fault' in truth) return truth
  const { judge, rubric, samples, cache } = options
  const value = {
    trajectory: trajectory.value,
    ground_truth: truth.value,
    ...(judge !== undefined && { judge }),
    ...(rubric !== undefined && { rubric }),
    ...(samples !== undefined && { samples }),
    ...(cache !== undefined && { cache }),
  }
  return { value: value as GradeRequest }
}

function readJson(file: string): { value: unknown } | { fault: string } {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return { fault: `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}` }
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { fault: `${file} is not JSON` }
  }
}
