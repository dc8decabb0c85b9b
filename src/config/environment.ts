import { isIPv4 } from 'node:net'
import { nearest } from '../domain/words.ts'
import { PROVIDER_NAMES, type Provider, providerRow } from '../schemas/providers.ts'
import { refuseRemovedVariables } from './settings.ts'

type Parse<T> = (value: string, name: string) => T

const asText: Parse<string> = (value) => value
const asList: Parse<string[]> = (value) => value.split(',').flatMap((item) => item.trim() || [])

const asNumber =
  (form: RegExp, most: number, words: string): Parse<number> =>
  (value, name) => {
    if (form.test(value) && Number(value) <= most) return Number(value)
    throw new Error(`${name} must be ${words}, not "${value}"`)
  }
const asPort = asNumber(/^\d+$/, 65_535, 'a port from 0 to 65535')

const asChoice =
  <const T extends string>(...choices: readonly T[]): Parse<T> =>
  (value, name) => {
    const choice = choices.find((word) => word === value)
    if (choice === undefined) throw new Error(`${name} must be one of ${choices.join(', ')}`)
    return choice
  }

/** Variables of the service and its workers, each with its setting and its form. */
const VARIABLES = {
  host: ['VERIDICT_HOST', asText],
  port: ['VERIDICT_PORT', asPort],
  database: ['VERIDICT_DATABASE', asText],
  /** May hold a password. */
  database_url: ['VERIDICT_DATABASE_URL', asText],
  config_file: ['VERIDICT_CONFIG', asText],
  log_level: ['VERIDICT_LOG_LEVEL', asChoice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')],
  max_cost_usd_per_day: ['VERIDICT_MAX_COST_USD_PER_DAY', asNumber(/^\d+(\.\d+)?$/, Infinity, 'dollars such as 12.50')],
  /** `auto` asks for keys unless the service listens on loopback. */
  access: ['VERIDICT_ACCESS', asChoice('auto', 'on', 'off')],
  behind_tls: ['VERIDICT_BEHIND_TLS', asChoice('true', 'false')],
  allowed_hosts: ['VERIDICT_ALLOWED_HOSTS', asList],
  /** Folders of rubrics beside the shipped rubrics. */
  rubrics: ['VERIDICT_RUBRICS', asList],
  worker: ['VERIDICT_WORKER', asChoice('on', 'off')],
  worker_port: ['VERIDICT_WORKER_PORT', asPort],
} as const satisfies Record<string, readonly [name: string, parse: Parse<unknown>]>

/** The environment as typed values; an absent variable is undefined. */
export type Environment = { readonly [S in keyof typeof VARIABLES]: ReturnType<(typeof VARIABLES)[S][1]> | undefined }

const OF_COMMANDS = ['VERIDICT_SERVER', 'VERIDICT_API_KEY']

/** Variables of launchers, tests, integrations and Compose files, and of Kubernetes for a Service named `veridict`. */
const OF_OTHERS =
  /^VERIDICT_(?:LAUNCHER|SLOW_TESTS|IMAGE|PUBLISHED_PORT|REWARDS|JUDGE|RUBRIC|TIMEOUT_S|(?:ACTION|TEST|FAULT|SERVICE|PORT)_.*)$/

/** Warns of each VERIDICT_… variable that no part of Veridict reads, unless the configuration file names it (as a `key_env`). */
export function unknownVariables(env: NodeJS.ProcessEnv, readFile: (path: string) => string): string[] {
  const own = Object.values(VARIABLES).map(([name]): string => name)
  const known = [...own, ...OF_COMMANDS, ...PROVIDER_NAMES.map((name) => providerRow(name).variables.model)]
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
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  refuseRemovedVariables(env)
  const settings = Object.entries(VARIABLES).map(([setting, [name, parse]]) => {
    const value = env[name] || undefined
    return [setting, value === undefined ? undefined : parse(value, name)]
  })
  return Object.fromEntries(settings) as Environment
}

/** Lists the variables that the judge with the provider’s name still lacks; empty: the judge is complete. */
export function missingVariables(provider: Provider, isSet: (variable: string) => boolean): string[] {
  const { keys, variables, needs, address, defaults } = providerRow(provider)
  const key = keys.length === 0 || keys.some(isSet) ? [] : [keys.join(' or ')]
  const places = Object.values(needs).flatMap((place) => (place.default === undefined ? [place.variable] : []))
  const others = [
    ...(address === null ? [variables.base_url] : []),
    ...places,
    ...(defaults.model === null ? [variables.model] : []),
  ]
  return [...key, ...others.filter((variable) => !isSet(variable))]
}

/** Keys by the name of their variable. No configuration, log line or error holds a key. */
export interface Secrets {
  key(variable: string): string | undefined
}

export const readSecrets = (env: NodeJS.ProcessEnv): Secrets => ({
  key: (variable) => (env[variable] === '' ? undefined : env[variable]),
})

/** Tells whether every client on the network can do everything. */
export const isOpenToAll = ({ required, loopback }: ReturnType<typeof resolveAccess>): boolean => !required && !loopback

export function resolveAccess({ access: mode = 'auto', behind_tls, allowed_hosts = [] }: Environment, host: string) {
  const loopback = isLoopback(host)
  return {
    mode,
    /** A request needs a key, by `mode` and the address of the service. */
    required: mode === 'on' || (mode === 'auto' && !loopback),
    /** The service listens on a loopback address. */
    loopback,
    /** A proxy in front speaks TLS: cookies are `Secure`. */
    behind_tls: behind_tls === 'true',
    /** Accepted `Host` values beside the usual ones: a name, with or without a port. */
    allowed_hosts: allowed_hosts.map(readHost),
  }
}

/** Reads an allowed host. Throws for a misspelt host, which no request could match. */
function readHost(given: string): string {
  const host = given.toLowerCase()
  if (/^(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(host)) return host
  throw new Error(`VERIDICT_ALLOWED_HOSTS: "${given}" is not a host such as veridict.example or veridict.example:8443`)
}

/** Recognizes 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'))
}
