import { statSync } from 'node:fs'
import { Command } from 'commander'
import { DATABASE_URL } from '../../../config/postgres-settings.ts'
import type { MoveMode, MoveReport, MoveStore, MoveTarget } from '../../../ports/move-ports.ts'
import { CliError } from '../../client/cli-error.ts'
import { configurationOf } from '../../client/configuration.ts'
import { EXIT, type ExitCode } from '../../client/exit-codes.ts'
import { watchInterruption } from '../../client/interruption.ts'
import { commandLine, type Shell } from '../../client/shell.ts'
import { requireOption } from '../../input/command-options.ts'
import { runCommand } from '../../output/error-text.ts'
import { moveTeller } from '../../output/move-progress.ts'
import { moveReportText } from '../../output/move-report.ts'
import { createProgressView } from '../../output/progress-view.ts'
import { inert, paintFor } from '../../results/terminal-text.ts'

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

The move is one transaction. At the end, before it is committed, all of it is read back from PostgreSQL, and counts and digests of every
table are compared with the file. Whatever ends it (Ctrl-C, a crash, a server that goes away, a difference): nothing is written, and the
same command begins anew. A service that is started on the target meanwhile waits.

What it does not move: who uses the database now, and large data that lies outside of it (VERIDICT_BLOBS): set that to the same place.

Exit codes: 0 moved and verified (or: nothing stands against it; equal); 1 refused or broken off, and nothing was written; 3 what
PostgreSQL has is not what SQLite has; 130 interrupted.

Examples:
  veridict migrate-store --from data/veridict.sqlite --dry-run      what is there, and may it be moved?
  veridict migrate-store --from data/veridict.sqlite
  veridict migrate-store --from data/veridict.sqlite --verify-only  both sides once more, before the first start of the service
More: docs/postgres.md`

export const migrateStoreCommand = (shell: Shell, moveStore: MoveStore): Command =>
  new Command('migrate-store')
    .description('move a SQLite store into PostgreSQL, all or nothing, and verify it')
    .option('--from <file>', 'the main SQLite file')
    .option('--to-env <variable>', 'the variable that holds the URL of the target', DATABASE_URL)
    .option('--dry-run', 'look at both sides; write nothing')
    .option('--verify-only', 'compare both sides; write nothing')
    .addHelpText('after', HELP)
    .action((options: MoveStoreOptions, command: Command) => {
      requireOption(command, '--from')
      return runCommand(shell, () => run(shell, moveStore, options))
    })

async function run(shell: Shell, moveStore: MoveStore, options: MoveStoreOptions): Promise<ExitCode> {
  const mode = modeOf(options)
  if (statSync(options.from, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CliError(`there is no database file ${inert(options.from)}`, ['Name the main SQLite file with --from.'])
  const to = targetOf(shell, options.toEnv)
  const view = await createProgressView(shell.err, shell.env)
  const tell = moveTeller()
  const { signal, release } = watchInterruption(shell)
  try {
    const report = await moveStore({
      ...{ from: options.from, to, mode, signal, now: () => new Date() },
      onProgress: (progress) => view.doing(tell(progress, performance.now())),
    })
    view.end()
    shell.out.write(moveReportText(report, paintFor(shell.out, shell.env)))
    return exitOf(shell, mode, report)
  } catch (error) {
    view.end()
    throw mode === 'move' ? withAdvice(shell, error) : error
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
  const url = shell.env[variable]
  if (url === undefined || url === '')
    throw new CliError(`${inert(variable)} is not set`, [
      'It holds the URL of the target: postgres://user:password@host:5432/database?sslmode=verify-full',
    ])
  const { config } = configurationOf({ ...shell.env, [DATABASE_URL]: url })
  if (config.postgres === null) throw new CliError(`${inert(variable)} is no URL of a PostgreSQL`)
  return { url, settings: config.postgres }
}

function exitOf(shell: Shell, mode: MoveMode, { outcome }: MoveReport): ExitCode {
  if (outcome !== 'differs') return EXIT.graded
  const advice =
    mode === 'move'
      ? [`Nothing was written. To try again: ${commandLine(shell)}`]
      : [
          'Where a service has worked on the target since the move, that is to be expected.',
          'Else keep both, and move into another database.',
        ]
  throw new CliError('what PostgreSQL has is not what SQLite has', advice, EXIT.failed)
}

/** For what the user or the server has cut off; a refusal says itself what to do. */
function withAdvice(shell: Shell, error: unknown): unknown {
  const again = `A move is all or nothing. The same command begins anew: ${commandLine(shell)}`
  if (error instanceof CliError) return new CliError(error.message, [...error.advice, again], error.exit)
  if (error instanceof Error && 'code' in error && error.code === 'storage_busy')
    return new CliError(error.message, [again])
  return error
}
