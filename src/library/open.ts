import { readFileSync } from 'node:fs'
import { buildContext } from '../boot/context.ts'
import type { LocalVeridict, Veridict } from '../client/veridict.ts'
import { loadConfig } from '../config/config.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeOptions, GradeRequest } from '../schemas/trial.ts'
import { local } from './local.ts'

/** Options of `openVeridict`. Without any, the lexical judge grades, and nothing is written to disk. */
export interface OpenOptions {
  /**
   * The file of the SQLite database, made if it is missing, or the `postgres://` URL of a PostgreSQL: it keeps grades, judge calls and
   * trajectories, and answers equal requests. Without it they stay in memory until `close`.
   */
  readonly database?: string
  /** The configuration file (docs/configuration.md); default: `VERIDICT_CONFIG` of `env`. */
  readonly config?: string
  /** Replaces `process.env`: keys of judges, such as `OPENAI_API_KEY`, and the variables of docs/configuration.md except the database. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

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
export async function openVeridict(options: OpenOptions = {}): Promise<LocalVeridict> {
  const { config, secrets } = loadConfig(environmentOf(options), (path) => readFileSync(path, 'utf8'))
  return local(await buildContext({ config, secrets, adopts_batches: false }))
}

/** Makes the environment of the configuration. The caller alone names the database: a script must not write into that of a service. */
function environmentOf({ database = ':memory:', config, env = process.env }: OpenOptions): NodeJS.ProcessEnv {
  const isServer = /^postgres(?:ql)?:/.test(database)
  return {
    ...env,
    VERIDICT_DATABASE: isServer ? '' : database,
    VERIDICT_DATABASE_URL: isServer ? database : '',
    ...(config !== undefined && { VERIDICT_CONFIG: config }),
  }
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
 * @throws {ServiceError} for a request that cannot be graded
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
