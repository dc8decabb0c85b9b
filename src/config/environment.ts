import { nearest } from '../domain/text/nearest.ts'
import {
  PROVIDER_NAMES,
  PROVIDER_PLACES,
  type Provider,
  type ProviderPlace,
  providerRow,
} from '../schemas/providers.ts'
import { refuseRemovedVariables } from './removed-settings.ts'

/** The environment as typed values. */
export type Environment = ReturnType<typeof readEnvironment>

/** The variables of a provider’s judge. */
export interface ProviderEnvironment {
  /** The first variable for a key that is set; undefined: no such variable is set. */
  readonly key_env: string | undefined
  /** Unchecked, since other programs read these variables too; the judge that uses the URL checks it. */
  readonly base_url: string | undefined
  readonly model: string | undefined
  readonly places: Readonly<Partial<Record<ProviderPlace, string>>>
}

/** Modes of access; `auto` asks for keys unless the service listens on loopback. */
export const ACCESS_MODES = ['auto', 'on', 'off'] as const
export type AccessMode = (typeof ACCESS_MODES)[number]

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Variables of Veridict, but for those of providers. */
const VARIABLES = [
  'VERIDICT_HOST',
  'VERIDICT_PORT',
  'VERIDICT_DATABASE',
  'VERIDICT_DATABASE_URL',
  'VERIDICT_CONFIG',
  'VERIDICT_LOG_LEVEL',
  'VERIDICT_MAX_COST_USD_PER_DAY',
  'VERIDICT_ACCESS',
  'VERIDICT_BEHIND_TLS',
  'VERIDICT_ALLOWED_HOSTS',
  'VERIDICT_RUBRICS',
  'VERIDICT_WORKER',
  'VERIDICT_WORKER_PORT',
  // Variables of the command line.
  'VERIDICT_SERVER',
  'VERIDICT_API_KEY',
] as const
type Variable = (typeof VARIABLES)[number]

/** Variables of launchers, tests, integrations and Compose files, and of Kubernetes for a Service named `veridict`. */
const OF_OTHERS =
  /^VERIDICT_(?:LAUNCHER|SLOW_TESTS|IMAGE|PUBLISHED_PORT|REWARDS|JUDGE|RUBRIC|TIMEOUT_S|(?:ACTION|TEST|FAULT|SERVICE|PORT)_.*)$/

/** Warns of each VERIDICT_… variable that no part of Veridict reads, unless the configuration file names it (as a `key_env`). */
export function unknownVariables(env: NodeJS.ProcessEnv, readFile: (path: string) => string): string[] {
  const known: readonly string[] = [...VARIABLES, ...PROVIDER_NAMES.map((name) => providerRow(name).variables.model)]
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('VERIDICT_') && env[name] !== '' && !known.includes(name) && !OF_OTHERS.test(name),
  )
  const path = env['VERIDICT_CONFIG']
  const file = unknown.length > 0 && path ? readFile(path) : ''
  return unknown
    .filter((name) => !file.includes(name))
    .map((name) => `${name} is no variable of Veridict, and is ignored: is ${nearest(name, known)} meant?`)
}

/** Reads the environment. Throws with the name of a variable that cannot be used. An empty variable counts as absent. */
export function readEnvironment(env: NodeJS.ProcessEnv) {
  refuseRemovedVariables(env)
  const any = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const text = (name: Variable): string | undefined => any(name)
  const read = <T>(name: Variable, parse: (value: string, name: string) => T): T | undefined => {
    const value = text(name)
    return value === undefined ? undefined : parse(value, name)
  }
  return {
    host: text('VERIDICT_HOST'),
    port: read('VERIDICT_PORT', parsePort),
    database: text('VERIDICT_DATABASE'),
    /** May hold a password. */
    database_url: text('VERIDICT_DATABASE_URL'),
    /** `s3://bucket/prefix`, or `database`. */
    config_file: text('VERIDICT_CONFIG'),
    log_level: read('VERIDICT_LOG_LEVEL', choiceOf(LOG_LEVELS)),
    max_cost_usd_per_day: read('VERIDICT_MAX_COST_USD_PER_DAY', parseDollars),
    access: read('VERIDICT_ACCESS', choiceOf(ACCESS_MODES)),
    behind_tls: read('VERIDICT_BEHIND_TLS', choiceOf(['true', 'false'])),
    allowed_hosts: read('VERIDICT_ALLOWED_HOSTS', parseList),
    /** Folders of rubrics beside those that come with the product. */
    rubrics: read('VERIDICT_RUBRICS', parseList),
    worker: read('VERIDICT_WORKER', choiceOf(['on', 'off'])),
    worker_port: read('VERIDICT_WORKER_PORT', parsePort),
    providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, readProvider(any, name)])) as Readonly<
      Record<Provider, ProviderEnvironment>
    >,
  }
}

function readProvider(text: (name: string) => string | undefined, provider: Provider): ProviderEnvironment {
  const { keys, variables, needs } = providerRow(provider)
  const base_url = text(variables.base_url)
  const places = PROVIDER_PLACES.flatMap((place) => {
    const variable = needs[place]?.variable
    const value = variable === undefined ? undefined : text(variable)
    return value === undefined ? [] : [[place, value]]
  })
  return {
    key_env: keys.find((key) => text(key) !== undefined),
    base_url,
    model: text(variables.model),
    places: Object.fromEntries(places),
  }
}

function parsePort(value: string, name: string): number {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535) throw new Error(`${name} must be a port from 0 to 65535, not "${value}"`)
  return port
}

function parseDollars(value: string, name: string): number {
  if (!/^\d+(\.\d+)?$/.test(value)) throw new Error(`${name} must be dollars such as 12.50, not "${value}"`)
  return Number(value)
}

const choiceOf =
  <const T extends string>(choices: readonly T[]) =>
  (value: string, name: string): T => {
    const choice = choices.find((one) => one === value)
    if (choice === undefined) throw new Error(`${name} must be one of ${choices.join(', ')}`)
    return choice
  }

const parseList = (value: string): string[] =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Keys by the name of their variable. No configuration, log line or error holds a key. */
export interface Secrets {
  key(variable: string): string | undefined
}

export const readSecrets = (env: NodeJS.ProcessEnv): Secrets => ({
  key: (variable) => (env[variable] === '' ? undefined : env[variable]),
})
