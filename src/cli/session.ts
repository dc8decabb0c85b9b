import { ServiceError } from '../client/errors.ts'
import { readSecrets } from '../config/environment.ts'
import { RubricError } from '../domain/rubric/load/rubric-error.ts'
import { count } from '../domain/words.ts'
import { remote } from '../library/remote.ts'
import type { LocalVeridict, Veridict } from '../library/veridict.ts'
import { signalEcho } from '../process/stop.ts'
import type { Batch } from '../schemas/batch.ts'
import { CliError, EXIT, type ExitCode, localRefusal, messageOf, readStorageFailure, runCommand } from './errors.ts'
import type { Options } from './input/command-options.ts'
import { type OutputTarget, openOutput } from './output/output-target.ts'
import { createProgressView, doneOf, type ProgressView } from './output/progress.ts'
import type { OutputFormat } from './output/results-format.ts'
import { inert, line, paintFor } from './output/text.ts'
import { commandLine, type DatabaseUse, quote, type Shell } from './shell.ts'

export const SERVER_HELP = `Where it runs:
  --server URL, or the variable VERIDICT_SERVER, names a running service (\`veridict serve\`).
  VERIDICT_API_KEY is the key for that service.
  Without a named service the command runs its own in this process, on the database VERIDICT_DATABASE. With
  VERIDICT_DATABASE_URL the command stores its batch there, and a service or \`veridict worker\` runs the batch.
  Only commands that grade make a missing database; commands that read refuse a missing database.`

/** The output, the progress and the signals of a command. */
export interface Console {
  readonly shell: Shell
  readonly view: ProgressView
  /** The target of texts; with `--json` the command writes no text. */
  readonly target: OutputTarget
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Whether the command writes its data as one JSON object. */
  readonly json: boolean
  /** The data of the command, for `--json`. */
  data: unknown
}

type ConsoleOptions = Pick<Options, 'out' | 'force' | 'json'>

/** Opens the console of a command, runs the command, and discards unfinished output in any case. */
export async function withConsole(
  shell: Shell,
  { out, force, json = false }: ConsoleOptions,
  work: (console: Console) => Promise<ExitCode>,
): Promise<ExitCode> {
  const target = await openOutput(shell, out, force)
  const { signal, release } = watchInterruption(shell)
  const view = await createProgressView(shell.err, shell.env)
  const silent = { screen: target.screen, write: async () => {}, commit: async () => {}, discard: async () => {} }
  const console: Console = { shell, view, target: json ? silent : target, signal, json, data: null }
  try {
    const code = await work(console)
    if (json) await target.write(line({ ok: true, data: console.data }))
    if (json) await target.commit()
    return code
  } finally {
    view.end()
    await target.discard()
    release()
  }
}

/** Runs a command with a console, to its exit code. */
export const inConsole = (
  shell: Shell,
  options: ConsoleOptions,
  work: (console: Console) => Promise<ExitCode>,
): Promise<void> => runCommand(shell, () => withConsole(shell, options, work), options)

/**
 * Watches the signals of the shell. The first signal asks for a clean stop; a second Ctrl-C or SIGTERM ends the process at once. A second
 * SIGHUP does not: the kernel and the shell both send SIGHUP when a terminal closes.
 */
function watchInterruption(shell: Shell) {
  const controller = new AbortController()
  const stop = () => controller.abort(new CliError('interrupted', [], EXIT.interrupted))
  const isEcho = signalEcho(shell.env)
  const onSignal = () => {
    if (isEcho()) return
    if (controller.signal.aborted) shell.exit(EXIT.interrupted)
    else stop()
  }
  const listeners = { SIGINT: onSignal, SIGTERM: onSignal, SIGHUP: stop }
  const each = (verb: 'on' | 'off') => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) shell.signals[verb](name, listeners[name])
  }
  each('on')
  return { signal: controller.signal, release: () => each('off') }
}

/** The Veridict of a command: a running service, or this process. */
export interface Connection {
  readonly veridict: Veridict
  /** Veridict in this process, which ends with the command; null for a service. */
  readonly local: LocalVeridict | null
  readonly url: string
  /** ` --server URL`, for the next commands; empty for this process. */
  readonly flag: string
}

/** Opens the service of `--server` or VERIDICT_SERVER, else Veridict in this process. */
export async function connect(shell: Shell, server: string | undefined, use: DatabaseUse): Promise<Connection> {
  const url = server ?? (shell.env['VERIDICT_SERVER'] || undefined)
  if (url !== undefined) return connectTo(url, readKey(shell.env))
  const veridict = await openLocal(shell, use)
  return { veridict, local: veridict, url: 'this process', flag: '' }
}

function connectTo(url: string, key: string | undefined): Connection {
  const parsed = URL.parse(url)
  if (parsed === null || inert(url) !== url || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    throw new CliError(`"${url}" is not the address of a service`, [
      'Give an address like --server http://127.0.0.1:8787',
    ])
  return { veridict: remote(url, key, { retries: { tries: 1 } }), local: null, url, flag: ` --server ${url}` }
}

/** Reads the key of the service. The error of an unusable key does not show it; the error of `fetch` would. */
function readKey(env: NodeJS.ProcessEnv): string | undefined {
  const key = readSecrets(env).key('VERIDICT_API_KEY')?.trim()
  if (key === undefined || /^[!-~]+$/.test(key)) return key
  throw new CliError('VERIDICT_API_KEY is not a key', [
    'A key looks like vk_…; `veridict keys create NAME` makes a key.',
  ])
}

async function openLocal(shell: Shell, use: DatabaseUse): Promise<LocalVeridict> {
  try {
    return await shell.openLocal(shell.env, use)
  } catch (error) {
    if (error instanceof CliError || error instanceof RubricError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const isBusy = /^(?:storage_busy$|SQLITE_(?:BUSY|LOCKED))/.test(code)
    // A service would meet the refusal of a PostgreSQL, too.
    const isRefused = Boolean(shell.env['VERIDICT_DATABASE_URL']) && readStorageFailure(error)?.away !== true
    const advice = 'If a service runs on this database already, use that service: --server http://127.0.0.1:8787'
    throw new CliError(`cannot start in this process: ${messageOf(error)}`, isBusy && !isRefused ? [advice] : [])
  }
}

/** The state of a command that asks Veridict. */
export interface Session extends Console, Connection {
  readonly format: OutputFormat
  /** The batch of the command, or null before it exists. An interruption reports it. */
  batch: Batch | null
  /** Whether the command only follows the batch, which another process runs. */
  follows: boolean
  /** Trials that the reading of the paths skipped. */
  skipped: number
}

/**
 * Runs a command that asks Veridict, to its exit code. A Ctrl-C ends with the next commands. `database`: the use of the database in this process,
 * by default `make`, or `look_any` for a dry run.
 */
export const inSession = (
  shell: Shell,
  options: SessionOptions,
  work: (session: Session) => Promise<ExitCode>,
): Promise<void> => inConsole(shell, options, (console) => withConnection(console, options, work))

type SessionOptions = Options & { readonly database?: DatabaseUse }

/** Opens the session of a console, and closes its Veridict in any case. */
export async function withConnection(
  console: Console,
  options: SessionOptions,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { shell, signal, view } = console
  let session: Session | null = null
  try {
    const connection = await connect(shell, options.server, options.database ?? (options.dryRun ? 'look_any' : 'make'))
    const format = options.output ?? 'table'
    session = Object.assign(console, connection, { format, batch: null, follows: false, skipped: 0 })
    signal.throwIfAborted()
    return await work(session)
  } catch (error) {
    const isLocal = session !== null && session.local !== null && error instanceof ServiceError
    if (!signal.aborted) throw isLocal ? localRefusal(error, options.judge) : error
    view.end()
    throw await interrupted(console, session, options)
  } finally {
    view.end()
    await session?.veridict.close()
  }
}

/** Stops the batch of this process, and returns the error with the next commands. */
async function interrupted({ shell }: Console, session: Session | null, options: Options): Promise<CliError> {
  const stopped = (message: string, ...advice: string[]) => new CliError(message, advice, EXIT.interrupted)
  if (session === null) return stopped('interrupted: nothing was begun')
  const { local, veridict, flag, url } = session
  // Veridict in this process is not asked: the call would delay its stop. A service has a second to answer.
  const seen = session.batch
  const isAsked = seen !== null && local === null
  const batch = isAsked ? await veridict.batch(seen.id, { signal: AbortSignal.timeout(1000) }).catch(() => seen) : seen
  // Another process runs a batch that the command follows, and every batch of a PostgreSQL.
  const goesOn = local === null || session.follows || local.shares_batches
  if (local !== null && !session.follows) {
    const stopping = paintFor(shell.err, shell.env)('yellow', 'stopping')
    if (batch !== null && !goesOn)
      shell.err.write(`${stopping}: calls in flight end first; Ctrl-C again ends at once\n`)
    await local.close()
  }
  if (batch === null) {
    const when = local === null ? ' before there was a batch' : ': this command made no batch'
    return stopped(`interrupted${when}`, `Start again: ${commandLine(shell)}`)
  }
  const done = doneOf(batch.counts)
  const state =
    done === 0
      ? 'what is done is kept'
      : `at least ${done} of ${count(batch.counts.total, 'item')} ${done === 1 ? 'is' : 'are'} done and kept`
  const id = `${batch.id}${flag}`
  if (!goesOn) return stopped(`stopped: ${state}`, `Go on: veridict resume ${id}${outputFlags(options)}`)
  return stopped(
    `detached: ${local === null ? `${batch.id} goes on at ${url}` : `the process that runs ${batch.id} goes on`} (${state})`,
    ...[`Follow: veridict status ${id} --follow`, `Results: veridict results ${id}`, `Cancel: veridict cancel ${id}`],
  )
}

/** Renders the output options again, for the command that goes on. */
const outputFlags = ({ output, out }: Options): string =>
  (output === undefined || output === 'table' ? '' : ` -o ${output}`) +
  (out === undefined ? '' : ` --out ${quote(out)}`)
