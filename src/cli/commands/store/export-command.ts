import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { DEFAULT_PROJECT } from '../../../access/access.ts'
import { createStorePool, type StorePool } from '../../../boot/store-pool.ts'
import { VERSION } from '../../../grading/software.ts'
import { EXPORT_VERSION } from '../../../schemas/transfer.ts'
import { CliError, EXIT, type ExitCode } from '../../client/cli-error.ts'
import { configurationOf } from '../../client/configuration.ts'
import { watchInterruption } from '../../client/interruption.ts'
import type { Shell } from '../../client/shell.ts'
import { assertDatabase, assertProject } from '../../client/stored-place.ts'
import { line } from '../../input/ndjson.ts'
import { runCommand } from '../../output/error-text.ts'
import { openOutput } from '../../output/output-target.ts'
import { createProgressView, type ProgressView } from '../../output/progress.ts'
import { tallyText } from '../../output/transfer-text.ts'
import { inert } from '../../results/terminal-text.ts'

interface ExportOptions {
  readonly out?: string
  readonly project?: string
  readonly allProjects?: boolean
}

const HELP = `
Writes every grade, review and trajectory of the database as NDJSON, with the judge calls and replies that the grades rest on.
The database is VERIDICT_DATABASE or VERIDICT_DATABASE_URL; it is only read, in one state, beside a running service.
\`veridict import FILE\` reads the file into another database.

Not in the file: batches, comments, keys, spending, and calls that have not ended.

A project has a file of its own: --all-projects makes a folder with NAME.ndjson for each.

Exit codes: 0 written; 1 the database cannot be read; 130 interrupted: no file is left behind.

Examples:
  veridict export --out store.ndjson
  veridict export --all-projects --out exported/
  veridict export | VERIDICT_DATABASE=new.sqlite veridict import -
  veridict export | jq -c 'select(.kind == "grade") | .body | fromjson | {id, label}'`

export const exportCommand = (shell: Shell): Command =>
  new Command('export')
    .description('write grades, reviews and trajectories of the database as NDJSON')
    .option('--out <file>', 'write there instead of to stdout; with --all-projects, a folder')
    .option('--project <name>', 'the project to export; VERIDICT_PROJECT by default')
    .option('--all-projects', 'export every project, each into a file of its own')
    .addHelpText('after', HELP)
    .action((options: ExportOptions) => runCommand(shell, () => exportProjects(shell, options)))

async function exportProjects(shell: Shell, { out, project, allProjects }: ExportOptions): Promise<ExitCode> {
  if (allProjects === true && (out === undefined || project !== undefined))
    throw new CliError('--all-projects writes a file for each project', ['Give a folder: --all-projects --out FOLDER'])
  const { config, secrets } = configurationOf(shell.env)
  if (config.postgres === null && config.database === ':memory:') throw new CliError('VERIDICT_DATABASE is :memory:')
  assertDatabase(config)
  const pool = await createStorePool(config, secrets)
  try {
    const name = project ?? config.project
    await assertProject(name, pool)
    const files: [name: string, file: string | undefined][] = [[name, out]]
    if (allProjects === true && out !== undefined) {
      await mkdir(out, { recursive: true })
      const names = [DEFAULT_PROJECT, ...(await pool.list())]
      files.splice(0, 1, ...names.map((name): [string, string] => [name, join(out, `${name}.ndjson`)]))
    }
    for (const [name, file] of files) await exportProject(shell, pool, name, file)
    return EXIT.graded
  } finally {
    await pool.close()
  }
}

async function exportProject(shell: Shell, pool: StorePool, project: string, out: string | undefined): Promise<void> {
  const target = await openOutput(shell, out)
  const { signal, release } = watchInterruption(shell)
  const view: ProgressView = await createProgressView(shell.err, shell.env)
  const counts: Record<string, number> = {}
  let records = 0
  try {
    const made = { software: `veridict ${VERSION}`, created_at: new Date().toISOString() }
    await target.write(line({ kind: 'veridict_export', version: EXPORT_VERSION, project, ...made }))
    await pool.exportRecords(project, async (source) => {
      for await (const record of source) {
        signal.throwIfAborted()
        await target.write(line(record))
        counts[record.kind] = (counts[record.kind] ?? 0) + 1
        records += 1
        view.doing(`exporting ${project}: ${tallyText(counts)}`)
      }
    })
    await target.write(line({ kind: 'end', records }))
    await target.commit()
  } finally {
    view.end()
    await target.discard()
    release()
  }
  const from = `project ${project} of ${inert(pool.shown)}`
  shell.err.write(`exported ${tallyText(counts)} of ${from}${out === undefined ? '' : ` to ${inert(out)}`}\n`)
}
