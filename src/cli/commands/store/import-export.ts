import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { readAt } from '../../../archives/unpack/file-bytes.ts'
import { storeOf } from '../../../boot/open-store.ts'
import { count } from '../../../domain/count.ts'
import type { Review } from '../../../schemas/audit/review.ts'
import type { Grade } from '../../../schemas/grade.ts'
import type { ExportKind, ExportRecord } from '../../../schemas/transfer.ts'
import { parseStored } from '../../../storage/stored-text.ts'
import { type ImportStore, TABLES } from '../../../storage/transfer.ts'
import { configurationOf } from '../../client/database.ts'
import { CliError, EXIT, type ExitCode } from '../../client/errors.ts'
import { watchInterruption } from '../../client/session.ts'
import { commandLine, type Shell } from '../../client/shell.ts'
import { createProgressView, type ProgressView } from '../../output/progress.ts'
import { clip, inert } from '../../output/text.ts'
import { tallyText } from './export-command.ts'
import { type RecordLine, readExport } from './export-lines.ts'

/** Faults that are printed; the others are counted. */
const MOST_PRINTED = 20
const HEAD = '{"kind":"veridict_export"'

/** Tells whether a file begins like the output of `veridict export`. An unreadable file does not. */
export async function isExport(path: string): Promise<boolean> {
  if ((await stat(path).catch(() => null))?.isFile() !== true) return false
  return (await readAt(path, 0, HEAD.length)).toString('latin1') === HEAD
}

/** Reads an export into the database of the configuration: the whole file is checked before its first record is stored. */
export async function importExport(shell: Shell, path: string): Promise<ExitCode> {
  const { config, secrets } = configurationOf(shell.env)
  const database = storeOf(config, secrets)
  const stores = await database.open()
  const { signal, release } = watchInterruption(shell)
  const view = await createProgressView(shell.err, shell.env)
  try {
    await assertSound(readExport(path, signal), stores.imports, view, path)
    const { added, before } = await storeRecords(readExport(path, signal), stores.imports, view)
    view.end()
    const rest = `${count(before, 'record')} stored already`
    shell.err.write(`imported ${tallyText(added)} into ${inert(database.shown)}; ${rest}\n`)
    return EXIT.graded
  } catch (error) {
    if (!signal.aborted) throw error
    const again = [`The same command goes on: ${commandLine(shell)}`]
    throw new CliError('interrupted: the records stored so far are kept', again, EXIT.interrupted)
  } finally {
    view.end()
    release()
    await stores.close()
  }
}

type Groups = AsyncIterable<readonly RecordLine[]>

/** Prints the faults of an export with their lines, and throws where the export has any. */
async function assertSound(groups: Groups, store: ImportStore, view: ProgressView, path: string): Promise<void> {
  const names = new Set<string>()
  let [faults, records] = [0, 0]
  for await (const group of groups) {
    const stored = await findStored(store, group, names)
    for (const { number, record } of group) {
      const fault = typeof record === 'string' ? record : faultOf(record, names, stored)
      if (fault !== null && ++faults <= MOST_PRINTED) view.note(`line ${number}: ${clip(fault, 300)}`)
    }
    records += group.length
    view.doing(`checking: ${count(records, 'record')}`)
  }
  if (faults === 0) return
  const rest = faults > MOST_PRINTED ? `, ${MOST_PRINTED} of them printed` : ''
  throw new CliError(`${inert(path)} has ${count(faults, 'fault')}${rest}: nothing of the file is stored`, [
    'Export again, and import that file.',
  ])
}

type Stored = ReadonlyMap<string, ExportRecord>

/** Finds the stored records of the ids of a group, and the stored records that the group refers to. */
async function findStored(store: ImportStore, group: readonly RecordLine[], names: ReadonlySet<string>) {
  const records = group.flatMap(({ record }) => (typeof record === 'string' ? [] : [record]))
  const sought = records.flatMap((record) => [nameOf(record), ...referencesOf(record)]).filter((n) => !names.has(n))
  const stored = new Map<string, ExportRecord>()
  for (const kind of Object.keys(TABLES) as ExportKind[]) {
    const ids = sought.filter((name) => name.startsWith(`${kind} `)).map((name) => name.slice(kind.length + 1))
    for (const record of await store.find(kind, ids)) stored.set(nameOf(record), record)
  }
  return stored
}

const nameOf = ({ kind, id }: ExportRecord): string => `${kind} ${id}`

function referencesOf(record: ExportRecord): string[] {
  if (record.kind === 'review') return [`grade ${parseStored<Review>(record.body).grade_id}`]
  if (record.kind !== 'grade') return []
  const { trajectory, attempts } = parseStored<Grade>(record.body).receipt
  return [`trajectory ${trajectory}`, ...attempts.map(({ id }) => `attempt ${id}`)]
}

/** Checks a record against the lines before and the store. Adds the record to `names`. */
function faultOf(record: ExportRecord, names: Set<string>, stored: Stored): string | null {
  const name = nameOf(record)
  if (names.has(name)) return `${name} is in the file twice`
  names.add(name)
  const same = stored.get(name)
  if (same !== undefined && !isSame(same, record)) return `another ${record.kind} is stored under the id ${record.id}`
  const missing = referencesOf(record).find((reference) => !names.has(reference) && !stored.has(reference))
  return missing === undefined ? null : `${name}: its ${missing} is neither stored nor in a line before`
}

/** Compares two records of one id; whether a grade answers its key may differ. */
const isSame = (stored: ExportRecord, record: ExportRecord): boolean =>
  record.kind === 'trajectory' || isDeepStrictEqual({ ...stored, answers: null }, { ...record, answers: null })

/** Stores the records of a checked export. Returns the numbers of added records by kind, and of records that were stored before. */
async function storeRecords(groups: Groups, store: ImportStore, view: ProgressView) {
  const added: Record<string, number> = {}
  let before = 0
  for await (const group of groups) {
    const records = group.flatMap(({ record }) => (typeof record === 'string' ? [] : [record]))
    if (records.length < group.length) throw new CliError('the file was changed while it was read')
    const put = await store.put(records)
    for (const { kind } of put) added[kind] = (added[kind] ?? 0) + 1
    before += records.length - put.length
    view.doing(`importing: ${tallyText(added)}; ${before} stored already`)
  }
  return { added, before }
}
