import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/count.ts'
import { signalEcho } from '../../process/signal-echo.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { Options } from '../input/command-options.ts'
import { type OutputTarget, openOutput } from '../output/output-target.ts'
import { createProgressView, doneOf, type ProgressView } from '../output/progress.ts'
import type { OutputFormat } from '../output/results-format.ts'
import { paintFor } from '../output/text.ts'
import type { Client } from './client.ts'
import { CliError, EXIT, type ExitCode, localRefusal, runCommand } from './errors.ts'
import { connect } from './service-connection.ts'
import { commandLine, type DatabaseUse, quote, type ServiceConnection, type Shell } from './shell.ts'

/** The output, the progress and the signals of a command. */
export interface Console {
  readonly view: ProgressView
  readonly target: OutputTarget
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

interface Interruption {
  /** Aborts at the first Ctrl-C, SIGTERM, or SIGHUP of a closing terminal. */
  readonly signal: AbortSignal
  /** Removes the signal handlers. */
  release(): void
}

/**
 * Watches the signals of the shell. The first signal asks for a clean stop; a second Ctrl-C or SIGTERM ends the process at once. A second
 * SIGHUP does not: the kernel and the shell both send SIGHUP when a terminal closes.
 */
function watchInterruption(shell: Shell): Interruption {
  const controller = new AbortController()
  const stop = () => controller.abort(new CliError('interrupted', [], EXIT.interrupted))
  const isEcho = signalEcho(shell.env)
  const onSignal = () => {
    if (isEcho()) return
    if (controller.signal.aborted) shell.exit(EXIT.interrupted)
    else stop()
  }
  shell.signals.on('SIGINT', onSignal)
  shell.signals.on('SIGTERM', onSignal)
  shell.signals.on('SIGHUP', stop)
  return {
    signal: controller.signal,
    release() {
      shell.signals.off('SIGINT', onSignal)
      shell.signals.off('SIGTERM', onSignal)
      shell.signals.off('SIGHUP', stop)
    },
  }
}

/** Opens the console of a command, runs the command, and discards unfinished output in any case. */
export async function withConsole<T>(
  shell: Shell,
  out: string | undefined,
  work: (console: Console) => Promise<T>,
): Promise<T> {
  const target = await openOutput(shell, out)
  const { signal, release } = watchInterruption(shell)
  const view = await createProgressView(shell.err, shell.env)
  try {
    return await work({ target, view, signal })
  } finally {
    view.end()
    await target.discard()
    release()
  }
}

/** The state of a command that follows a batch. */
export interface Session extends Console {
  readonly shell: Shell
  readonly connection: ServiceConnection
  readonly client: Client
  readonly format: OutputFormat
  /** The batch of the command, or null before it exists. An interruption reports it. */
  batch: Batch | null
  /** Whether the command only follows the batch, which another process runs. */
  follows: boolean
  /** Trials that the reading of the paths skipped. */
  skipped: number
}

const NOTHING_YET = { batch: null, follows: false, skipped: 0 }

/** Runs a command that asks a service, to its exit code. */
export const inSession = (...work: Parameters<typeof withSession>): Promise<void> =>
  runCommand(work[0], () => withSession(...work))

/**
 * Opens a session, runs the command, and closes the session in any case. A Ctrl-C ends with the next commands. `database`: the use of the
 * database by a service in this process, by default `make`, or `look_any` for a dry run.
 */
export const withSession = (
  shell: Shell,
  options: Options & { readonly database?: DatabaseUse },
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> =>
  withConsole(shell, options.out, async (opened) => {
    const { signal, view } = opened
    let session: Session | null = null
    try {
      const { database = options.dryRun ? 'look_any' : 'make' } = options
      const connection = await connect(shell, options.server, database)
      const format = options.output ?? 'table'
      session = { ...opened, shell, connection, client: connection.client, format, ...NOTHING_YET }
      signal.throwIfAborted()
      return await work(session)
    } catch (error) {
      const isLocal = session?.connection.embedded === true && error instanceof ServiceError
      if (!signal.aborted) throw isLocal ? localRefusal(error, options.judge) : error
      view.end()
      throw await interrupted(shell, session, options)
    } finally {
      view.end()
      await session?.connection.close()
    }
  })

/** Stops the batch of this process, and returns the error with the next commands. */
async function interrupted(shell: Shell, session: Session | null, options: Options): Promise<CliError> {
  const stopped = (message: string, ...advice: string[]) => new CliError(message, advice, EXIT.interrupted)
  if (session === null) return stopped('interrupted: nothing was begun')
  const { connection } = session
  // A service in this process is not asked: the call would delay its stop. Another service has a second to answer.
  const seen = session.batch
  const batch =
    seen === null || connection.embedded
      ? seen
      : await session.client.readBatch(seen.id, AbortSignal.timeout(1000)).catch(() => seen)
  // Another process runs a batch that the command follows, and every batch of a PostgreSQL.
  const goesOn = session.follows || connection.shares
  if (connection.embedded && !session.follows) {
    const stopping = paintFor(shell.err, shell.env)('yellow', 'stopping')
    if (batch !== null && !goesOn)
      shell.err.write(`${stopping}: calls in flight end first; Ctrl-C again ends at once\n`)
    await connection.close()
  }
  if (batch === null) {
    const when = connection.embedded ? ': this command made no batch' : ' before there was a batch'
    return stopped(`interrupted${when}`, `Start again: ${commandLine(shell)}`)
  }
  const done = doneOf(batch.counts)
  const state =
    done === 0
      ? 'what is done is kept'
      : `at least ${done} of ${count(batch.counts.total, 'item')} ${done === 1 ? 'is' : 'are'} done and kept`
  const id = `${batch.id}${connection.flag}`
  if (connection.embedded && goesOn)
    return stopped(
      `detached: the process that runs ${batch.id} goes on (${state})`,
      ...[`Follow: veridict status ${id} --follow`, `Results: veridict results ${id}`, `Cancel: veridict cancel ${id}`],
    )
  if (connection.embedded) return stopped(`stopped: ${state}`, `Go on: veridict resume ${id}${outputFlags(options)}`)
  return stopped(
    `detached: ${batch.id} goes on at ${connection.url} (${state})`,
    ...[`Follow: veridict status ${id} --follow`, `Results: veridict results ${id}`, `Cancel: veridict cancel ${id}`],
  )
}

/** Renders the output options again, for the command that goes on. */
const outputFlags = ({ output, out }: Options): string =>
  (output === undefined || output === 'table' ? '' : ` -o ${output}`) +
  (out === undefined ? '' : ` --out ${quote(out)}`)
