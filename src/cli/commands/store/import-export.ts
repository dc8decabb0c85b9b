import { stat } from 'node:fs/promises'
import { linesOf } from '../../../archives/trials/request-lines.ts'
import { readAt } from '../../../archives/unpack/file-bytes.ts'
import { storeOf } from '../../../boot/open-store.ts'
import { count } from '../../../domain/count.ts'
import { digestValue } from '../../../domain/digest.ts'
import { parseJson } from '../../../domain/text/exact-json.ts'
import { type Review, ReviewSchema } from '../../../schemas/audit/review.ts'
import { inputIssues } from '../../../schemas/check.ts'
import { type Grade, GradeSchema } from '../../../schemas/grade.ts'
import { EXPORT_RECORDS, EXPORT_VERSION, type ExportKind, type ExportRecord } from '../../../schemas/transfer.ts'
import type { ImportStore } from '../../../storage/transfer.ts'
import { configurationOf } from '../../client/database.ts'
import { CliError, EXIT, type ExitCode } from '../../client/errors.ts'
import { withConsole } from '../../client/session.ts'
import type { Shell } from '../../client/shell.ts'
import { clip, inert } from '../../output/text.ts'
import { tallyText } from './export-command.ts'

/** A line holds one trajectory as an escaped text; a text of V8 has at most 512 Mi characters. */
const MOST_LINE_BYTES = 256 * 1024 * 1024
/** Bounds the records of one transaction. */
const GROUP = { records: 64, bytes: 4 * 1024 * 1024 }
const PARTLY = 'The records of the lines before are stored: the import of a whole file stores the rest.'
const HEAD = '{"kind":"veridict_export"'

/** Tells whether a file begins like the output of `veridict export`. An unreadable file does not. */
export async function isExport(path: string): Promise<boolean> {
  if ((await stat(path).catch(() => null))?.isFile() !== true) return false
  return (await readAt(path, 0, HEAD.length)).toString('latin1') === HEAD
}

/**
 * Reads an export into the database of the configuration, a group of records in one transaction. A record of a known id stays as it is, so
 * that the same command goes on after a crash. Throws a CliError with the line of the first broken record; the records before it are stored.
 */
export async function importExport(shell: Shell, path: string): Promise<ExitCode> {
  const { config, secrets } = configurationOf(shell.env)
  const database = storeOf(config, secrets)
  const stores = await database.open()
  const added: Record<string, number> = {}
  let [records, before] = [0, 0]
  try {
    await withConsole(shell, undefined, async ({ view, signal }) => {
      for await (const group of readExport(path, stores.imports, signal)) {
        const stored = await stores.imports.put(group).catch((error: unknown) => {
          view.note(`not stored: the records ${records + 1} to ${records + group.length} of ${inert(path)}`)
          throw error
        })
        for (const { kind } of stored) added[kind] = (added[kind] ?? 0) + 1
        records += group.length
        before += group.length - stored.length
        view.doing(`importing: ${count(records, 'record')}`)
      }
    })
  } finally {
    await stores.close()
  }
  const rest = `${count(before, 'record')} stored already`
  shell.err.write(`imported ${tallyText(added)} into ${inert(database.shown)}; ${rest}\n`)
  return EXIT.graded
}

/** Reads and checks the records of an export in groups. Throws a CliError for a broken record, and for a file that broke off. */
async function* readExport(path: string, store: ImportStore, signal: AbortSignal): AsyncGenerator<ExportRecord[]> {
  const names = new Set<string>()
  let [group, bytes, end]: [ExportRecord[], number, unknown] = [[], 0, undefined]
  for await (const line of linesOf(path, MOST_LINE_BYTES)) {
    signal.throwIfAborted()
    const value = line.bytes === null ? null : (parseJson(line.bytes.toString('utf8')) as Partial<ExportRecord>)
    const { kind, version, records } = Object(value) as { kind?: string; version?: unknown; records?: unknown }
    if (line.number === 1 && version === EXPORT_VERSION) continue
    if (kind === 'end') {
      end = records
      continue
    }
    const fault =
      line.number === 1 ? `is of version ${version}; this program reads 1` : await faultOf(value, names, store)
    if (fault !== null) {
      yield group
      throw new CliError(`${inert(path)}, line ${line.number}: ${clip(inert(fault), 300)}`, [PARTLY])
    }
    group.push(value as ExportRecord)
    bytes += line.bytes?.length ?? 0
    if (group.length < GROUP.records && bytes < GROUP.bytes) continue
    yield group
    ;[group, bytes] = [[], 0]
  }
  yield group
  if (end !== names.size)
    throw new CliError(`${inert(path)} is not whole: ${count(names.size, 'record')} of ${end ?? 'an unknown number'}`, [
      PARTLY,
    ])
}

/**
 * Finds the fault of a record: its form, the digest of a trajectory, the body of a grade or a review, and a record that it refers to and that
 * is neither stored nor in a line before. The database checks the rest. Adds the name of a good record to `names`.
 */
async function faultOf(value: unknown, names: Set<string>, store: ImportStore): Promise<string | null> {
  const { kind, id } = Object(value) as { readonly kind?: string; readonly id?: string }
  if (!Object.hasOwn(EXPORT_RECORDS, String(kind))) return 'no record of an export'
  const record = value as ExportRecord
  const fault = schemaFault(EXPORT_RECORDS[record.kind], record) ?? bodyFault(record)
  if (fault !== null) return `${kind} ${id}: ${fault}`
  for (const [other, otherId] of referencesOf(record))
    if (!names.has(`${other} ${otherId}`) && !(await store.has(other, otherId)))
      return `${kind} ${id}: its ${other} ${otherId} is neither stored nor in a line before`
  names.add(`${kind} ${id}`)
  return null
}

function bodyFault(record: ExportRecord): string | null {
  if (record.kind === 'attempt') return null
  if (record.kind === 'trajectory')
    return digestOf(record.document) === record.id ? null : 'its document has another digest than its id'
  const body = parseJson(record.body)
  const fault = schemaFault(record.kind === 'grade' ? GradeSchema : ReviewSchema, body)
  if (fault !== null) return `its body: ${fault}`
  return (body as Grade).id === record.id ? null : 'its body has another id'
}

/** Computes the digest of a JSON text; null where the text is nested deeper than the stack. */
function digestOf(document: string): string | null {
  try {
    return digestValue(parseJson(document))
  } catch {
    return null
  }
}

function schemaFault(schema: object, value: unknown): string | null {
  const [issue] = inputIssues(schema, value)
  return issue === undefined ? null : `${issue.path} ${issue.message}`
}

function referencesOf(record: ExportRecord): [kind: ExportKind, id: string][] {
  if (record.kind === 'review') return [['grade', (JSON.parse(record.body) as Review).grade_id]]
  if (record.kind !== 'grade') return []
  const { trajectory, attempts } = (JSON.parse(record.body) as Grade).receipt
  return [['trajectory', trajectory], ...attempts.map(({ id }): [ExportKind, string] => ['attempt', id])]
}
