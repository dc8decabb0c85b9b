import { readFileSync } from 'node:fs'
import { buildContext } from '../boot/context.ts'
import { loadConfig } from '../config/config.ts'
import { rubricView } from '../domain/rubric/rubric-view.ts'
import { storageProblem } from '../http/errors.ts'
import { createInFlight } from '../http/guard/in-flight.ts'
import { refusalProblem } from '../http/outcomes.ts'
import { judgeView } from '../ports/judge-view.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/grade-request.ts'
import type { OpenOptions, Veridict } from './contract.ts'
import { gradeMany } from './grade-many.ts'
import { readRequest } from './read-request.ts'
import { asVeridictError, VeridictError } from './veridict-error.ts'

/**
 * Opens Veridict within this process.
 *
 * @example
 * ```ts
 * await using veridict = await openVeridict({ database: 'grades.sqlite' })
 * for await (const item of veridict.gradeMany(requests)) console.log(item.index, item.ok ? item.grade.label : item.error.message)
 * ```
 * @throws {Error} that says which variable, line of the file, or database cannot be used, and why
 */
export async function openVeridict(options: OpenOptions = {}): Promise<Veridict> {
  const { config, secrets } = loadConfig(environmentOf(options), (path) => readFileSync(path, 'utf8'))
  const context = await buildContext({ config, secrets, adopts_batches: false })
  const { service } = await context.project(config.project).catch(async (error: unknown) => {
    await context.close()
    throw error
  })
  const inFlight = createInFlight()
  let closing: Promise<void> | null = null

  async function gradeOne(request: GradeRequest): Promise<Grade> {
    const outcome = await service.grade(readRequest(request, config.limits))
    if (!outcome.ok) throw refusalProblem(outcome.refusal)
    return outcome.grade
  }

  async function grade(request: GradeRequest): Promise<Grade> {
    if (closing !== null) throw new VeridictError(503, 'draining', 'this Veridict was closed')
    return inFlight.track(gradeOne(request)).catch((error: unknown) => {
      throw asVeridictError(storageProblem(error) ?? error)
    })
  }

  const close = (): Promise<void> => {
    closing ??= inFlight.settled().then(() => context.close())
    return closing
  }

  return {
    grade,
    gradeMany: (requests, many) => gradeMany(grade, requests, many),
    rubrics: [...context.rubrics.values()].map(rubricView),
    judges: [...context.judges.values()].map(({ info }) => judgeView(info, config.default_judge, context.clock.now())),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const IN_MEMORY = ':memory:'

/** Where the database is says the caller alone: a variable that is meant for a service would have a script write into its database. */
function environmentOf({ database = IN_MEMORY, config, env = process.env }: OpenOptions): NodeJS.ProcessEnv {
  const isServer = /^postgres(?:ql)?:/.test(database)
  return {
    ...env,
    VERIDICT_DATABASE: isServer ? '' : database,
    VERIDICT_DATABASE_URL: isServer ? database : '',
    // What is forgotten on close must leave nothing in a bucket.
    ...(database === IN_MEMORY && { VERIDICT_BLOBS: '' }),
    ...(config !== undefined && { VERIDICT_CONFIG: config }),
  }
}
