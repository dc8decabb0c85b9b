import type { Static } from 'typebox'
import { DENIED_ACTS } from '../domain/evidence/observations.ts'
import { fileFault } from '../domain/words.ts'
import { inputIssues } from '../schemas/check.ts'
import { PROVIDER_NAMES } from '../schemas/providers.ts'
import { Choice, Closed, Type } from '../schemas/type.ts'
import { type Environment, readEnvironment, readSecrets, resolveAccess, type Secrets } from './environment.ts'
import { JudgeFileSchema, resolveJudges } from './judges.ts'
import {
  BATCHES,
  CONCURRENCY,
  LIMITS,
  POSTGRES,
  RETRY,
  resolveConcurrency,
  resolvePostgres,
  SettingError,
} from './settings.ts'
import { readYaml } from './yaml.ts'

/** The configuration file. An absent setting has a default. */
const FileSchema = Type.Partial(
  Closed({
    default_judge: Type.String({ minLength: 1 }),
    limits: LIMITS.file,
    retry: RETRY.file,
    concurrency: CONCURRENCY.file,
    evidence: Closed({ denied_acts: Type.Optional(Choice(DENIED_ACTS)) }),
    postgres: POSTGRES.file,
    batches: BATCHES.file,
    workers: Closed({ most_in_flight: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })) }),
    judges: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9._-]*$' }), JudgeFileSchema, {
      additionalProperties: false,
      description: 'names of a–z, 0–9, dots, dashes and underscores that begin with a letter',
    }),
  }),
  { additionalProperties: false },
)
type ConfigFile = Static<typeof FileSchema>

/** Holds every setting of a process, and no secret. */
export type Config = Readonly<ReturnType<typeof resolveConfig>>

/** Reads environment, configuration file and secrets. Throws with the place of a setting that cannot be used. */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  readFile: (path: string) => string,
): { config: Config; secrets: Secrets } {
  const environment = readEnvironment(env)
  const path = environment.config_file
  try {
    const file = path === undefined ? {} : readConfigFile(path, readFile)
    const secrets = readSecrets(env)
    return { config: resolveConfig(environment, file, secrets), secrets }
  } catch (error) {
    throw error instanceof SettingError ? new Error(`VERIDICT_CONFIG: ${path}: ${error.message}`) : error
  }
}

/** Resolves the settings. Of `secrets` only the variables of providers are read, each by the judge that uses and checks it. */
function resolveConfig(environment: Environment, file: ConfigFile, secrets: Secrets) {
  const host = environment.host ?? '127.0.0.1'
  const concurrency = resolveConcurrency(file.concurrency, CONCURRENCY.defaults, '/concurrency')
  const judges = resolveJudges(secrets.key, file.judges, concurrency)
  return {
    host,
    port: environment.port ?? 8787,
    /** The SQLite file; unused with PostgreSQL. */
    database: environment.database ?? './data/veridict.sqlite',
    /** Null: SQLite. */
    postgres: resolvePostgres(environment.database_url, file.postgres),
    log_level: environment.log_level ?? 'info',
    default_judge: knownJudge(file.default_judge ?? 'lexical', Object.keys(judges)),
    limits: { ...LIMITS.defaults, ...file.limits },
    retry: { ...RETRY.defaults, ...file.retry },
    concurrency,
    /** Dollars that all batches and single grades may cost in a day of UTC; null: no cap. */
    budget: { max_cost_usd_per_day: environment.max_cost_usd_per_day ?? null },
    access: resolveAccess(environment, host),
    /** Meaning of a denied act where an action anchor of the ground truth shows the act. */
    evidence: { denied_acts: file.evidence?.denied_acts ?? ('flag' as const) },
    /** Folders of rubrics beside the shipped rubrics. */
    rubrics: environment.rubrics ?? [],
    batches: { ...BATCHES.defaults, ...file.batches },
    /** The work on batches by several processes of one PostgreSQL. */
    workers: {
      /** `veridict serve` works on batches too. */
      in_service: environment.worker !== 'off',
      /** Most items of a judge in work at once in a process; null: no bound. */
      most_in_flight: file.workers?.most_in_flight ?? null,
      /** Port of /healthz, /readyz and /metrics of `veridict worker`; null: no port. */
      port: environment.worker_port ?? null,
    },
    judges,
  }
}

/** Accepts a judge that is configured, or that a provider's variables would configure. */
function knownJudge(name: string, configured: readonly string[]): string {
  const usable = ['lexical', ...configured]
  if (usable.includes(name) || PROVIDER_NAMES.some((provider) => provider === name)) return name
  throw new SettingError(`/default_judge: there is no judge ${name}; there are: ${usable.join(', ')}`)
}

/** Reads the file. An error leaves out the parser’s own words, which quote the file and may hold a secret. */
function readConfigFile(path: string, readFile: (path: string) => string): ConfigFile {
  const { value = {}, faults } = readYaml(readText(path, readFile))
  const [fault] = faults
  if (fault !== undefined)
    throw new Error(`VERIDICT_CONFIG: ${path} cannot be read as YAML or JSON at ${fault.place} (${fault.code})`)
  const found = inputIssues(FileSchema, value ?? {})
  if (found.length === 0) return (value ?? {}) as ConfigFile
  throw new SettingError(found.map(({ path: place, message }) => `${place || '/'} ${message}`).join('; '))
}

function readText(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`VERIDICT_CONFIG: there is no file ${path}`)
    throw new Error(`VERIDICT_CONFIG: ${path} cannot be read: ${fileFault(error)}`)
  }
}
