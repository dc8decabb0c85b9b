import { MOST_PICTURES } from '../../domain/trajectory/rendering.ts'
import { MOST_PICTURE_CHARS } from '../../domain/trajectory/trajectory.ts'
import { CLAUDE_CODE } from '../../formats/claude-code/claude-code.ts'
import { openDocuments } from '../../formats/common/open-documents.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import type { OpenedDocument } from '../../formats/format.ts'
import { UNREAD_LINES } from '../../formats/read.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { shownName } from '../unpack/names.ts'
import { findFile, type Place, readBytes, readText, relativeNames } from '../unpack/place.ts'

/** The session of one subagent, in a file beside the session that started it. */
export interface SubagentFile {
  readonly file: Place
  readonly shown: string
}

const MAX_JOINED_NOTES = 5

const unreadLinesOf = ({ [UNREAD_LINES]: lines }: Json): number => (typeof lines === 'number' ? lines : 0)

/** Lists the files that were joined to a run, as notes with their names. */
export function joinedFrom(names: readonly string[]): string[] {
  const notes = names.slice(0, MAX_JOINED_NOTES).map((name) => `joined from ${name}`)
  return names.length > notes.length ? [...notes, `joined from ${names.length - notes.length} more files`] : notes
}

/** Adds the files of subagents to a session of Claude Code: their acts belong to the run. Other files are not read, with a warning. */
export async function withSubagents(
  run: OpenedDocument,
  files: readonly SubagentFile[],
  limits: ArchiveLimits,
  bytes: number,
): Promise<{ readonly run: OpenedDocument; readonly warnings: readonly string[] }> {
  if (files.length === 0) return { run, warnings: [] }
  const records = sessionRecords(run.document)
  const session = records === null ? null : sessionIn(records)
  const joined: string[] = []
  const left: string[] = []
  const more: unknown[] = []
  const complaints: string[] = []
  let unread = unreadLinesOf(run.document)
  let room = limits.max_file_bytes - bytes
  for (const { file, shown } of files) {
    const mayJoin = session !== null && joined.length + 1 < limits.max_run_files && room > 0
    const read = mayJoin ? await readText(file, room) : null
    const own = read?.kind === 'read' ? sidechainIn(read.text, session) : null
    if (own === null || read?.kind !== 'read') {
      left.push(shownName(shown))
      continue
    }
    room -= Buffer.byteLength(read.text)
    joined.push(shownName(shown))
    for (const record of own.records) more.push(record)
    unread += own.unread
    complaints.push(...own.warnings.map((warning) => `${shownName(shown)}: ${warning}`))
  }
  const [first] = left
  const rest = left.length > 1 ? ` and ${left.length - 1} more like it` : ''
  const warnings = [
    ...joinedFrom(joined),
    ...complaints,
    ...(first === undefined ? [] : [`not read: what a subagent did, ${first}${rest}`]),
  ]
  if (records === null || joined.length === 0) return { run, warnings }
  const whole = { ...run.document, records: [...records, ...more], ...(unread > 0 && { [UNREAD_LINES]: unread }) }
  return { run: { ...run, document: whole }, warnings }
}

const sessionRecords = (document: Json): readonly unknown[] | null =>
  Array.isArray(document['records']) && CLAUDE_CODE.recognizes(document) ? document['records'] : null

const isMessage = (record: Json): boolean => record['type'] === 'user' || record['type'] === 'assistant'

const sessionIn = (records: readonly unknown[]): string | null =>
  recordsIn(records).flatMap(({ sessionId }) => (typeof sessionId === 'string' ? [sessionId] : []))[0] ?? null

/** Returns the records of a file whose messages are all a subagent's, of this session; else null. */
function sidechainIn(
  text: string,
  session: string | null,
): (Pick<OpenedDocument, 'warnings'> & { readonly records: readonly unknown[]; readonly unread: number }) | null {
  const opened = openDocuments(text)
  const only = opened.ok && opened.value.length === 1 ? opened.value[0] : undefined
  const records = only?.document['records']
  if (!Array.isArray(records)) return null
  const messages = records.filter((record): record is Json => isRecord(record) && isMessage(record))
  const isOwn = (record: Json): boolean => record['isSidechain'] === true && record['sessionId'] === session
  if (messages.length === 0 || !messages.every(isOwn)) return null
  return { records, warnings: only?.warnings ?? [], unread: unreadLinesOf(only?.document ?? {}) }
}

/** Base64 has four characters for three bytes. */
const MOST_FILE_BYTES = (MOST_PICTURE_CHARS / 4) * 3
/** Bounds the added characters of all pictures of a run, and those of the run with them: a service accepts bodies of 32 MiB. */
const MOST_CHARS = 16 * 1024 * 1024
const MOST_RUN_CHARS = 24 * 1024 * 1024
const MAX_WARNINGS = 5

/**
 * Embeds the pictures of an ATIF run that are files beside it (`source.path`, Harbor's `agent/images/…`) as `source.data`, in place: they become
 * part of its digest, are stored with it, and reach the service. Only files in the run's own folder are read; no link is followed. Returns the
 * warnings.
 *
 * @param bytes size of the run's own file
 */
export async function embedPictures(folder: Place, run: Json, bytes: number): Promise<string[]> {
  const pictures = new Map<string, string>()
  const warnings = new Map<string, string>()
  let room = Math.min(MOST_CHARS, MOST_RUN_CHARS - bytes)
  for (const source of sourcesIn(run)) {
    const { path } = source
    if (!isFileOfRun(source) || typeof path !== 'string') continue
    if (!pictures.has(path) && !warnings.has(path)) {
      const read = pictures.size < MOST_PICTURES ? await readPicture(folder, path, room) : `beyond ${MOST_PICTURES}`
      if (typeof read === 'string') warnings.set(path, `no judge is shown the picture ${shownName(path)}: ${read}`)
      else {
        pictures.set(path, read.data)
        room -= read.data.length
      }
    }
    const data = pictures.get(path)
    if (data !== undefined) source['data'] = data
  }
  const shown = [...warnings.values()].slice(0, MAX_WARNINGS)
  const more = warnings.size - shown.length
  return more > 0 ? [...shown, `no judge is shown ${more} more pictures`] : shown
}

const isFileOfRun = ({ path, data }: Json): boolean =>
  data === undefined && typeof path === 'string' && path !== '' && !path.slice(0, 40).includes(':')

async function readPicture(folder: Place, path: string, room: number): Promise<{ readonly data: string } | string> {
  const names = path.length > 1000 ? null : relativeNames(path)
  if (names === null) return 'it is outside of the folder'
  const file = await findFile(folder, ...names)
  if (file === null) return 'it is not there'
  const read = await readBytes(file, MOST_FILE_BYTES)
  if (read.kind !== 'read') return read.detail
  const data = read.bytes.toString('base64')
  return data.length > room ? 'there is no more room in the run' : { data }
}

/** Yields the `source` of each picture of a run, of its segments and of its subagents. */
function* sourcesIn(run: Json): Generator<Record<string, unknown>> {
  const { segments, subagents } = run
  const roots = [run, ...recordsIn(segments), ...recordsIn(isRecord(subagents) && Object.values(subagents))]
  const open = roots.map((trajectory) => ({ trajectory, depth: 0 }))
  for (const { trajectory, depth } of open) {
    if (depth < MAX_NESTING)
      for (const nested of recordsIn(trajectory['subagent_trajectories']))
        open.push({ trajectory: nested, depth: depth + 1 })
    for (const { message, observation } of recordsIn(trajectory['steps'])) {
      const results = isRecord(observation) ? recordsIn(observation['results']) : []
      const contents = [message, ...results.map(({ content }) => content)]
      yield* contents
        .flatMap(recordsIn)
        .flatMap(({ type, source }) => (type === 'image' && isRecord(source) ? [source] : []))
    }
  }
}

const recordsIn = (list: unknown): Json[] => (Array.isArray(list) ? list.filter(isRecord) : [])

/** The nesting that `formats/atif/atif.ts` reads. */
const MAX_NESTING = 8
