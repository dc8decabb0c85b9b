import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { localRefusal, runCommand } from '../output/error-text.ts'
import { type OutputTarget, openOutput } from '../output/output-target.ts'
import { createProgressView, doneOf, type ProgressView } from '../output/progress.ts'
import type { OutputFormat } from '../results/results-format.ts'
import { paintFor } from '../results/terminal-text.ts'
import { CliError, EXIT, type ExitCode } from './cli-error.ts'
import type { Client } from './client.ts'
import { watchInterruption } from './interruption.ts'
import { connect } from './service-connection.ts'
import { commandLine, type DatabaseUse, quote, type ServiceConnection, type Shell } from './shell.ts'

interface SessionOptions {
  readonly server?: string
  readonly output?: OutputFormat
  readonly out?: string
  /** The judge of the options, for the advice of a refusal. */
  readonly judge?: string
  /** The use of the database by a service in this process; `make` by default. */
  readonly database?: DatabaseUse
}

/** The state of a command that follows a batch. */
export interface Session {
  readonly shell: Shell
  readonly connection: ServiceConnection
  readonly client: Client
  readonly view: ProgressView
  readonly target: OutputTarget
  readonly format: OutputFormat
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** The batch of the command, or null before it exists. An interruption reports it. */
  batch: Batch | null
  /** Trials that the reading of the paths skipped. */
  skipped: number
}

/** Runs a command that asks a service, to its exit code. */
export const inSession = (...given: Parameters<typeof withSession>): Promise<void> =>
  runCommand(given[0], () => withSession(...given))

/** Opens a session, runs the command, and closes the session in any case. A Ctrl-C ends with the next commands. */
export async function withSession(
  shell: Shell,
  options: SessionOptions,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const target = await openOutput(shell, options.out)
  const interruption = watchInterruption(shell)
  const view = await createProgressView(shell.err, shell.env)
  let session: Session | null = null
  try {
    const connection = await connect(shell, options.server, options.database)
    const { signal } = interruption
    const format = options.output ?? 'table'
    session = { shell, connection, client: connection.client, view, target, format, signal, batch: null, skipped: 0 }
    signal.throwIfAborted()
    return await work(session)
  } catch (error) {
    if (!interruption.signal.aborted) {
      const isLocal = session?.connection.embedded === true && error instanceof ServiceError
      throw isLocal ? localRefusal(error, options.judge) : error
    }
    view.end()
    throw await interrupted(shell, session, options)
  } finally {
    view.end()
    await target.discard()
    await session?.connection.close()
    interruption.release()
  }
}

/** Stops the batch of this process, and returns the error with the next commands. */
async function interrupted(shell: Shell, session: Session | null, options: SessionOptions): Promise<CliError> {
  if (session === null) return new CliError('interrupted: nothing was begun', [], EXIT.interrupted)
  const { connection } = session
  const batch = await lastState(session)
  const paint = paintFor(shell.err, shell.env)
  if (connection.embedded) {
    shell.err.write(`${paint('yellow', 'stopping')}: what is in flight ends first; Ctrl-C again ends at once\n`)
    await connection.close()
  }
  if (batch === null) {
    return new CliError(
      connection.embedded
        ? 'interrupted while the paths were read: no batch was made'
        : 'interrupted before there was a batch',
      [`Start again: ${commandLine(shell)}`],
      EXIT.interrupted,
    )
  }
  const done = doneOf(batch.counts)
  const state =
    done === 0
      ? 'what is done is kept'
      : `at least ${done} of ${count(batch.counts.total, 'item')} ${done === 1 ? 'is' : 'are'} done and kept`
  const id = `${batch.id}${connection.flag}`
  if (connection.embedded)
    return new CliError(`stopped: ${state}`, [`Go on: veridict resume ${id}${outputFlags(options)}`], EXIT.interrupted)
  return new CliError(
    `detached: ${batch.id} goes on at ${connection.url} (${state})`,
    [`Follow: veridict status ${id} --follow`, `Results: veridict results ${id}`, `Cancel: veridict cancel ${id}`],
    EXIT.interrupted,
  )
}

/** Renders the output options again, for the command that goes on. */
const outputFlags = ({ output, out }: SessionOptions): string =>
  (output === undefined || output === 'table' ? '' : ` -o ${output}`) +
  (out === undefined ? '' : ` --out ${quote(out)}`)

/**
 * Reads the state of the batch from a service, within a second; else returns the last seen state. A service in this process is not asked:
 * the call would delay its stop.
 */
async function lastState({ client, connection, batch }: Session): Promise<Batch | null> {
  if (batch === null || connection.embedded) return batch
  return await client.readBatch(batch.id, AbortSignal.timeout(READ_MS)).catch(() => batch)
}

const READ_MS = 1000
