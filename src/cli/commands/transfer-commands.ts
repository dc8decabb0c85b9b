import { stat } from 'node:fs/promises'
import { readAt } from '../../archives/unpack/place.ts'
import type { ImportStore } from '../../db/files/transfer.ts'
import { digestValue } from '../../domain/digest.ts'
import { sum } from '../../domain/statistics/weighted-shares.ts'
import { parseJson } from '../../domain/text/json.ts'
import { referenceIn } from '../../domain/trajectory/trajectory.ts'
import { count } from '../../domain/words.ts'
import type { BatchItem } from '../../schemas/batch.ts'
import { inputIssues } from '../../schemas/check.ts'
import * as documents from '../../schemas/documents.ts'
import { type Grade, GradeSchema } from '../../schemas/grade.ts'
import { DispositionSchema, type Review, ReviewSchema, SignoffSchema } from '../../schemas/review.ts'
import { withStores } from '../database.ts'
import { type Options, OUT, SERVER, STRICT, TRIAL_PATHS, TRIALS } from '../options.ts'
import { inOrder } from '../output/screen.ts'
import { clip, inert, line, writeRows } from '../output/text.ts'
import { type Answer, type Console, consoleCommand, type Session, withConnection } from '../session.ts'
import { CliError, EXIT, strictCode } from '../shell.ts'
import { countsText, itemOf, openTrials, type Trial } from '../trials.ts'

export const exportStore = consoleCommand<Options>('export', {
  options: OUT,
  work: (console, { out }) =>
    withStores(console.shell, 'look', async ({ db }, database) => {
      const { write, view, signal } = console
      const counts: Record<string, number> = {}
      await write(line({ kind: 'veridict_export', version: documents.EXPORT_VERSION }))
      const { exportRecords } = await import('../../db/files/transfer.ts')
      await db.snapshot(async (read) => {
        for await (const record of exportRecords(read)) {
          signal.throwIfAborted()
          await write(line(record))
          counts[record.kind] = (counts[record.kind] ?? 0) + 1
          view.doing(`exporting ${recordsText(counts)}`)
        }
      })
      await write(line({ kind: 'end', records: sum(Object.values(counts)) }))
      const to = out === undefined ? '' : ` to ${inert(out)}`
      return { data: null, notes: [`exported ${recordsText(counts)} of ${database}${to}`] }
    }),
})

const recordsText = (counts: Readonly<Record<string, number>>): string =>
  Object.keys(documents.EXPORT_RECORDS)
    .map((kind) => count(counts[kind] ?? 0, kind, `${kind.replace(/y$/, 'ie')}s`))
    .join(', ')

export const importTrials = consoleCommand<Options, [paths: string[]]>('import', {
  args: TRIAL_PATHS,
  options: [...TRIALS, SERVER, ...OUT, STRICT],
  async work(console, options, paths) {
    const exports = (await Promise.all(paths.map(isExport))).includes(true)
    if (!exports) return withConnection(console, options, 'make', (session) => importPaths(session, paths, options))
    if (paths.length > 1 || options.server !== undefined)
      throw new CliError('an export is read by itself, into the database and not through a service', [
        'Leave --server and other paths out; VERIDICT_DATABASE or VERIDICT_DATABASE_URL names the database.',
      ])
    return importExport(console, paths[0] ?? '')
  },
})

async function importPaths(session: Session, paths: readonly string[], options: Options): Promise<Answer> {
  const { veridict, signal } = session
  const { trials, counts } = openTrials(session, paths, options)
  /** Uploads a trajectory, and returns the request with its id. A request that names an uploaded trajectory stays unchanged. */
  const upload = async (trial: Trial): Promise<BatchItem> => {
    signal.throwIfAborted()
    const item = itemOf(trial)
    if (referenceIn(item.trajectory) !== null) return item
    const { id } = await veridict.uploadTrajectory(item.trajectory, { signal })
    return { ...item, trajectory: { id } }
  }
  const requests = await writeRows(session, inOrder(trials(), upload), {})
  const code = strictCode(EXIT.graded, options, counts.skipped + counts.unread)
  return { data: { counts, requests }, notes: [`imported ${countsText(counts)}`], code }
}

/** A line holds one trajectory as an escaped text; a text of V8 has at most 512 Mi characters. */
const MOST_LINE_BYTES = 256 * 1024 * 1024
const GROUP = { records: 64, bytes: 4 * 1024 * 1024 }
const HEAD = '{"kind":"veridict_export"'

async function isExport(path: string): Promise<boolean> {
  if ((await stat(path).catch(() => null))?.isFile() !== true) return false
  return (await readAt(path, 0, HEAD.length)).toString('latin1') === HEAD
}

/** Checks every record of an export, then stores the records of new ids: the same command goes on after a crash. */
const importExport = ({ shell, view, signal }: Console, path: string): Promise<Answer> =>
  withStores(shell, 'make', async ({ imports }, database) => {
    const names = new Set<string>()
    const added: Record<string, number> = {}
    let records = 0
    for await (const group of readExport(path, signal)) {
      await assertComplete(group, names, imports)
      view.doing(`checking: ${count(names.size, 'record')}`)
    }
    for await (const group of readExport(path, signal)) {
      for (const { kind } of await imports.put(group)) added[kind] = (added[kind] ?? 0) + 1
      records += group.length
      view.doing(`importing: ${count(records, 'record')} of ${names.size}`)
    }
    const before = records - sum(Object.values(added))
    const note = `imported ${recordsText(added)} into ${database}; ${count(before, 'record')} stored already`
    return { data: { added, stored_before: before }, notes: [note] }
  })

const CUT = 'is the file cut off? Export it again'
const refuse = (fault: string): CliError => new CliError(`${clip(fault, 300)}; no record of the export was stored`)

async function* readExport(path: string, signal: AbortSignal): AsyncGenerator<documents.ExportRecord[]> {
  const { linesOf } = await import('../../archives/trials/request-lines.ts')
  let group: documents.ExportRecord[] = []
  let [bytes, records] = [0, 0]
  let end: unknown
  for await (const { number, bytes: text } of linesOf(path, MOST_LINE_BYTES)) {
    signal.throwIfAborted()
    const refuseLine = (fault: string) => refuse(`${inert(path)}, line ${number}: ${inert(fault)}`)
    if (text === null) throw refuseLine(`more than ${MOST_LINE_BYTES} bytes`)
    const value = parseJson(text.toString('utf8')) as Readonly<Record<string, unknown>> | null | undefined
    if (value === undefined) throw refuseLine(`is no JSON: ${CUT}`)
    if (number === 1) {
      if (value?.['version'] === documents.EXPORT_VERSION) continue
      const version = JSON.stringify(value?.['version'])
      throw refuseLine(`an export of version ${version}; this program reads ${documents.EXPORT_VERSION}`)
    }
    if (value?.['kind'] === 'end') {
      end = value['records']
      continue
    }
    const fault = faultOf(value)
    if (fault !== null) throw refuseLine(fault)
    group.push(value as documents.ExportRecord)
    records += 1
    bytes += text.length
    if (group.length < GROUP.records && bytes < GROUP.bytes) continue
    yield group
    ;[group, bytes] = [[], 0]
  }
  const all = end === undefined ? 'its last line, {"kind":"end"}, is missing' : `its end counts ${inert(String(end))}`
  if (end !== records) throw refuse(`${inert(path)} holds ${count(records, 'record')}, and ${all}: ${CUT}`)
  yield group
}

/** Checks all that the database will refuse, and the digest of a trajectory. */
function faultOf(value: unknown): string | null {
  const { kind, id } = (value ?? {}) as { readonly kind?: unknown; readonly id?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(documents.EXPORT_RECORDS, kind)) return 'no record of an export'
  const known = kind as documents.ExportKind
  const fault = schemaFault(documents.EXPORT_RECORDS[known], value) ?? CONTENT_FAULT[known](value as never)
  return fault === null ? null : `${kind} ${typeof id === 'string' ? id : 'without an id'}: ${fault}`
}

const CONTENT_FAULT: { readonly [K in documents.ExportKind]: (record: documents.RecordOf<K>) => string | null } = {
  trajectory({ id, document }) {
    const fault = 'its document has another digest than its id'
    try {
      return digestValue(parseJson(document)) === id ? null : fault
    } catch {
      // A text that is nested deeper than the stack.
      return fault
    }
  },
  attempt({ outcome, reply_text, raw_reply, usage }) {
    if (outcome === 'ok' && (reply_text === null || raw_reply === null)) return 'a good call without its reply'
    return usage === null || isObject(usage) ? null : 'its usage is no JSON object'
  },
  grade(record) {
    const { answers, silent, ground_truth } = record
    const fault = bodyFault(GradeSchema, record)
    if (fault !== null) return fault
    const { status, label, claimed_label } = JSON.parse(record.body) as Grade
    if ((status === 'graded') !== (label !== null)) return 'only a graded grade has a label, and it has one'
    if ((status === 'failed' && claimed_label !== null) || (answers && (silent || status === 'failed')))
      return 'a failed grade claims and answers nothing, and a recheck answers nothing'
    return isObject(ground_truth) ? null : 'its ground truth is no JSON object'
  },
  review: (record) => bodyFault(ReviewSchema, record),
  disposition(record) {
    const isSignoff = !Object.hasOwn(Object(parseJson(record.body)), 'class')
    return bodyFault(isSignoff ? SignoffSchema : DispositionSchema, record)
  },
}

function bodyFault(schema: object, { id, body }: documents.RecordOf<'grade' | 'review' | 'disposition'>) {
  const value = parseJson(body) as Partial<Grade> | undefined
  return schemaFault(schema, value, 'its body: ') ?? (value?.id === id ? null : 'its body has another id')
}

function schemaFault(schema: object, value: unknown, place = ''): string | null {
  const [issue] = inputIssues(schema, value)
  return issue === undefined ? null : `${place}${issue.path} ${issue.message}`
}

const isObject = (json: string): boolean => /^\s*\{/.test(json) && parseJson(json) !== undefined

async function assertComplete(group: readonly documents.ExportRecord[], names: Set<string>, store: ImportStore) {
  for (const record of group) {
    const name = `${record.kind} ${record.id}`
    names.add(name)
    for (const [kind, id] of referencesOf(record))
      if (!names.has(`${kind} ${id}`) && !(await store.has(kind, id)))
        throw refuse(`${name}: its ${kind} ${id} is neither stored nor in a line before`)
  }
}

function referencesOf(record: documents.ExportRecord): (readonly [kind: documents.ExportKind, id: string])[] {
  if (record.kind === 'review') return [['grade', (JSON.parse(record.body) as Review).grade_id]]
  if (record.kind !== 'grade') return []
  const { trajectory, attempts } = (JSON.parse(record.body) as Grade).receipt
  return [['trajectory', trajectory], ...attempts.map(({ id }) => ['attempt', id] as const)]
}
