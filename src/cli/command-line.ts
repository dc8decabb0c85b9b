import { existsSync, readFileSync } from 'node:fs'
import { fileFault } from '../domain/words.ts'
import { VERSION } from '../grading/software.ts'
import { inert } from './output/text.ts'
import { helpOf, type Make, newCommand } from './session.ts'
import { programName, type Shell, startFailureText, typedIn } from './shell.ts'

const grades = () => import('./commands/grade-commands.ts')
const batches = () => import('./commands/batch-commands.ts')
const catalogues = () => import('./commands/catalogue-commands.ts')
const reports = () => import('./commands/report-commands.ts')
const transfers = () => import('./commands/transfer-commands.ts')
const operators = () => import('./commands/operator-commands.ts')

/** Commands by name, in the order of the help. The modules of a command load when the command is typed. */
export const COMMANDS: Readonly<Record<string, () => Promise<Make>>> = {
  serve: async () => serveCommand,
  worker: async () => workerCommand,
  demo: async () => (await grades()).demo,
  grade: async () => (await grades()).grade,
  batch: async () => (await grades()).batch,
  status: async () => (await batches()).status,
  results: async () => (await batches()).results,
  show: async () => (await grades()).show,
  resume: async () => (await batches()).resume,
  cancel: async () => (await batches()).cancel,
  regrade: async () => (await batches()).regrade,
  findings: async () => (await reports()).findings,
  dispose: async () => (await reports()).dispose,
  signoff: async () => (await reports()).signoff,
  compare: async () => (await reports()).compare,
  'audit-markers': async () => (await import('./commands/audit-markers-command.ts')).auditMarkers,
  validate: async () => (await import('./commands/validate-command.ts')).validate,
  canary: async () => (await import('./commands/labelled-commands.ts')).canary,
  report: async () => (await reports()).report,
  import: async () => (await transfers()).importTrials,
  export: async () => (await transfers()).exportStore,
  judges: async () => (await catalogues()).judges,
  rubrics: async () => (await catalogues()).rubrics,
  rubric: async () => (await catalogues()).rubric,
  keys: async () => (await operators()).keys,
  doctor: async () => (await operators()).doctor,
  backup: async () => (await operators()).backup,
}

/** Finds the sentence of help.md on a removed command, option or first argument (`validate agentrx`) among the typed words. */
function removedText([command = '', ...words]: readonly string[]): string | undefined {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const typed = words.slice(0, end).filter((word, at) => at === 0 || word.startsWith('--'))
  const names = [command, ...typed.map((word) => `${command} ${word.split('=', 1)[0]}`)]
  const removed = new Set(names.map((name) => `\`veridict ${name}\` was removed`))
  const texts = helpOf('removed words').split('\n')
  return texts.find((text) => removed.has(text.split(':', 1)[0] ?? ''))
}

const serveCommand: Make = (shell) =>
  newCommand(shell, 'serve')
    .option('--no-worker', 'leave all batches of a PostgreSQL to `veridict worker` (as VERIDICT_WORKER=off)')
    .action(async ({ worker }: { worker: boolean }) => {
      const { startServer } = await import('../boot/serve.ts')
      const env = worker ? shell.env : { ...shell.env, VERIDICT_WORKER: 'off' }
      await startServer(env).catch(exitUnstarted(shell, 'VERIDICT_PORT'))
    })

const workerCommand: Make = (shell) =>
  newCommand(shell, 'worker').action(async () => {
    const { startWorker } = await import('../boot/serve.ts')
    await startWorker(shell.env).catch(exitUnstarted(shell, 'VERIDICT_WORKER_PORT'))
  })

const exitUnstarted = (shell: Shell, port: 'VERIDICT_PORT' | 'VERIDICT_WORKER_PORT') => (error: unknown) => {
  shell.err.write(startFailureText(error, { ...shell, port }))
  shell.exit(1)
}

/** Codes of a reader that went away; a closed terminal answers EIO. */
const GONE: readonly (string | undefined)[] = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']

function endWithTheReader(): void {
  // The reader of the results may stop early: `veridict results … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (GONE.includes(error.code)) process.exit(0)
    process.stderr.write(`veridict: the results cannot be written: ${fileFault(error)}\n`)
    process.exit(1)
  })
  // The reader of the progress may stop early; grading goes on.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (!GONE.includes(error.code)) throw error
  })
}

async function warnOfVariables({ env, err }: Shell): Promise<void> {
  if (!Object.keys(env).some((name) => name.startsWith('VERIDICT_'))) return
  const { unknownVariables } = await import('../config/environment.ts')
  // The command that needs an unreadable file reports it.
  const readFile = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  for (const unknown of unknownVariables(env, readFile)) err.write(`warning  ${inert(unknown)}\n`)
}

export async function runCommand(args: readonly string[]): Promise<void> {
  const cwd = process.cwd()
  const { env } = process
  const folder = typedIn(env, cwd)
  if (folder !== cwd) process.chdir(folder)
  const program = programName({ env, script: process.argv[1], cwd, typedIn: folder })
  endWithTheReader()
  const shell: Shell = {
    ...{ env, program, args, out: process.stdout, err: process.stderr, signals: process },
    setExitCode(code) {
      process.exitCode = code
    },
    exit: (code) => process.exit(code),
  }
  const removed = removedText(args)
  if (removed !== undefined) {
    shell.err.write(`error: ${inert(removed)}\n`)
    return shell.exit(1)
  }
  const root = newCommand(shell, 'veridict').version(VERSION)
  if (program !== 'veridict') root.addHelpText('afterAll', `\nHere \`veridict\` stands for: ${program}`)
  const [first = '', name] = args
  // Help and usage errors show all commands.
  const names = Object.hasOwn(COMMANDS, first) ? [first] : Object.keys(COMMANDS)
  for (const make of await Promise.all(names.map((name) => COMMANDS[name]?.())))
    if (make !== undefined) root.addCommand(make(shell))
  // A service writes these warnings to its log.
  if (first !== 'serve' && first !== 'worker') await warnOfVariables(shell)
  // The help command of commander prints the help of the program for an unknown name.
  const isUnknown = first === 'help' && name !== undefined && name !== 'help' && !Object.hasOwn(COMMANDS, name)
  await root.parseAsync(isUnknown ? [name] : args, { from: 'user' })
}
