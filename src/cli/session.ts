import { readFileSync } from 'node:fs'
import { Command, type Option } from 'commander'
import type { LocalVeridict, Veridict } from '../client/veridict.ts'
import { readSecrets } from '../config/environment.ts'
import { signalEcho } from '../process/stop.ts'
import type { Batch } from '../schemas/batch.ts'
import { type DatabaseUse, JSON_OPTION, type Options, type OutputFormat, SERVER } from './options.ts'
import { createProgressView, type OutputTarget, openOutput, type ProgressView } from './output/screen.ts'
import { line, present } from './output/text.ts'
import { asTyped, CliError, EXIT, type ExitCode, errorLine, printError, type Shell, shellWord } from './shell.ts'

/** The work of a command on its console: the data for `--json`, or else the text, and lines for stderr once the output is whole; empty notes are left out. */
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

interface Definition<C, O, A extends readonly unknown[]> {
  readonly args?: Readonly<Record<string, string>>
  readonly options?: readonly Option[]
  /** The use of the database by a command that asks Veridict; default: `read`. */
  readonly database?: DatabaseUse
  work(console: C, options: O, ...args: A): Promise<Answer>
}

const HELP = new URL('./help.md', import.meta.url)

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
  const writeError = (text: string) => {
    const [message = '', ...advice] = text.trim().split('\n')
    shell.out.write(errorLine('usage', [message.replace(/^error: /, ''), ...advice], EXIT.refused))
  }
  if (shell.args.includes('--json')) return command.configureOutput({ outputError: writeError })
  const [, example] = /Examples?:\n +(.*?)(?: {3}.*)?$/m.exec(help) ?? []
  const like = example === undefined ? '' : `like ${asTyped(shell, example)}; `
  return command.showHelpAfterError(`(${like}add --help for what there is)`)
}

export type Make = (shell: Shell) => Command
type SessionWork = (session: Session) => Promise<Answer>

export function groupCommand(name: string, commands: readonly Make[]): Make {
  return (shell) => commands.reduce((group, make) => group.addCommand(make(shell)), newCommand(shell, name))
}

/** Makes a command that asks no Veridict. `name` has the name of its group, too: `keys create`. */
export const consoleCommand =
  <O extends Options, A extends readonly unknown[] = []>(
    name: string,
    { args = {}, options: rows = [], work }: Definition<Console, O, A>,
  ): Make =>
  (shell) => {
    const command = newCommand(shell, name)
    for (const [flags, text] of Object.entries(args)) command.argument(flags, text)
    for (const option of [JSON_OPTION, ...rows]) command.addOption(option)
    return command.action(async (...typed: readonly unknown[]) => {
      // commander hands over the arguments, the options and the command.
      const [options, words] = [typed.at(-2) as O, typed.slice(0, -2) as unknown as A]
      await runCommand(shell, options, (console) => work(console, options, ...words))
    })
  }

/** Makes a command that asks Veridict, on an existing database by default. A dry run makes and migrates no database. */
export const sessionCommand = <O extends Options, A extends readonly unknown[] = []>(
  name: string,
  { options: rows = [], database = 'read', args = {}, work }: Definition<Session, O, A>,
): Make =>
  consoleCommand<O, A>(name, {
    args,
    options: [...rows, SERVER],
    work(console, options, ...words) {
      const use = options.dry_run && database === 'make' ? 'look' : database
      const names = Object.keys(args)
      return withConnection(console, options, use, async (session) => {
        const isBatch = (at: number) => ['<batch>', '[batch]', '[head]'].includes(names[at] ?? '')
        const ids = await Promise.all(words.map((word, at) => (isBatch(at) ? idOf(session, word) : word)))
        const named = 'batch' in options ? { ...options, batch: await idOf(session, options.batch) } : options
        return work(session, named as O, ...(ids as unknown as A))
      })
    },
  })

const MOST_BATCHES = 1000

/** Finds the id of a batch that is typed by its name; an id and an unknown name stay as they are typed. */
async function idOf({ veridict }: Session, typed: unknown): Promise<unknown> {
  if (typeof typed !== 'string' || typed.startsWith('bat_')) return typed
  const named: Batch[] = []
  let cursor: string | null | undefined
  for (let read = 0; cursor !== null && read < MOST_BATCHES; read += 100) {
    const page = await veridict.batches({ limit: 100, ...(cursor && { cursor }) })
    named.push(...page.items.filter(({ name }) => name === typed))
    cursor = page.next_cursor
  }
  if (named.length < 2) return named[0]?.id ?? typed
  const ids = named.map(({ id, created_at }) => `${id}  ${created_at}`)
  throw new CliError(`${named.length} batches are named ${typed}: type an id`, ids)
}

async function runCommand(shell: Shell, options: Options, work: (console: Console) => Promise<Answer>): Promise<void> {
  const { out, force, json = false, output: format = 'table' } = options
  const { signal, release } = watchInterruption(shell)
  const view = createProgressView(shell.err, shell)
  let target: OutputTarget | null = null
  try {
    // A bundle is a folder.
    target = await openOutput(shell, format === 'bundle' ? undefined : out, force)
    const write = json ? async () => {} : target.write
    const answer = await work({ screen: target.screen, write, shell, view, signal, format, json })
    view.end()
    await target.write(json ? line({ ok: true, data: answer.data }) : (answer.text ?? ''))
    await target.commit()
    view.note(...present(answer.notes ?? []))
    shell.setExitCode(answer.code ?? EXIT.graded)
  } catch (error) {
    view.end()
    printError(shell, error, options)
  } finally {
    await target?.discard()
    release()
  }
}

/** A second Ctrl-C or SIGTERM ends the process at once; a second SIGHUP does not: a terminal that closes sends two. */
function watchInterruption(shell: Shell) {
  const controller = new AbortController()
  const isEcho = signalEcho(shell.env)
  const stop = () => controller.abort(new CliError('interrupted', [], EXIT.interrupted))
  const stopOrExit = () => {
    if (isEcho()) return
    if (controller.signal.aborted) shell.exit(EXIT.interrupted)
    stop()
  }
  const listeners = { SIGINT: stopOrExit, SIGTERM: stopOrExit, SIGHUP: stop }
  const each = (act: 'on' | 'off') => {
    for (const [name, listener] of Object.entries(listeners)) shell.signals[act](name as NodeJS.Signals, listener)
  }
  each('on')
  return { signal: controller.signal, release: () => each('off') }
}

/** Opens the service of `--server` or VERIDICT_SERVER, else Veridict in this process; closes it after the work in any case. */
export async function withConnection(console: Console, options: Options, use: DatabaseUse, work: SessionWork) {
  const { server, detach = false, dry_run = false } = options
  const { shell, signal, view } = console
  const url = server ?? (shell.env['VERIDICT_SERVER'] || undefined)
  if (url === undefined && detach && !dry_run)
    throw new CliError('--detach needs a service that goes on: a batch in this process ends with it', [
      'Give --server URL, or leave --detach away.',
    ])
  const openLocal = shell.openLocal ?? (await import('./database.ts')).openLocal
  const local = url === undefined ? await openLocal(shell.env, use, dry_run) : null
  const flag = url === undefined ? '' : ` --server ${shellWord(url)}`
  const veridict =
    local ?? (await import('../client/remote.ts')).remote(url ?? '', keyOf(shell), { retries: { tries: 1 } })
  const session: Session = { ...console, veridict, local, flag, batch: null, follows: false }
  try {
    signal.throwIfAborted()
    return await work(session)
  } catch (error) {
    view.end()
    throw signal.aborted ? await interrupted(session) : error
  } finally {
    await veridict.close()
  }
}

const keyOf = ({ env }: Shell): string | undefined => readSecrets(env).key('VERIDICT_API_KEY')?.trim()

async function interrupted({ view, local, flag, batch, follows }: Session): Promise<CliError> {
  const stopped = (message: string, ...advice: string[]) => new CliError(message, advice, EXIT.interrupted)
  if (batch === null) return stopped('interrupted: this command made no batch')
  const id = `${batch.id}${flag}`
  // Another process runs a batch that the command follows, and every batch of a PostgreSQL.
  if (local === null || follows || local.shares_batches)
    return stopped(
      `detached: ${batch.id} goes on, and what is done is kept`,
      ...[`Follow: veridict status ${id} --follow`, `Results: veridict results ${id}`, `Cancel: veridict cancel ${id}`],
    )
  view.note('stopping: calls in flight end first; Ctrl-C again ends at once')
  await local.close()
  return stopped('stopped: what is done is kept', `Go on: veridict resume ${id}`)
}
