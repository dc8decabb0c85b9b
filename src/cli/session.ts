import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, type Option } from 'commander'
import { readSecrets } from '../config/environment.ts'
import type { LocalVeridict, Veridict } from '../library/veridict.ts'
import { signalEcho } from '../process/stop.ts'
import type { Batch } from '../schemas/batch.ts'
import { CliError, EXIT, type ExitCode, errorLine, printError } from './errors.ts'
import { JSON_OPTION, type Options, type OutputFormat, SERVER } from './options.ts'
import { type OutputTarget, openOutput } from './output/output-target.ts'
import { createProgressView, type ProgressView } from './output/progress.ts'
import { line } from './output/text.ts'
import { asTyped, type DatabaseUse, type Shell, shellWord } from './shell.ts'

/** The work of a command on its console: the data for `--json`, or else the text, and lines for stderr once the output is whole. */
export interface Answer {
  readonly data: unknown
  readonly text?: string
  readonly notes?: readonly string[]
  readonly code?: ExitCode
}

export interface Console extends Pick<OutputTarget, 'screen' | 'write'> {
  readonly shell: Shell
  readonly view: ProgressView
  readonly signal: AbortSignal
  readonly format: OutputFormat
  /** Whether the command writes its data as one JSON object, and no text. */
  readonly json: boolean
}

/** A console with its Veridict: a running service, or this process. */
export interface Session extends Console {
  readonly veridict: Veridict
  /** Veridict in this process, which ends with the command; null for a service. */
  readonly local: LocalVeridict | null
  /** ` --server URL`, for the next commands; empty for this process. */
  readonly flag: string
  /** The batch of the command, or null before it exists. An interruption reports it. */
  batch: Batch | null
  /** Whether the command only follows the batch, which another process runs. */
  follows: boolean
}

/** A command; help.md has its help. */
export interface Definition {
  /** With the name of its group: `keys create`. */
  readonly name: string
  /** Descriptions by argument: `<batch>`, `[batch]`, `<path...>`. */
  readonly args?: Readonly<Record<string, string>>
  readonly options?: readonly Option[]
}

const HELP = fileURLToPath(new URL('./help.md', import.meta.url))

/** Reads the help of a command, or another section, of help.md. */
export function helpOf(title: string, sections = readFileSync(HELP, 'utf8').split(/^# /m)): string {
  const section = sections.find((text) => text.startsWith(`${title}\n`)) ?? ''
  const help = section.slice(title.length).trim()
  return help.replaceAll(/\{\{(.+?)\}\}/g, (_all, name: string) => helpOf(name, sections))
}

/** Makes a command with its help. A usage error is followed by the first example, or with `--json` printed as the envelope. */
export function newCommand(shell: Shell, name: string): Command {
  const [about = '', ...paragraphs] = helpOf(name).split('\n\n')
  const help = paragraphs.join('\n\n')
  const command = new Command(name.split(' ').at(-1)).description(about).addHelpText('after', `\n${help}`)
  if (shell.args.includes('--json')) return command.configureOutput({ outputError: writeUsageError(shell) })
  const [, example] = /Examples?:\n +(.*?)(?: {3}.*)?$/m.exec(help) ?? []
  const like = example === undefined ? '' : `like ${asTyped(shell, example)}; `
  return command.showHelpAfterError(`(${like}add --help for what there is)`)
}

const writeUsageError = (shell: Shell) => (text: string) => {
  const [message = '', ...advice] = text.trim().split('\n')
  shell.out.write(errorLine('usage', [message.replace(/^error: /, ''), ...advice], EXIT.refused))
}

type Make = (shell: Shell) => Command
type Work<C, O, A extends readonly unknown[]> = (console: C, options: O, ...args: A) => Promise<Answer>

export const groupCommand =
  (name: string, commands: readonly Make[]): Make =>
  (shell) =>
    commands.reduce((group, make) => group.addCommand(make(shell)), newCommand(shell, name))

/** Makes a command that asks no Veridict. */
export const consoleCommand =
  <O extends Options, A extends readonly unknown[] = []>(definition: Definition, work: Work<Console, O, A>): Make =>
  (shell) => {
    const command = newCommand(shell, definition.name)
    for (const [flags, text] of Object.entries(definition.args ?? {})) command.argument(flags, text)
    for (const option of [JSON_OPTION, ...(definition.options ?? [])]) command.addOption(option)
    return command.action(async (...typed: readonly unknown[]) => {
      // commander hands over the arguments, the options and the command.
      const [options, args] = [typed.at(-2) as O, typed.slice(0, -2) as unknown as A]
      await runCommand(shell, options, (console) => work(console, options, ...args))
    })
  }

/** Makes a command that asks Veridict, with a database of its own by default. A dry run makes and migrates no database. */
export const sessionCommand = <O extends Options, A extends readonly unknown[] = []>(
  { options: rows = [], database = 'make', ...rest }: Definition & { readonly database?: DatabaseUse },
  work: Work<Session, O, A>,
): Make =>
  consoleCommand<O, A>({ ...rest, options: [...rows, SERVER] }, (console, options, ...args) => {
    const use = options.dry_run && database === 'make' ? 'look' : database
    const names = Object.keys(rest.args ?? {})
    return withConnection(console, options, use, async (session) => {
      const ids = await Promise.all(args.map((typed, at) => idOf(session, names[at] ?? '', typed)))
      const { batch } = options as { readonly batch?: string }
      const named = batch === undefined ? options : { ...options, batch: await idOf(session, '<batch>', batch) }
      return work(session, named as O, ...(ids as unknown as A))
    })
  })

/** Arguments that name a batch. */
const BATCHES: readonly string[] = ['<batch>', '[batch]', '[head]']
const MOST_BATCHES = 1000

/** Finds the id of a batch that is typed by its name; other arguments, and unknown names, stay as they are typed. */
async function idOf({ veridict }: Session, argument: string, typed: unknown): Promise<unknown> {
  if (!BATCHES.includes(argument) || typeof typed !== 'string' || typed.startsWith('bat_')) return typed
  const named: Batch[] = []
  for (let cursor: string | undefined, read = 0; read < MOST_BATCHES; ) {
    const page = await veridict.batches({ limit: 100, ...(cursor !== undefined && { cursor }) })
    named.push(...page.items.filter(({ name }) => name === typed))
    read += page.items.length
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  if (named.length < 2) return named[0]?.id ?? typed
  const ids = named.map(({ id, created_at }) => `${id}  ${created_at}`)
  throw new CliError(`${named.length} batches are named ${typed}: type an id`, ids, EXIT.refused)
}

/** Runs a command to its exit code: opens its console, writes its answer or its error, and keeps or discards its output. */
async function runCommand(shell: Shell, options: Options, work: (console: Console) => Promise<Answer>): Promise<void> {
  const { out, force, json = false, output: format = 'table' } = options
  const { signal, release } = watchInterruption(shell)
  const view = createProgressView(shell.err, shell.env)
  let target: OutputTarget | null = null
  try {
    // A bundle is a folder.
    target = await openOutput(shell, format === 'bundle' ? undefined : out, force)
    const write = json ? async () => {} : target.write
    const answer = await work({ screen: target.screen, write, shell, view, signal, format, json })
    view.end()
    await target.write(json ? line({ ok: true, data: answer.data }) : (answer.text ?? ''))
    await target.commit()
    tell({ shell }, ...(answer.notes ?? []))
    shell.setExitCode(answer.code ?? EXIT.graded)
  } catch (error) {
    view.end()
    printError(shell, error, options)
  } finally {
    await target?.discard()
    release()
  }
}

/**
 * Watches the signals of the shell. The first signal asks for a clean stop; a second Ctrl-C or SIGTERM ends the process at once. A second
 * SIGHUP does not: the kernel and the shell both send SIGHUP when a terminal closes.
 */
function watchInterruption(shell: Shell) {
  const controller = new AbortController()
  const isEcho = signalEcho(shell.env)
  const stop = () => controller.abort(new CliError('interrupted', [], EXIT.interrupted))
  const stopOrExit = () => {
    if (isEcho()) return
    if (controller.signal.aborted) shell.exit(EXIT.interrupted)
    stop()
  }
  const listeners = [['SIGINT', stopOrExit] as const, ['SIGTERM', stopOrExit] as const, ['SIGHUP', stop] as const]
  for (const [name, listener] of listeners) shell.signals.on(name, listener)
  const release = () => listeners.forEach(([name, listener]) => void shell.signals.off(name, listener))
  return { signal: controller.signal, release }
}

/** Writes messages for people on stderr, with hints as they are typed here. */
export const tell = ({ shell }: Pick<Console, 'shell'>, ...messages: readonly string[]): void =>
  messages.forEach((message) => void shell.err.write(asTyped(shell, `${message}\n`)))

/** Opens the service of `--server` or VERIDICT_SERVER, else Veridict in this process. */
async function connect({ shell }: Console, { server, dry_run = false }: Options, use: DatabaseUse) {
  const url = server ?? (shell.env['VERIDICT_SERVER'] || undefined)
  if (url === undefined) {
    const local = await shell.openLocal(shell.env, use, dry_run)
    return { veridict: local, local, flag: '' }
  }
  const { remote } = await import('../library/remote.ts')
  const key = readSecrets(shell.env).key('VERIDICT_API_KEY')?.trim()
  return { veridict: remote(url, key, { retries: { tries: 1 } }), local: null, flag: ` --server ${shellWord(url)}` }
}

/** Opens the session of a console, and closes its Veridict in any case. */
export async function withConnection(
  console: Console,
  options: Options,
  use: DatabaseUse,
  work: (session: Session) => Promise<Answer>,
): Promise<Answer> {
  const connection = await connect(console, options, use)
  const session: Session = { ...console, ...connection, batch: null, follows: false }
  try {
    session.signal.throwIfAborted()
    return await work(session)
  } catch (error) {
    session.view.end()
    throw session.signal.aborted ? await interrupted(session) : error
  } finally {
    session.view.end()
    await session.veridict.close()
  }
}

/** Stops the batch of this process, and returns the error with the next commands. */
async function interrupted({ shell, local, flag, batch, follows }: Session): Promise<CliError> {
  const stopped = (message: string, ...advice: string[]) => new CliError(message, advice, EXIT.interrupted)
  if (batch === null) return stopped('interrupted: this command made no batch')
  const id = `${batch.id}${flag}`
  // Another process runs a batch that the command follows, and every batch of a PostgreSQL.
  if (local === null || follows || local.shares_batches)
    return stopped(
      `detached: ${batch.id} goes on, and what is done is kept`,
      ...[`Follow: veridict status ${id} --follow`, `Results: veridict results ${id}`, `Cancel: veridict cancel ${id}`],
    )
  shell.err.write('stopping: calls in flight end first; Ctrl-C again ends at once\n')
  await local.close()
  return stopped('stopped: what is done is kept', `Go on: veridict resume ${id}`)
}
