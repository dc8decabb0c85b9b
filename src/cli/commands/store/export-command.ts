import { Command } from 'commander'
import { storeOf } from '../../../boot/open-store.ts'
import { TABLES } from '../../../db/files/transfer.ts'
import { count } from '../../../domain/count.ts'
import { EXPORT_VERSION } from '../../../schemas/transfer.ts'
import { assertDatabase, configurationOf } from '../../client/database.ts'
import { CliError, EXIT, type ExitCode, runCommand } from '../../client/errors.ts'
import { withConsole } from '../../client/session.ts'
import type { Shell } from '../../client/shell.ts'
import { inert, line } from '../../output/text.ts'

const HELP = `
Writes every grade, review and trajectory of the database as NDJSON, with the judge calls and replies that the grades rest on.
The database is VERIDICT_DATABASE or VERIDICT_DATABASE_URL; it is only read, in one state, beside a running service.
\`veridict import FILE\` reads the file into another database.

Not in the file: batches, keys, spending, and calls that have not ended.

Exit codes: 0 written; 1 the database cannot be read; 130 interrupted: no file is left behind.

Examples:
  veridict export --out store.ndjson
  veridict export | jq -c 'select(.kind == "grade") | .body | fromjson | {id, label}'`

export const exportCommand = (shell: Shell): Command =>
  new Command('export')
    .description('write grades, reviews and trajectories of the database as NDJSON')
    .option('--out <file>', 'write there instead of to stdout')
    .addHelpText('after', HELP)
    .action(({ out }: { readonly out?: string }) => runCommand(shell, () => exportStore(shell, out)))

async function exportStore(shell: Shell, out: string | undefined): Promise<ExitCode> {
  const { config, secrets } = configurationOf(shell.env)
  if (config.postgres === null && config.database === ':memory:') throw new CliError('VERIDICT_DATABASE is :memory:')
  assertDatabase(config)
  const store = storeOf(config, secrets)
  const counts: Record<string, number> = {}
  let records = 0
  await withConsole(shell, out, async ({ target, view, signal }) => {
    await target.write(line({ kind: 'veridict_export', version: EXPORT_VERSION }))
    await store.exportRecords(async (source) => {
      for await (const record of source) {
        signal.throwIfAborted()
        await target.write(line(record))
        counts[record.kind] = (counts[record.kind] ?? 0) + 1
        records += 1
        view.doing(`exporting ${tallyText(counts)}`)
      }
    })
    await target.write(line({ kind: 'end', records }))
    await target.commit()
  })
  const to = out === undefined ? '' : ` to ${inert(out)}`
  shell.err.write(`exported ${tallyText(counts)} of ${inert(store.shown)}${to}\n`)
  return EXIT.graded
}

/** Renders numbers of records: `2 trajectories, 3 attempts, 2 grades, 0 reviews`. */
export const tallyText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(TABLES)
    .map(([kind, many]) => count(counts[kind] ?? 0, kind, many))
    .join(', ')
