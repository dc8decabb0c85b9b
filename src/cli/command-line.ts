import { existsSync, readFileSync } from 'node:fs'
import { Command } from 'commander'
import { VERSION } from '../grading/software.ts'
import { EXIT, errorLine } from './errors.ts'
import { inert } from './output/text.ts'
import { programName, typedFrom } from './program-name.ts'
import { removedWord } from './removed-words.ts'
import type { Shell } from './shell.ts'

type MakeCommand = (shell: Shell) => Command

/** Commands by name, in the order of the help. The modules of a command load when the command is typed. */
export const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  serve: async () => serveCommand,
  worker: async () => (await import('./commands/worker-command.ts')).workerCommand,
  demo: async () => (await import('./commands/demo-command.ts')).demoCommand,
  grade: async () => (await import('./commands/grade-command.ts')).gradeCommand,
  batch: async () => (await import('./commands/batch-command.ts')).batchCommand,
  status: async () => (await import('./commands/status-command.ts')).statusCommand,
  results: async () => (await import('./commands/results-command.ts')).resultsCommand,
  show: async () => (await import('./commands/show-command.ts')).showCommand,
  resume: async () => (await import('./commands/resume-commands.ts')).resumeCommand,
  cancel: async () => (await import('./commands/resume-commands.ts')).cancelCommand,
  regrade: async () => (await import('./commands/regrade-command.ts')).regradeCommand,
  compare: async () => (await import('./commands/compare-command.ts')).compareCommand,
  'audit-markers': async () => (await import('./commands/audit-markers-command.ts')).auditMarkersCommand,
  validate: async () => (await import('./commands/validate-command.ts')).validateCommand,
  report: async () => (await import('./commands/report-command.ts')).reportCommand,
  import: async () => (await import('./commands/import-command.ts')).importCommand,
  export: async () => (await import('./commands/store/export-command.ts')).exportCommand,
  judges: async () => (await import('./commands/catalogue-commands.ts')).judgesCommand,
  rubrics: async () => (await import('./commands/catalogue-commands.ts')).rubricsCommand,
  rubric: async () => (await import('./commands/rubric-command.ts')).rubricCommand,
  keys: async () => (await import('./commands/keys-commands.ts')).keysCommand,
  doctor: async () => (await import('./commands/store/doctor-command.ts')).doctorCommand,
  backup: async () => (await import('./commands/backup-command.ts')).backupCommand,
}

const SERVE_HELP = `
The service listens on http://127.0.0.1:8787 (VERIDICT_HOST, VERIDICT_PORT): pages at /audit/, contract at /docs. Its data is in
VERIDICT_DATABASE (./data/veridict.sqlite). On an address beyond loopback, every request needs a key: veridict keys create NAME

Exit codes: 0 stopped; 1 the service cannot start, with the reason.

Example:
  VERIDICT_PORT=8800 veridict serve`

const serveCommand: MakeCommand = (shell) =>
  new Command('serve')
    .description('start the HTTP service; its log names the address, Ctrl-C or SIGTERM drains and stops it')
    .option(
      '--no-worker',
      'leave all batches to `veridict worker`; with a PostgreSQL (VERIDICT_WORKER=off says the same)',
    )
    .addHelpText('after', SERVE_HELP)
    .action(async ({ worker }: { worker: boolean }) => {
      const { startServer } = await import('../boot/service.ts')
      await startServer(worker ? shell.env : { ...shell.env, VERIDICT_WORKER: 'off' }).catch(async (error: unknown) => {
        const { startFailureText } = await import('./errors.ts')
        shell.err.write(startFailureText(error, shell))
        shell.exit(1)
      })
    })

/** Codes of a reader that went away; a closed terminal answers EIO. */
const GONE: readonly (string | undefined)[] = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']

function endWithTheReader(): void {
  // The reader of the results may stop early: `veridict results … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (GONE.includes(error.code)) process.exit(0)
    process.stderr.write(`veridict: the results cannot be written: ${error.code ?? error.message}\n`)
    process.exit(1)
  })
  // The reader of the progress may stop early; grading goes on.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (!GONE.includes(error.code)) throw error
  })
}

const readTrials: Shell['readTrials'] = async function* (paths, options) {
  yield* (await import('./input/trial-source.ts')).readTrialItems(paths, options)
}

/** Commands that write these warnings to their log. */
const LOGS: ReadonlySet<string> = new Set(['serve', 'worker'])

async function warnOfVariables({ env, err }: Shell): Promise<void> {
  if (!Object.keys(env).some((name) => name.startsWith('VERIDICT_'))) return
  const { unknownVariables } = await import('../config/environment.ts')
  // The command that needs an unreadable file reports it.
  const readFile = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  for (const unknown of unknownVariables(env, readFile)) err.write(`warning  ${inert(unknown)}\n`)
}

/** Runs the typed command; the exit code is the exit code of the process. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const cwd = process.cwd()
  const { env, typedIn } = typedFrom(process.env, cwd)
  if (typedIn !== cwd) process.chdir(typedIn)
  const typedAs = programName({ env, script: process.argv[1], cwd, typedIn })
  endWithTheReader()
  const shell: Shell = {
    env,
    program: typedAs,
    args,
    out: process.stdout,
    err: process.stderr,
    signals: process,
    openLocal: async (given, use) => (await import('./database.ts')).openLocal(given, use),
    readTrials,
    checkPaths: async (paths) => (await import('./input/trial-source.ts')).checkPaths(paths),
    setExitCode(code) {
      process.exitCode = code
    },
    exit: (code) => process.exit(code),
  }
  const removed = removedWord(args)
  if (removed !== null) {
    shell.err.write(`error: ${inert(removed)}\n`)
    shell.exit(1)
    return
  }
  const program = buildProgram(typedAs)
  if (args.includes('--json')) program.showHelpAfterError(false).configureOutput({ outputError: writeUsageError })
  // Help and usage errors show all commands.
  const typed = Object.hasOwn(COMMANDS, args[0] ?? '') ? [args[0] as string] : Object.keys(COMMANDS)
  for (const make of await Promise.all(typed.map((name) => COMMANDS[name]?.()))) {
    if (make !== undefined) addCommand(program, make(shell))
  }
  if (!LOGS.has(args[0] ?? '')) await warnOfVariables(shell)
  // The help command of commander prints the help of the program for an unknown name.
  const [first, name] = args
  const isUnknown = first === 'help' && name !== undefined && name !== 'help' && !Object.hasOwn(COMMANDS, name)
  await (isUnknown ? program.parseAsync([name], { from: 'user' }) : program.parseAsync())
}

/** Writes an error of commander as the JSON line of `--json`. */
function writeUsageError(text: string): void {
  const [message = '', ...advice] = text.trim().split('\n')
  process.stdout.write(errorLine('usage', [message.replace(/^error: /, ''), ...advice], EXIT.refused))
}

/** Adds a command. The command and its subcommands inherit the settings of the program, such as the hint behind an error. */
function addCommand(program: Command, command: Command): void {
  const inherit = (from: Command, to: Command): void => {
    to.copyInheritedSettings(from)
    for (const sub of to.commands) inherit(to, sub)
  }
  inherit(program, command)
  program.addCommand(command)
}

function buildProgram(typedAs: string): Command {
  const program = withServerBefore(new Command('veridict'))
    .version(VERSION)
    .description('Grades what terminal agents did with instructions that they found in their environment.')
    .showHelpAfterError('(add --help for what there is)')
    .addHelpText(
      'after',
      `
Look first:               veridict demo
Start with one file:      veridict grade FILE -g TRUTH
Then a folder of them:    veridict batch FOLDER -g TRUTHS --dry-run     (every command has examples under --help)

Configuration comes from the environment (VERIDICT_PORT, VERIDICT_DATABASE, VERIDICT_CONFIG, VERIDICT_SERVER,
VERIDICT_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY, …: docs/configuration.md has them all). Without
any, the built-in lexical judge grades, with no network.`,
    )
  return typedAs === 'veridict'
    ? program
    : program.addHelpText('afterAll', `\nHere \`veridict\` stands for: ${typedAs}`)
}

/** Lets `veridict --server URL status` mean `veridict status --server URL`. Commands that ask no service refuse the option. */
const withServerBefore = (program: Command): Command =>
  program
    .enablePositionalOptions()
    .option(
      '--server <url>',
      'a running service, for the commands that use a service; the same option may stand behind the command',
    )
    .hook('preAction', (_program, action) => {
      const { server } = program.opts<{ server?: string }>()
      if (server === undefined) return
      if (!action.options.some(({ long }) => long === '--server'))
        action.error(`error: ${action.name()} asks no service, and takes no --server`)
      if (action.getOptionValueSource('server') === undefined) action.setOptionValue('server', server)
    })
