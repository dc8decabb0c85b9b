import { readFileSync } from 'node:fs'
import { buildContext } from '../boot/context.ts'
import { loadConfig } from '../config/config.ts'
import type { Limits } from '../config/settings.ts'
import { rubricView } from '../domain/rubric/rubric-view.ts'
import { readStrictJson } from '../domain/text/strict-json.ts'
import { createInFlight } from '../http/plugins/drain.ts'
import { misfit, storageProblem } from '../http/plugins/errors.ts'
import { faultAt, HttpProblem, refusalProblem } from '../http/problem.ts'
import { judgeView } from '../ports/judge.ts'
import { inputIssues } from '../schemas/check.ts'
import type { Grade } from '../schemas/grade.ts'
import { type GradeOptions, type GradeRequest, GradeRequestSchema } from '../schemas/grade-request.ts'
import { type OpenOptions, type Veridict, VeridictError } from './contract.ts'
import { gradeMany } from './grade-many.ts'

/**
 * Opens Veridict within this process.
 *
 * @example
 * ```ts
 * await using veridict = await openVeridict({ database: 'grades.sqlite' })
 * for await (const item of veridict.gradeMany(requests)) console.log(item.index, item.ok ? item.grade.label : item.error.message)
 * ```
 * @throws {Error} naming the variable, line of the file, or database that cannot be used, and the reason
 */
export async function openVeridict(options: OpenOptions = {}): Promise<Veridict> {
  const { config, secrets } = loadConfig(environmentOf(options), (path) => readFileSync(path, 'utf8'))
  const context = await buildContext({ config, secrets, adopts_batches: false })
  const { service } = context
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
      const problem = storageProblem(error) ?? error
      if (!(problem instanceof HttpProblem)) throw error
      throw new VeridictError(problem.status, problem.code, problem.message, problem.extras.errors)
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
    judges: [...context.judges.values()].map(({ info }) => judgeView(info, config.default_judge)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const IN_MEMORY = ':memory:'

/** Makes the environment of the configuration. The caller alone names the database: a script must not write into that of a service. */
function environmentOf({ database = IN_MEMORY, config, env = process.env }: OpenOptions): NodeJS.ProcessEnv {
  const isServer = /^postgres(?:ql)?:/.test(database)
  return {
    ...env,
    VERIDICT_DATABASE: isServer ? '' : database,
    VERIDICT_DATABASE_URL: isServer ? database : '',
    ...(config !== undefined && { VERIDICT_CONFIG: config }),
  }
}

/** Reads and checks a request as the service does with its body. Throws an HttpProblem. */
function readRequest(request: unknown, { body_bytes, depth }: Pick<Limits, 'body_bytes' | 'depth'>): GradeRequest {
  let text: string
  try {
    text = JSON.stringify(request) ?? 'null'
  } catch {
    // A circular value, a BigInt, or too deep a nesting.
    throw new HttpProblem(400, 'invalid_json', 'the request cannot be written as JSON')
  }
  const bytes = Buffer.from(text)
  if (bytes.length > body_bytes)
    throw new HttpProblem(413, 'body_too_large', `the request is larger than ${body_bytes} bytes`)
  const read = readStrictJson(bytes, depth)
  if (!read.ok) throw faultAt(read.error.path, read.error.message, read.error.code)
  const issues = inputIssues(GradeRequestSchema, read.value)
  if (issues.length > 0) throw misfit('', issues)
  return read.value as GradeRequest
}

/** Grades after which the memory for equal requests is freed. */
const MOST_GRADES = 1000

let shared: Promise<Veridict> | null = null
let begun = 0

/**
 * Grades one trial in this process, with the judges that the environment has keys for; without any, with the lexical judge. Nothing is written
 * to disk. `options` overrides the members of the request.
 *
 * @example
 * ```ts
 * const { status, label } = await grade({ trajectory, ground_truth })
 * ```
 * @returns a grade: `graded` with a label, `unverified`, or `failed` for a failed judge
 * @throws {VeridictError} for a request that cannot be graded
 * @throws {Error} for an environment that cannot be used
 */
export async function grade(request: GradeRequest, options: GradeOptions = {}): Promise<Grade> {
  if (begun++ % MOST_GRADES === 0) {
    // The grades of the old Veridict have begun by the next turn, and its `close` waits for them.
    shared?.then((old) => setImmediate(() => void old.close())).catch(() => undefined)
    shared = null
  }
  shared ??= openVeridict()
  shared.catch(() => {
    shared = null
  })
  return (await shared).grade({ ...request, ...options })
}
