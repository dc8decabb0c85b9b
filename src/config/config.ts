import { Type } from 'typebox'
import { parse } from 'yaml'
import { schemaIssues } from '../schemas/check.ts'
import { type Environment, type LogLevel, readEnvironment } from './environment.ts'
import { type JudgeFile, JudgeFileSchema, type JudgeSettings } from './judge-settings.ts'
import { PROVIDER_DEFAULTS } from './model-defaults.ts'
import { readSecrets, type Secrets } from './secrets.ts'

export interface Limits {
  readonly body_bytes: number
  readonly depth: number
  readonly max_steps: number
  readonly max_part_chars: number
}

/** Milliseconds, but for the count. */
export interface RetrySettings {
  readonly max_attempts: number
  readonly deadline_ms: number
  readonly call_timeout_ms: number
  readonly base_delay_ms: number
  readonly max_delay_ms: number
  readonly max_retry_after_ms: number
}

/** Everything that can be configured, decided. Holds no secret. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly log_level: LogLevel
  readonly default_judge: string
  readonly limits: Limits
  readonly retry: RetrySettings
  readonly judges: Readonly<Record<string, JudgeSettings>>
}

const LIMITS: Limits = { body_bytes: 32 * 1024 * 1024, depth: 64, max_steps: 20_000, max_part_chars: 8_000_000 }
const RETRY: RetrySettings = {
  max_attempts: 4,
  deadline_ms: 180_000,
  call_timeout_ms: 120_000,
  base_delay_ms: 500,
  max_delay_ms: 20_000,
  max_retry_after_ms: 60_000,
}

const positive = () => Type.Optional(Type.Integer({ minimum: 1 }))
const closed = { additionalProperties: false } as const

const FileSchema = Type.Object(
  {
    default_judge: Type.Optional(Type.String({ minLength: 1 })),
    limits: Type.Optional(
      Type.Object(
        { body_bytes: positive(), depth: positive(), max_steps: positive(), max_part_chars: positive() },
        closed,
      ),
    ),
    retry: Type.Optional(
      Type.Object(
        {
          max_attempts: positive(),
          deadline_ms: positive(),
          call_timeout_ms: positive(),
          base_delay_ms: positive(),
          max_delay_ms: positive(),
          max_retry_after_ms: positive(),
        },
        closed,
      ),
    ),
    judges: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z][a-z0-9._-]*$' }), JudgeFileSchema)),
  },
  closed,
)

interface ConfigFile {
  readonly default_judge?: string
  readonly limits?: Partial<Limits>
  readonly retry?: Partial<RetrySettings>
  readonly judges?: Readonly<Record<string, JudgeFile>>
}

/** Environment, then the optional file, then the secrets. Throws with the place of what cannot be used. */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  readFile: (path: string) => string,
): { config: Config; secrets: Secrets } {
  const environment = readEnvironment(env)
  const file = environment.config_file === undefined ? {} : readConfigFile(environment.config_file, readFile)
  const config: Config = {
    host: environment.host ?? '127.0.0.1',
    port: environment.port ?? 8787,
    database: environment.database ?? './data/veridict.sqlite',
    log_level: environment.log_level ?? 'info',
    default_judge: file.default_judge ?? 'lexical',
    limits: { ...LIMITS, ...file.limits },
    retry: { ...RETRY, ...file.retry },
    judges: { ...environmentJudges(environment), ...fileJudges(file) },
  }
  return { config, secrets: readSecrets(env) }
}

function readConfigFile(path: string, readFile: (path: string) => string): ConfigFile {
  let value: unknown
  try {
    value = parse(readFile(path)) as unknown
  } catch (error) {
    throw new Error(`VERIDICT_CONFIG: ${path} cannot be read as YAML or JSON (${(error as Error).name})`)
  }
  const issues = schemaIssues(FileSchema, value ?? {})
  if (issues.length > 0) {
    const places = issues.map((issue) => `${issue.path === '' ? '/' : issue.path} ${issue.message}`).join('; ')
    throw new Error(`VERIDICT_CONFIG: ${path}: ${places}`)
  }
  return (value ?? {}) as ConfigFile
}

/** A key in the environment is enough to have the provider’s judge. */
function environmentJudges(environment: Environment): Record<string, JudgeSettings> {
  const judges: Record<string, JudgeSettings> = {}
  for (const provider of ['openai', 'anthropic'] as const) {
    const given = environment[provider]
    if (!given.has_key) continue
    const defaults = PROVIDER_DEFAULTS[provider]
    judges[provider] = { ...defaults, model: given.model ?? defaults.model, base_url: given.base_url ?? null }
  }
  return judges
}

const fileJudges = (file: ConfigFile): Record<string, JudgeSettings> =>
  Object.fromEntries(
    Object.entries(file.judges ?? {}).map(([name, judge]) => {
      if (name === 'lexical') throw new Error('VERIDICT_CONFIG: /judges/lexical is built in and cannot be replaced')
      return [name, { ...PROVIDER_DEFAULTS[judge.provider], ...judge } as JudgeSettings]
    }),
  )
