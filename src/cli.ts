#!/usr/bin/env node
import { Command } from 'commander'
import { openConfiguredBlobs } from './blobs/configured-blobs.ts'
import { appendixCommand } from './cli/appendix-command.ts'
import { backupCommand } from './cli/backup-command.ts'
import { batchCommand } from './cli/batch-command.ts'
import { cancelCommand } from './cli/cancel-command.ts'
import { judgesCommand, rubricsCommand } from './cli/catalogue-commands.ts'
import { compareCommand } from './cli/compare-command.ts'
import { doctorCommand } from './cli/doctor-command.ts'
import { gradeCommand } from './cli/grade-command.ts'
import { importCommand } from './cli/import-command.ts'
import { keysCommand } from './cli/keys-commands.ts'
import { migrateStoreCommand } from './cli/migrate-store-command.ts'
import { programName, typedFrom } from './cli/program-name.ts'
import { regradeCommand } from './cli/regrade-command.ts'
import { restoreCommand } from './cli/restore-command.ts'
import { resultsCommand } from './cli/results-command.ts'
import { resumeCommand } from './cli/resume-command.ts'
import { withServerBefore } from './cli/server-option.ts'
import type { Shell } from './cli/shell.ts'
import { showCommand } from './cli/show-command.ts'
import { startFailureText } from './cli/start-failure.ts'
import { statusCommand } from './cli/status-command.ts'
import { checkPaths, readTrialItems } from './cli/trial-source.ts'
import { workerCommand } from './cli/worker-command.ts'
import { VERSION } from './grading/software.ts'
import type { Upkeep } from './grading/upkeep-ports.ts'
import { openKeyDesk } from './key-desk.ts'
import { startEmbedded, startServer } from './server.ts'
import { backUpDatabase, projectFiles } from './storage/backup.ts'
import { examineDatabase } from './storage/examine.ts'
import { moveStore } from './storage/move/move-store.ts'
import { restoreDatabase, restoreDatabases } from './storage/restore.ts'
import { projectOfFile } from './storage/restored-project.ts'
import { startWorker } from './worker.ts'

const cwd = process.cwd()
const { env, typedIn } = typedFrom(process.env, cwd)
if (typedIn !== cwd) process.chdir(typedIn)
const typedAs = programName({ env, script: process.argv[1], cwd, typedIn })

const shell: Shell = {
  env,
  program: typedAs,
  args: process.argv.slice(2),
  cwd: typedIn,
  out: process.stdout,
  err: process.stderr,
  signals: process,
  startEmbedded,
  readTrials: readTrialItems,
  checkPaths,
  setExitCode(code) {
    process.exitCode = code
  },
  exit: (code) => process.exit(code),
}

/** The reader went away; a terminal that closed answers EIO. */
const GONE: readonly (string | undefined)[] = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']

// Whoever reads the results may have read enough: `veridict results … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (GONE.includes(error.code)) process.exit(0)
  throw error
})
// Whoever reads the progress may have read enough; what is being graded goes on.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (!GONE.includes(error.code)) throw error
})

const program = withServerBefore(new Command('veridict'))
  .version(VERSION)
  .description('Grades what terminal agents did with the instructions they found in their environment.')
  .showHelpAfterError('(add --help for what there is)')
  .addHelpText(
    'after',
    `
Start with one file:      veridict grade FILE -g TRUTH
Then a folder of them:    veridict batch FOLDER -g TRUTHS --dry-run     (every command has examples under --help)

Configuration comes from the environment (VERIDICT_PORT, VERIDICT_DATABASE, VERIDICT_CONFIG, VERIDICT_SERVER,
VERIDICT_API_KEY, VERIDICT_PROJECT, OPENAI_API_KEY, ANTHROPIC_API_KEY, …: see the README). Without any, the built-in lexical judge grades, with no network.`,
  )

if (typedAs !== 'veridict') program.addHelpText('afterAll', `\nHere \`veridict\` stands for: ${typedAs}`)

program
  .command('serve')
  .description('start the HTTP service; its log names the address, SIGTERM drains and stops it')
  .option(
    '--no-worker',
    'leave all batches to `veridict worker`; with a PostgreSQL (VERIDICT_WORKER=off says the same)',
  )
  .action(async ({ worker }: { worker: boolean }) => {
    await startServer(worker ? env : { ...env, VERIDICT_WORKER: 'off' }).catch((error: unknown) => {
      process.stderr.write(startFailureText(error, { env, program: typedAs }))
      process.exit(1)
    })
  })

const upkeep: Upkeep = {
  examine: examineDatabase,
  backUp: backUpDatabase,
  restore: restoreDatabase,
  restoreAll: restoreDatabases,
  projectFiles,
  projectOf: projectOfFile,
  openBlobs: openConfiguredBlobs,
}
const commands = [
  (own: Shell) => workerCommand(own, startWorker),
  gradeCommand,
  batchCommand,
  statusCommand,
  resultsCommand,
  showCommand,
  appendixCommand,
  resumeCommand,
  cancelCommand,
  regradeCommand,
  compareCommand,
  importCommand,
  judgesCommand,
  rubricsCommand,
  (own: Shell) => keysCommand(own, openKeyDesk),
  (own: Shell) => doctorCommand(own, upkeep),
  (own: Shell) => backupCommand(own, upkeep),
  (own: Shell) => restoreCommand(own, upkeep),
  (own: Shell) => migrateStoreCommand(own, moveStore),
]
for (const command of commands) program.addCommand(command(shell).copyInheritedSettings(program))

await program.parseAsync()
