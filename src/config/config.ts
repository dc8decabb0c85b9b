import type { DeniedActs } from '../domain/evidence/evidence-question.ts'
import { type AccessSettings, resolveAccess } from './access-settings.ts'
import { readConfigFile } from './config-file.ts'
import { type LogLevel, readEnvironment, readSecrets, type Secrets } from './environment.ts'
import { type JudgeSettings, resolveJudges } from './judges.ts'
import {
  BATCHES,
  CONCURRENCY,
  type Concurrency,
  LIMITS,
  type Limits,
  type PostgresSettings,
  RETRY,
  resolveConcurrency,
  resolvePostgres,
  resolveWorkers,
  type WorkerSettings,
} from './settings.ts'

interface Budget {
  /** Dollars that all batches and single grades may cost in a day of UTC; null: no cap. */
  readonly max_cost_usd_per_day: number | null
}

interface EvidenceSettings {
  /** Meaning of a denied act where an action anchor of the ground truth shows the act. */
  readonly denied_acts: DeniedActs
}

/** Holds every setting of a process, and no secret. */
export interface Config {
  readonly host: string
  readonly port: number
  /** The SQLite file; unused with PostgreSQL. */
  readonly database: string
  /** Null: SQLite. */
  readonly postgres: PostgresSettings | null
  readonly log_level: LogLevel
  readonly default_judge: string
  readonly limits: Limits
  readonly retry: typeof RETRY.defaults
  readonly concurrency: Concurrency
  readonly budget: Budget
  readonly access: AccessSettings
  readonly evidence: EvidenceSettings
  /** Folders of rubrics beside the shipped rubrics. */
  readonly rubrics: readonly string[]
  readonly batches: typeof BATCHES.defaults
  readonly workers: WorkerSettings
  readonly judges: Readonly<Record<string, JudgeSettings>>
}

/** Reads environment, configuration file and secrets. Throws with the place of a setting that cannot be used. */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  readFile: (path: string) => string,
): { config: Config; secrets: Secrets } {
  const environment = readEnvironment(env)
  const file = environment.config_file === undefined ? {} : readConfigFile(environment.config_file, readFile)
  const concurrency = resolveConcurrency(file.concurrency, CONCURRENCY.defaults, '/concurrency')
  const host = environment.host ?? '127.0.0.1'
  const config: Config = {
    host,
    port: environment.port ?? 8787,
    database: environment.database ?? './data/veridict.sqlite',
    postgres: resolvePostgres(environment.database_url, file.postgres),
    log_level: environment.log_level ?? 'info',
    default_judge: file.default_judge ?? 'lexical',
    limits: { ...LIMITS.defaults, ...file.limits },
    retry: { ...RETRY.defaults, ...file.retry },
    concurrency,
    budget: { max_cost_usd_per_day: environment.max_cost_usd_per_day ?? null },
    access: resolveAccess(environment, host),
    evidence: { denied_acts: file.evidence?.denied_acts ?? 'flag' },
    rubrics: environment.rubrics ?? [],
    batches: { ...BATCHES.defaults, ...file.batches },
    workers: resolveWorkers(environment, file.workers),
    judges: resolveJudges(environment, file.judges, concurrency),
  }
  return { config, secrets: readSecrets(env) }
}
