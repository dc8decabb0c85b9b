import type { Command } from 'commander'
import { storeOf } from '../../../boot/open-store.ts'
import { TABLES } from '../../../db/files/transfer.ts'
import { count } from '../../../domain/words.ts'
import { EXPORT_VERSION } from '../../../schemas/documents.ts'
import { assertDatabase, configurationOf } from '../../database.ts'
import { CliError, EXIT, type ExitCode } from '../../errors.ts'
import { jsonCommand, type Options, withNewFile } from '../../input/command-options.ts'
import { inert, line } from '../../output/text.ts'
import { type Console, inConsole, withConsole } from '../../session.ts'
import type { Shell } from '../../shell.ts'

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
  withNewFile(jsonCommand('export', 'write grades, reviews and trajectories of the database as NDJSON'))
    .addHelpText('after', HELP)
    .action((options: Options) =>
      // The records go to `--out`, the JSON object to stdout.
      inConsole(shell, { json: options.json ?? false }, (outer) =>
        withConsole(shell, { ...options, json: false }, (console) => exportStore(outer, console, options)),
      ),
    )

async function exportStore(outer: Console, console: Console, { out, json }: Options): Promise<ExitCode> {
  const { shell, target, view, signal } = console
  if (json && out === undefined)
    throw new CliError('--json needs --out FILE: without a file the records themselves go to stdout')
  const { config, secrets } = configurationOf(shell.env)
  if (config.postgres === null && config.database === ':memory:') throw new CliError('VERIDICT_DATABASE is :memory:')
  assertDatabase(config)
  const store = storeOf(config, secrets)
  const counts: Record<string, number> = {}
  let records = 0
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
  view.end()
  outer.data = { counts, file: out }
  const to = out === undefined ? '' : ` to ${inert(out)}`
  if (!json) shell.err.write(`exported ${tallyText(counts)} of ${inert(store.shown)}${to}\n`)
  return EXIT.graded
}

/** Renders numbers of records: `2 trajectories, 3 attempts, 2 grades, 0 reviews`. */
export const tallyText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(TABLES)
    .map(([kind, many]) => count(counts[kind] ?? 0, kind, many))
    .join(', ')
