import { stat } from 'node:fs/promises'
import { readAt } from '../../archives/unpack/place.ts'
import { storeOf } from '../../boot/open-store.ts'
import type { ImportStore } from '../../db/files/transfer.ts'
import { digestValue } from '../../domain/digest.ts'
import { parseJson } from '../../domain/text/json.ts'
import { referenceIn } from '../../domain/trajectory/trajectory.ts'
import { count } from '../../domain/words.ts'
import type { BatchItem } from '../../schemas/batch.ts'
import { inputIssues } from '../../schemas/check.ts'
import {
  EXPORT_RECORDS,
  EXPORT_VERSION,
  type ExportKind,
  type ExportRecord,
  type RecordOf,
} from '../../schemas/documents.ts'
import { type Grade, GradeSchema } from '../../schemas/grade.ts'
import { type Review, ReviewSchema } from '../../schemas/review.ts'
import { configurationOf } from '../database.ts'
import { CliError, EXIT, type ExitCode, strictCode } from '../errors.ts'
import { NEW_FILE, type Options, SERVER, STRICT, TRIAL_PATHS, TRIALS } from '../options.ts'
import { inOrder } from '../output/output-target.ts'
import { clip, inert, line } from '../output/text.ts'
import { type Console, consoleCommand, SERVER_HELP, type Session, withConnection } from '../session.ts'
import { countsText, itemOf, openTrials, type Trial } from '../trials.ts'
import { recordsText } from './store-commands.ts'

export const importTrials = consoleCommand<Options, [paths: string[]]>(
  {
    name: 'import',
    about: 'read an export into the database; or upload trajectories, and write grade requests that name them by id',
    args: TRIAL_PATHS,
    options: [...TRIALS, SERVER, ...NEW_FILE, STRICT],
    help: [
      'PATH is a file of `veridict export`, or trials.',
      `An export is read into the database of VERIDICT_DATABASE or VERIDICT_DATABASE_URL, beside a running service or without one. The
command checks the whole file first, and stores nothing of a file with a fault. A record whose id is stored stays as it is.`,
      `Of trials the command uploads every trajectory once and writes a grade request a line with its id instead of its text: small lines,
to edit, keep, split, and give to \`veridict batch\` or POST /v1/batches.`,
      SERVER_HELP,
      `Exit codes: 0 imported, or written; 1 bad input, nothing to import, an export with a fault, or no service; 3 with --strict, where a
trial was skipped or has unread records; 130 interrupted.`,
      `Examples:
  veridict import jobs/ -g truths.ndjson --out trials.ndjson --server http://127.0.0.1:8787
  veridict batch trials.ndjson --judge openai --server http://127.0.0.1:8787`,
    ],
  },
  async (console, options, paths) => {
    const exports = (await Promise.all(paths.map(isExport))).includes(true)
    if (!exports) return withConnection(console, options, 'make', (session) => importPaths(session, paths, options))
    if (paths.length > 1 || options.server !== undefined)
      throw new CliError('an export is read by itself, into the database and not through a service', [
        'Leave --server and other paths out; VERIDICT_DATABASE or VERIDICT_DATABASE_URL names the database.',
      ])
    return importExport(console, paths[0] ?? '')
  },
)

/** Uploads at once. Lines are written in the order of the trials. */
const AT_ONCE = 4

async function importPaths(session: Session, paths: readonly string[], options: Options): Promise<ExitCode> {
  const { veridict, shell, view, write, signal, json } = session
  const requests: BatchItem[] = []
  const { trials, counts } = openTrials(session, paths, options)
  /** Uploads a trajectory, and returns the request with its id. A request that names an uploaded trajectory stays unchanged. */
  const upload = async (trial: Trial): Promise<BatchItem> => {
    signal.throwIfAborted()
    const item = itemOf(trial)
    if (referenceIn(item.trajectory) !== null) return item
    const { id } = await veridict.uploadTrajectory(item.trajectory, { signal })
    return { ...item, trajectory: { id } }
  }
  for await (const item of inOrder(trials(), AT_ONCE, upload)) {
    if (json) requests.push(item)
    await write(line(item))
  }
  session.data = { counts, requests }
  view.end()
  await session.commit()
  shell.err.write(`imported ${countsText(counts)}\n`)
  return strictCode(EXIT.graded, options, counts.skipped + counts.unread)
}

/** A line holds one trajectory as an escaped text; a text of V8 has at most 512 Mi characters. */
const MOST_LINE_BYTES = 256 * 1024 * 1024
/** Bounds the records of one transaction. */
const GROUP = { records: 64, bytes: 4 * 1024 * 1024 }
const HEAD = '{"kind":"veridict_export"'

/** Tells whether a file begins like the output of `veridict export`. An unreadable file does not. */
async function isExport(path: string): Promise<boolean> {
  if ((await stat(path).catch(() => null))?.isFile() !== true) return false
  return (await readAt(path, 0, HEAD.length)).toString('latin1') === HEAD
}

/**
 * Reads an export into the database of the configuration. The first reading checks every record and stores nothing; the second reading
 * stores the records whose ids are new, so that the same command goes on after a crash.
 */
async function importExport(console: Console, path: string): Promise<ExitCode> {
  const { shell, view, signal, json } = console
  const { config, secrets } = configurationOf(shell.env)
  const database = storeOf(config, secrets)
  const stores = await database.open()
  const added: Record<string, number> = {}
  let records = 0
  try {
    const names = new Set<string>()
    for await (const group of readExport(path, signal)) {
      await assertComplete(group, names, stores.imports)
      view.doing(`checking: ${count(names.size, 'record')}`)
    }
    for await (const group of readExport(path, signal)) {
      for (const { kind } of await stores.imports.put(group)) added[kind] = (added[kind] ?? 0) + 1
      records += group.length
      view.doing(`importing: ${count(records, 'record')} of ${names.size}`)
    }
  } finally {
    await stores.close()
  }
  view.end()
  const before = records - Object.values(added).reduce((sum, n) => sum + n, 0)
  console.data = { added, stored_before: before }
  const rest = `${count(before, 'record')} stored already`
  if (!json) shell.err.write(`imported ${recordsText(added)} into ${inert(database.shown)}; ${rest}\n`)
  return EXIT.graded
}

const refuse = (fault: string): CliError => new CliError(`${clip(fault, 300)}; no record of the export was stored`)

/** Reads the records of an export in groups. Throws a CliError with the line of a broken record, and for a file that broke off. */
async function* readExport(path: string, signal: AbortSignal): AsyncGenerator<ExportRecord[]> {
  const { linesOf } = await import('../../archives/trials/request-lines.ts')
  let group: ExportRecord[] = []
  let [bytes, records] = [0, 0]
  let end: unknown
  for await (const line of linesOf(path, MOST_LINE_BYTES)) {
    signal.throwIfAborted()
    const at = `${inert(path)}, line ${line.number}`
    if (line.bytes === null) throw refuse(`${at}: more than ${MOST_LINE_BYTES} bytes`)
    const value = parseJson(line.bytes.toString('utf8')) as Readonly<Record<string, unknown>> | undefined
    if (line.number === 1) {
      if (value?.['version'] === EXPORT_VERSION) continue
      throw refuse(
        `${at}: an export of version ${inert(`${JSON.stringify(value?.['version'])}`)}; this program reads 1`,
      )
    }
    if (value?.['kind'] === 'end') {
      end = value['records']
      continue
    }
    const fault = faultOf(value)
    if (fault !== null) throw refuse(`${at}: ${inert(fault)}`)
    group.push(value as ExportRecord)
    records += 1
    bytes += line.bytes.length
    if (group.length < GROUP.records && bytes < GROUP.bytes) continue
    yield group
    ;[group, bytes] = [[], 0]
  }
  if (end !== records)
    throw refuse(
      `${inert(path)} is not whole: ${count(records, 'record')} of ${typeof end === 'number' ? end : 'an unknown number'}`,
    )
  yield group
}

/** Checks all that the database will refuse, and the digest of a trajectory. */
function faultOf(value: unknown): string | null {
  const { kind, id } = (value ?? {}) as { readonly kind?: unknown; readonly id?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(EXPORT_RECORDS, kind)) return 'no record of an export'
  const record = value as ExportRecord
  const fault = schemaFault(EXPORT_RECORDS[record.kind], record) ?? contentFault(record)
  return fault === null ? null : `${kind} ${typeof id === 'string' ? id : 'without an id'}: ${fault}`
}

function contentFault(record: ExportRecord): string | null {
  if (record.kind === 'trajectory')
    return digestOf(record.document) === record.id ? null : 'its document has another digest than its id'
  if (record.kind === 'attempt') {
    if (record.outcome === 'ok' && (record.reply_text === null || record.raw_reply === null))
      return 'a good call without its reply'
    return record.usage === null || isObject(record.usage) ? null : 'its usage is no JSON object'
  }
  const body = parseJson(record.body)
  const fault = schemaFault(record.kind === 'grade' ? GradeSchema : ReviewSchema, body, 'its body: ')
  if (fault !== null) return fault
  if ((body as Grade).id !== record.id) return 'its body has another id'
  return record.kind === 'grade' ? gradeFault(record, body as Grade) : null
}

function gradeFault({ answers, silent, ground_truth }: RecordOf<'grade'>, { status, ...grade }: Grade): string | null {
  if ((status === 'graded') !== (grade.label !== null)) return 'only a graded grade has a label, and it has one'
  if ((status === 'failed' && grade.claimed_label !== null) || (answers && (silent || status === 'failed')))
    return 'a failed grade claims and answers nothing, and a recheck answers nothing'
  return isObject(ground_truth) ? null : 'its ground truth is no JSON object'
}

/** Computes the digest of a JSON text; null where the text is nested deeper than the stack. */
function digestOf(document: string): string | null {
  try {
    return digestValue(parseJson(document))
  } catch {
    return null
  }
}

function schemaFault(schema: object, value: unknown, place = ''): string | null {
  const [issue] = inputIssues(schema, value)
  return issue === undefined ? null : `${place}${issue.path} ${issue.message}`
}

const isObject = (json: string): boolean => {
  const value = parseJson(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Throws where a record refers to a record that is neither stored nor named before. Adds the records to `names`. */
async function assertComplete(group: readonly ExportRecord[], names: Set<string>, store: ImportStore): Promise<void> {
  const missing = new Map<string, string>()
  for (const record of group) {
    const name = `${record.kind} ${record.id}`
    names.add(name)
    for (const reference of referencesOf(record)) if (!names.has(reference)) missing.set(reference, name)
  }
  for (const [reference, name] of missing) {
    const [kind, id] = reference.split(' ') as [ExportKind, string]
    if (!(await store.has(kind, id))) throw refuse(`${name}: its ${reference} is neither stored nor in a line before`)
  }
}

function referencesOf(record: ExportRecord): string[] {
  if (record.kind === 'review') return [`grade ${(JSON.parse(record.body) as Review).grade_id}`]
  if (record.kind !== 'grade') return []
  const { trajectory, attempts } = (JSON.parse(record.body) as Grade).receipt
  return [`trajectory ${trajectory}`, ...attempts.map(({ id }) => `attempt ${id}`)]
}
