import type { Command } from 'commander'
import { readSecrets } from '../config/environment.ts'
import { count } from '../domain/words.ts'
import type { LocalVeridict, Veridict } from '../library/veridict.ts'
import { signalEcho } from '../process/stop.ts'
import type { Batch } from '../schemas/batch.ts'
import { CliError, EXIT, type ExitCode, runCommand } from './errors.ts'
import { buildCommand, type Definition, type Options, type OutputFormat, SERVER } from './options.ts'
import { type OutputTarget, openOutput } from './output/output-target.ts'
import { createProgressView, doneOf, type ProgressView } from './output/progress.ts'
import { inert, line, type Paint, paintFor } from './output/text.ts'
import { asTyped, commandLine, type DatabaseUse, quote, type Shell } from './shell.ts'

export const SERVER_HELP = `Where it runs:
  --server URL, or the variable VERIDICT_SERVER, names a running service (\`veridict serve\`); VERIDICT_API_KEY is its key.
  Without a named service the command runs its own in this process, on the database VERIDICT_DATABASE. With
  VERIDICT_DATABASE_URL the command stores its batch there, and a service or \`veridict worker\` runs the batch.
  Only commands that grade make a missing database; commands that read refuse a missing database.`

export interface Console extends OutputTarget {
  readonly shell: Shell
  readonly view: ProgressView
  readonly paint: Paint
  readonly signal: AbortSignal
  readonly format: OutputFormat
  /** Whether the command writes its data as one JSON object, and no text. */
  readonly json: boolean
  data: unknown
  /** Ends the command with its data, for `--json`, and its text. */
  answer(data: unknown, text: string, code?: ExitCode): Promise<ExitCode>
}

/** A console with its Veridict: a running service, or this process. */
export interface Session extends Console {
  readonly veridict: Veridict
  /** Veridict in this process, which ends with the command; null for a service. */
  readonly local: LocalVeridict | null
  readonly url: string
  /** ` --server URL`, for the next commands; empty for this process. */
  readonly flag: string
  /** The batch of the command, or null before it exists. An interruption reports it. */
  batch: Batch | null
  /** Whether the command only follows the batch, which another process runs. */
  follows: boolean
  /** Trials that the reading of the paths skipped. */
  skipped: number
}

type Connection = Pick<Session, 'veridict' | 'local' | 'url' | 'flag'>
type Work<C, O, A extends readonly unknown[]> = (console: C, options: O, ...args: A) => Promise<ExitCode>

interface ConsoleDefinition<O> extends Definition {
  /** `--json` writes its object to stdout, and the target gets the records. */
  readonly records?: true
  /** May end the command by `command.error` before anything is opened. */
  readonly check?: (command: Command, options: O, args: readonly string[]) => Promise<void>
}

/** Makes a command that asks no Veridict. */
export const consoleCommand =
  <O extends Options, A extends readonly unknown[] = []>(definition: ConsoleDefinition<O>, work: Work<Console, O, A>) =>
  (shell: Shell): Command =>
    buildCommand(definition).action(async (...typed: readonly unknown[]) => {
      // commander hands over the arguments, the options and the command.
      const [command, options, args] = [typed.at(-1) as Command, typed.at(-2) as O, typed.slice(0, -2) as unknown as A]
      await definition.check?.(command, options, command.args)
      const run = () => withConsole(shell, definition, options, (console) => work(console, options, ...args))
      await runCommand(shell, run, options)
    })

/** Makes a command that asks Veridict, with a database of its own by default. A dry run makes and migrates no database. */
export const sessionCommand = <O extends Options, A extends readonly unknown[] = []>(
  definition: ConsoleDefinition<O> & { readonly database?: DatabaseUse },
  work: Work<Session, O, A>,
) =>
  consoleCommand<O, A>(withServer(definition), (console, options, ...args) => {
    const { database = 'make' } = definition
    const use = options.dry_run ? (database === 'read' ? 'look' : 'look_any') : database
    return withConnection(console, options, use, (session) => work(session, options, ...args))
  })

/** Adds the option that names a service, and its help. */
const withServer = <D extends Definition>({ options = [], help, ...definition }: D) => ({
  ...definition,
  options: [...options, SERVER],
  help: [...help, SERVER_HELP],
})

/** Opens the console of a command, runs the command, keeps its output, and discards unfinished output in any case. */
async function withConsole(
  shell: Shell,
  { records = false }: { readonly records?: boolean },
  { out, force, json = false, output: format = 'table' }: Options,
  work: (console: Console) => Promise<ExitCode>,
): Promise<ExitCode> {
  // A bundle is a folder.
  const target = await openOutput(shell, format === 'bundle' ? undefined : out, force)
  const { signal, release } = watchInterruption(shell)
  const view = createProgressView(shell.err, shell.env)
  const isSilent = json && !records
  const paint = paintFor(target.screen, shell.env)
  const none = async () => {}
  const silence = isSilent && { write: none, commit: none, discard: none }
  const console: Console = {
    ...{ ...target, ...silence, shell, view, paint, signal, format, json, data: null },
    async answer(data, text, code = EXIT.graded) {
      this.data = data
      await this.write(text)
      return code
    },
  }
  try {
    const code = await work(console)
    view.end()
    const envelope = line({ ok: true, data: console.data })
    if (isSilent) await target.write(envelope)
    await target.commit()
    if (json && records) shell.out.write(envelope)
    return code
  } finally {
    view.end()
    await target.discard()
    release()
  }
}

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
  const each = (verb: 'on' | 'off') => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) shell.signals[verb](name, onSignal)
    shell.signals[verb]('SIGHUP', stop)
  }
  each('on')
  return { signal: controller.signal, release: () => each('off') }
}

/** Writes lines for people, with hints as they are typed here, on stderr. */
export const tell = ({ shell }: Pick<Console, 'shell'>, ...lines: readonly string[]): void =>
  void shell.err.write(asTyped(shell, `${lines.join('\n  ')}\n`))

/** Opens the service of `--server` or VERIDICT_SERVER, else Veridict in this process. */
async function connect({ shell, view }: Console, server: string | undefined, use: DatabaseUse): Promise<Connection> {
  const url = server ?? (shell.env['VERIDICT_SERVER'] || undefined)
  if (url === undefined) {
    const veridict = await shell.openLocal(shell.env, use, view)
    return { veridict, local: veridict, url: 'this process', flag: '' }
  }
  const protocol = URL.parse(url)?.protocol
  if (inert(url) !== url || (protocol !== 'http:' && protocol !== 'https:'))
    throw new CliError(`"${url}" is not the address of a service`, [
      'Give an address like --server http://127.0.0.1:8787',
    ])
  const { remote } = await import('../library/remote.ts')
  const veridict = remote(url, readKey(shell.env), { retries: { tries: 1 } })
  return { veridict, local: null, url, flag: ` --server ${url}` }
}

/** Reads the key of the service. The error of an unusable key does not show it; the error of `fetch` would. */
function readKey(env: NodeJS.ProcessEnv): string | undefined {
  const key = readSecrets(env).key('VERIDICT_API_KEY')?.trim()
  if (key === undefined || /^[!-~]+$/.test(key)) return key
  throw new CliError('VERIDICT_API_KEY is not a key', [
    'A key looks like vk_…; `veridict keys create NAME` makes a key.',
  ])
}

/** Opens the session of a console, and closes its Veridict in any case. */
export async function withConnection(
  console: Console,
  options: Options,
  use: DatabaseUse,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { shell, signal, view } = console
  let session: Session | null = null
  try {
    const connection = await connect(console, options.server, use)
    session = Object.assign(console, connection, { batch: null, follows: false, skipped: 0 })
    signal.throwIfAborted()
    return await work(session)
  } catch (error) {
    if (!signal.aborted) throw error
    view.end()
    throw await interrupted(shell, session, options)
  } finally {
    view.end()
    await session?.veridict.close()
  }
}

/** Stops the batch of this process, and returns the error with the next commands. */
async function interrupted(shell: Shell, session: Session | null, options: Options): Promise<CliError> {
  const stopped = (message: string, ...advice: string[]) => new CliError(message, advice, EXIT.interrupted)
  if (session === null) return stopped('interrupted: nothing was begun')
  const { local, veridict, flag, url, batch: seen } = session
  // Veridict in this process is not asked: the call would delay its stop. A service has a second to answer.
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
  const items = `${done} of ${count(batch.counts.total, 'item')} ${done === 1 ? 'is' : 'are'}`
  const state = done === 0 ? 'what is done is kept' : `at least ${items} done and kept`
  const id = `${batch.id}${flag}`
  if (!goesOn) return stopped(`stopped: ${state}`, `Go on: veridict resume ${id}${outputFlags(options)}`)
  return stopped(
    `detached: ${local === null ? `${batch.id} goes on at ${url}` : `the process that runs ${batch.id} goes on`} (${state})`,
    ...[`Follow: veridict status ${id} --follow`, `Results: veridict results ${id}`, `Cancel: veridict cancel ${id}`],
  )
}

const outputFlags = ({ output = 'table', out }: Options): string =>
  (output === 'table' ? '' : ` -o ${output}`) + (out === undefined ? '' : ` --out ${quote(out)}`)
