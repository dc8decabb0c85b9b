import { styleText } from 'node:util'
import { storeOf } from '../../boot/open-store.ts'
import type { Finding, Severity } from '../../db/files/file.ts'
import { count } from '../../domain/words.ts'
import { EXPORT_RECORDS, EXPORT_VERSION } from '../../schemas/documents.ts'
import { assertDatabase, configurationOf, DATABASE, type DatabaseOptions, existingDatabase } from '../database.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { NEW_FILE, type Options } from '../options.ts'
import { inert, line, pad, type Style } from '../output/text.ts'
import { consoleCommand } from '../session.ts'
import { asTyped, type Shell } from '../shell.ts'

export const backup = consoleCommand<DatabaseOptions, [file: string]>(
  {
    name: 'backup',
    about: 'copy the database beside a running service',
    args: { '<file>': 'the new file' },
    options: [DATABASE],
    help: [
      `Copies the database beside a running service. FILE must not exist; it appears when the copy is whole, and is readable by you alone. To
put it back: stop the service, copy FILE to VERIDICT_DATABASE, remove its -wal and -shm, run \`veridict doctor\`, start the service.`,
      'Example:\n  veridict backup /backups/veridict-2026-11-21.sqlite',
    ],
  },
  async (console, options, file) => {
    const { backUpDatabase } = await import('../../db/files/file.ts')
    const bytes = await backUpDatabase(existingDatabase(console.shell, options), file, console.signal)
    return console.answer({ file, bytes }, `${inert(file)}: ${count(bytes, 'byte')}\n`)
  },
)

const DOCTOR_EXIT: Readonly<Record<Severity, ExitCode>> = { ok: 0, warning: 2, error: 3 }
const STYLE: Readonly<Record<Severity, Style>> = { ok: 'green', warning: 'yellow', error: 'red' }

export const doctor = consoleCommand<DatabaseOptions>(
  {
    name: 'doctor',
    about: 'examine the database; changes nothing',
    options: [DATABASE],
    help: [
      `Examines a database file: disk, schema, integrity and unfinished work, each with its next step. The command only reads, and works
beside a running service; it takes as long as reading the whole file.`,
      'Exit codes: 0 healthy; 1 no such file, or bad usage; 2 warnings; 3 errors.',
      'Examples:\n  veridict doctor\n  veridict doctor --database copy.sqlite',
    ],
  },
  async (console, options) => {
    const { shell, write } = console
    const database = existingDatabase(shell, options)
    const { examineFile } = await import('../../db/files/file.ts')
    await write(`${inert(database)}\n`)
    const findings: Finding[] = []
    for (const finding of examineFile(database)) {
      findings.push(finding)
      await write(findingText(finding, shell))
    }
    console.data = { database, findings }
    return Math.max(...findings.map(({ severity }) => DOCTOR_EXIT[severity])) as ExitCode
  },
)

/** Renders a finding with its next step below it. Names come from the database, so they are made inert. */
function findingText({ severity, check, found, advice }: Finding, shell: Shell): string {
  const next = advice === null ? '' : `${' '.repeat(11)}${inert(asTyped(shell, advice))}\n`
  return `  ${pad(styleText(STYLE[severity], severity), 8)} ${pad(check, 17)} ${inert(found)}\n${next}`
}

export const exportStore = consoleCommand<Options>(
  {
    name: 'export',
    about: 'write grades, reviews and trajectories of the database as NDJSON',
    records: true,
    options: NEW_FILE,
    help: [
      `Writes every grade, review and trajectory of the database as NDJSON, with the judge calls and replies that the grades rest on.
The database is VERIDICT_DATABASE or VERIDICT_DATABASE_URL; it is only read, in one state, beside a running service.
\`veridict import FILE\` reads the file into another database.`,
      'Not in the file: batches, keys, spending, and calls that have not ended.',
      'Exit codes: 0 written; 1 the database cannot be read; 130 interrupted: no file is left behind.',
      `Examples:
  veridict export --out store.ndjson
  veridict export | jq -c 'select(.kind == "grade") | .body | fromjson | {id, label}'`,
    ],
  },
  async (console, { out, json }) => {
    const { shell, write, view, signal } = console
    if (json && out === undefined)
      throw new CliError('--json needs --out FILE: without a file the records themselves go to stdout')
    const { config, secrets } = configurationOf(shell.env)
    if (config.postgres === null && config.database === ':memory:') throw new CliError('VERIDICT_DATABASE is :memory:')
    assertDatabase(config)
    const store = storeOf(config, secrets)
    const counts: Record<string, number> = {}
    let records = 0
    await write(line({ kind: 'veridict_export', version: EXPORT_VERSION }))
    await store.exportRecords(async (source) => {
      for await (const record of source) {
        signal.throwIfAborted()
        await write(line(record))
        counts[record.kind] = (counts[record.kind] ?? 0) + 1
        records += 1
        view.doing(`exporting ${recordsText(counts)}`)
      }
    })
    await write(line({ kind: 'end', records }))
    await console.commit()
    view.end()
    console.data = { counts, file: out }
    const to = out === undefined ? '' : ` to ${inert(out)}`
    if (!json) shell.err.write(`exported ${recordsText(counts)} of ${inert(store.shown)}${to}\n`)
    return EXIT.graded
  },
)

/** Renders numbers of records: `2 trajectories, 3 attempts, 2 grades, 0 reviews`. */
export const recordsText = (counts: Readonly<Record<string, number>>): string =>
  Object.keys(EXPORT_RECORDS)
    .map((kind) => count(counts[kind] ?? 0, kind, `${kind.replace(/y$/, 'ie')}s`))
    .join(', ')
