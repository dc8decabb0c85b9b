/** The environment as typed values: the only reader of `process.env`. Values are text; `config.ts` gives them meaning. */
export interface Environment {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly database: string | undefined
  readonly config_file: string | undefined
  readonly log_level: LogLevel | undefined
  readonly max_cost_usd_per_day: number | undefined
  readonly openai: ProviderEnvironment
  readonly anthropic: ProviderEnvironment
}

export interface ProviderEnvironment {
  readonly has_key: boolean
  readonly base_url: string | undefined
  readonly model: string | undefined
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Throws with the name of the variable that cannot be used. An empty variable counts as absent. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  return {
    host: text('VERIDICT_HOST'),
    port: readPort(text('VERIDICT_PORT')),
    database: text('VERIDICT_DATABASE'),
    config_file: text('VERIDICT_CONFIG'),
    log_level: readLogLevel(text('VERIDICT_LOG_LEVEL')),
    max_cost_usd_per_day: readDollars('VERIDICT_MAX_COST_USD_PER_DAY', text),
    openai: readProvider(text, 'OPENAI'),
    anthropic: readProvider(text, 'ANTHROPIC'),
  }
}

function readProvider(text: (name: string) => string | undefined, name: 'OPENAI' | 'ANTHROPIC'): ProviderEnvironment {
  const base_url = text(`${name}_BASE_URL`)
  if (base_url !== undefined && !URL.canParse(base_url)) throw new Error(`${name}_BASE_URL is not a URL`)
  return { has_key: text(`${name}_API_KEY`) !== undefined, base_url, model: text(`VERIDICT_${name}_MODEL`) }
}

function readPort(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const port = Number(value)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`VERIDICT_PORT must be a port from 0 to 65535, not "${value}"`)
  return port
}

function readDollars(name: string, text: (name: string) => string | undefined): number | undefined {
  const value = text(name)
  if (value === undefined) return undefined
  if (!/^\d+(\.\d+)?$/.test(value)) throw new Error(`${name} must be dollars such as 12.50, not "${value}"`)
  return Number(value)
}

function readLogLevel(value: string | undefined): LogLevel | undefined {
  if (value === undefined) return undefined
  const level = LOG_LEVELS.find((one) => one === value)
  if (level === undefined) throw new Error(`VERIDICT_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`)
  return level
}
