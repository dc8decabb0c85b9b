import { inert } from '../results/terminal-text.ts'
import { asTyped } from './program-name.ts'

/** Renders the reason why a service does not start, and a line of advice; never a stack trace. */
export function startFailureText(error: unknown, started: StartedBy): string {
  const { message, advice } = explain(error, started.env, started.port ?? 'VERIDICT_PORT')
  const lines = [...message.split('\n'), ...(advice === null ? [] : [`  ${asTyped(started, advice)}`])]
  return `veridict: cannot start: ${lines.map(inert).join('\n')}\n`
}

interface StartedBy {
  readonly env: NodeJS.ProcessEnv
  /** The words for `veridict` in advice. */
  readonly program?: string
  /** The variable of the port. */
  readonly port?: 'VERIDICT_PORT' | 'VERIDICT_WORKER_PORT'
}

interface Explanation {
  readonly message: string
  /** Null where the message holds the advice. */
  readonly advice: string | null
}

/** An error of Node.js about an address. Its message names system calls. */
interface AddressError extends Error {
  readonly code?: string
  readonly syscall?: string
  readonly address?: string
  readonly hostname?: string
  readonly port?: number
}

function explain(error: unknown, env: NodeJS.ProcessEnv, variable: string): Explanation {
  if (!(error instanceof Error)) return { message: 'unknown error', advice: LOOK }
  const storage = readStorageFailure(error)
  if (storage !== null) return { message: storage.message, advice: adviceOfDatabase(env, storage.away) }
  return explainAddress(error, variable) ?? { message: error.message, advice: adviceOf(error.message) }
}

function explainAddress(
  { code, syscall, address = '', hostname, port }: AddressError,
  variable: string,
): Explanation | null {
  if (syscall === 'getaddrinfo') return { message: `VERIDICT_HOST: there is no host ${hostname ?? ''}`, advice: HOSTS }
  if (syscall !== 'listen') return null
  if (code === 'EADDRINUSE') {
    const host = address.includes(':') ? `[${address}]` : address
    return { message: `${host}:${port} is taken: set ${variable}, or stop what listens there`, advice: null }
  }
  if (code === 'EACCES')
    return { message: `this user may not listen on port ${port}`, advice: `Set ${variable} to one from 1024 on.` }
  if (code === 'EADDRNOTAVAIL')
    return { message: `VERIDICT_HOST: ${address} is no address of this machine`, advice: HOSTS }
  return null
}

const HOSTS = '127.0.0.1 is this machine alone, 0.0.0.0 every address that it has.'
const SETTINGS = 'docs/configuration.md has every variable, and every key of the file.'
const LOOK = '`veridict doctor` looks at the database; docs/configuration.md has what can be set.'

const adviceOf = (message: string): string =>
  /^(?:VERIDICT_|OPENAI_|ANTHROPIC_|OTEL_|access\.|the default judge|a worker shares)/.test(message) ? SETTINGS : LOOK

function adviceOfDatabase(env: NodeJS.ProcessEnv, away: boolean): string {
  // The URL may hold a password.
  if (env['VERIDICT_DATABASE_URL'])
    return away
      ? 'Its address is in VERIDICT_DATABASE_URL: does the server run there? (docs/postgres.md)'
      : 'docs/postgres.md says what it needs.'
  const database = env['VERIDICT_DATABASE'] || './data/veridict.sqlite'
  return `The database is ${database} (VERIDICT_DATABASE); \`veridict doctor\` looks at it, docs/operations.md says more.`
}

interface StorageFailure {
  readonly message: string
  /** Whether no database answered. */
  readonly away: boolean
}

/** Reads the failure of a store, with its server, for the user. The name of the error decides: commands import no store. */
export function readStorageFailure(error: unknown): StorageFailure | null {
  if (!(error instanceof Error) || error.name !== 'StorageError') return null
  const { server, away } = error as { readonly server?: unknown; readonly away?: unknown }
  const at = typeof server === 'string' ? ` (${server})` : ''
  return { message: error.message + at, away: away === true }
}
