import { readFileSync, statSync } from 'node:fs'
import { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { DATABASE_URL } from '../config/postgres-settings.ts'
import type { MoveMode, MoveReport, MoveStore, MoveTarget } from '../grading/move-ports.ts'
import { CliError } from './cli-error.ts'
import { runCommand } from './error-text.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { watchInterruption } from './interruption.ts'
import { createMoveView } from './move-progress.ts'
import { moveReportText } from './move-report.ts'
import { requireConfigFile } from './service-connection.ts'
import { commandLine, type Shell } from './shell.ts'
import { inert, paintFor } from './terminal-text.ts'

interface MoveStoreOptions {
  readonly from: string
  readonly toEnv: string
  readonly dryRun?: boolean
  readonly verifyOnly?: boolean
}

const HELP = `
Moves a SQLite store with all of its projects (the files in projects/ beside it) into an empty PostgreSQL: one schema for each
project, every table, with ids, order, secrets and money as they are. The file is only read. Stop the service first: a file in use is
refused.

The address of the target holds a password, so it comes from the environment: VERIDICT_DATABASE_URL, or the variable that --to-env
names. Settings of the connection come from VERIDICT_CONFIG.

Rows go over in transactions of a few MiB. Whatever ends the move (Ctrl-C, a crash, a server that stays away): the same command goes
on where it was. Until it has ended, no service starts on the target. At the end all of it is read back from PostgreSQL, and counts and
digests of every table are compared with the file.

What it does not move: who uses the database now, and large data that lies outside of it (VERIDICT_BLOBS): set that to the same place.

Exit codes: 0 moved and verified (or: nothing stands against it; equal); 1 refused or broken off, and what was done is kept; 3 what
PostgreSQL has is not what SQLite has; 130 interrupted, and the same command goes on.

Examples:
  veridict migrate-store --from data/veridict.sqlite --dry-run      what is there, and may it be moved?
  veridict migrate-store --from data/veridict.sqlite
  veridict migrate-store --from data/veridict.sqlite --verify-only  both sides once more, before the first start of the service
More: docs/migrate-store.md`

/** A server that restarts is back within this. */
const PATIENCE_MS = 5 * 60_000

export const migrateStoreCommand = (shell: Shell, moveStore: MoveStore): Command =>
  new Command('migrate-store')
    .description('move a SQLite store into PostgreSQL; goes on where it was broken off, and verifies')
    .requiredOption('--from <file>', 'the main SQLite file')
    .option('--to-env <variable>', 'the variable that holds the URL of the target', DATABASE_URL)
    .option('--dry-run', 'look at both sides; write nothing')
    .option('--verify-only', 'compare both sides; write nothing')
    .addHelpText('after', HELP)
    .action((options: MoveStoreOptions) => runCommand(shell, () => run(shell, moveStore, options)))

async function run(shell: Shell, moveStore: MoveStore, options: MoveStoreOptions): Promise<ExitCode> {
  const mode = modeOf(options)
  if (statSync(options.from, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CliError(`there is no database file ${inert(options.from)}`, ['Name the main SQLite file with --from.'])
  const to = targetOf(shell, options.toEnv)
  const view = createMoveView(shell.err, shell.env)
  const { signal, release } = watchInterruption(shell)
  let hasMoved = false
  try {
    const report = await moveStore({
      ...{ from: options.from, to, mode, signal, now: () => new Date(), patience_ms: PATIENCE_MS },
      onProgress(progress) {
        hasMoved ||= mode === 'move' && (progress.step === 'verify' || (progress.step === 'move' && progress.done > 0))
        view.show(progress)
      },
    })
    view.end()
    shell.out.write(moveReportText(report, paintFor(shell.out, shell.env)))
    return exitOf(shell, report)
  } catch (error) {
    view.end()
    throw mode === 'move' ? withAdvice(shell, error, hasMoved) : error
  } finally {
    release()
  }
}

function modeOf({ dryRun, verifyOnly }: MoveStoreOptions): MoveMode {
  if (dryRun === true && verifyOnly === true) throw new CliError('--dry-run and --verify-only do not go together')
  if (dryRun === true) return 'plan'
  return verifyOnly === true ? 'verify' : 'move'
}

/** The URL is never repeated. */
function targetOf(shell: Shell, variable: string): MoveTarget {
  requireConfigFile(shell.env)
  const url = shell.env[variable]
  if (url === undefined || url === '')
    throw new CliError(`${inert(variable)} is not set`, [
      'It holds the URL of the target: postgres://user:password@host:5432/database?sslmode=verify-full',
    ])
  const { config } = loadConfig({ ...shell.env, [DATABASE_URL]: url }, (path) => readFileSync(path, 'utf8'))
  if (config.postgres === null) throw new CliError(`${inert(variable)} is no URL of a PostgreSQL`)
  return { url, settings: config.postgres }
}

function exitOf(shell: Shell, { outcome }: MoveReport): ExitCode {
  if (outcome !== 'differs') return EXIT.graded
  throw new CliError(
    'what PostgreSQL has is not what SQLite has',
    [
      'Where a service has worked on the target since the move, that is to be expected.',
      `Else keep both, and begin anew in another database: ${commandLine(shell, ['--verify-only'])}`,
    ],
    EXIT.failed,
  )
}

/** A refusal before this run has moved anything needs no such word, and an interruption no word of what was moved. */
function withAdvice(shell: Shell, error: unknown, hasMoved: boolean): unknown {
  if (!hasMoved && !(error instanceof CliError && error.exit === EXIT.interrupted)) return error
  const again = `${hasMoved ? 'What was moved is kept. ' : ''}The same command goes on: ${commandLine(shell)}`
  if (error instanceof CliError) return new CliError(error.message, [...error.advice, again], error.exit)
  if (error instanceof Error && 'code' in error && error.code === 'storage_busy')
    return new CliError(error.message, [again])
  return error
}
