import { parseJson } from '../../domain/text/json.ts'
import { isRecord, type Json, timeOf } from '../../formats/common/reading.ts'
import { asRecord, asText } from '../../formats/common/session.ts'
import { openInspectSample } from '../../formats/inspect/inspect.ts'
import { UNREAD_LINES } from '../../formats/read.ts'
import { findFile, findFolder, listFolder, type Place, readJson, readText, within } from '../unpack/place.ts'
import { type Scope, skip, type TrialItem } from './reading-job.ts'
import { NO_FACTS, textAt } from './trial-facts.ts'
import { joinTrial } from './trial-join.ts'

const HEAD_BYTES = 64 * 1024 * 1024

/** Reads the header of an Inspect log from its unpacked folder (`.eval`), which holds for all samples; null for any other folder. */
export async function inspectHead(folder: Place): Promise<Json | null> {
  if ((await findFolder(folder, 'samples')) === null) return null
  const header = await readJson(await findFile(folder, 'header.json'), HEAD_BYTES)
  const head = header ?? (await readJson(await findFile(folder, '_journal', 'start.json'), HEAD_BYTES))
  return isRecord(head) && isRecord(head['eval']) ? head : null
}

/** Reads the samples of an Inspect log in turn: never the whole log, which can have gigabytes. */
export async function* readInspectFolder(
  scope: Scope,
  folder: Place,
  head: Json,
  samples = within(folder, 'samples'),
): AsyncGenerator<TrialItem> {
  const listed = await listFolder(samples, scope.job.limits.max_entries)
  if (listed === null) yield skip(scope, samples, 'refused', 'cannot be listed, or holds too many samples')
  if (listed?.length === 0) yield skip(scope, samples, 'no_trajectory', 'the log holds no samples')
  for (const { name, kind } of listed ?? []) {
    const file = within(samples, name)
    // The id of a sample may hold slashes: the sample `s/1` is the file `1_epoch_1.json` of a folder `s`.
    if (kind === 'folder') yield* readInspectFolder(scope, folder, head, file)
    else if (kind === 'file' && name.endsWith('.json')) yield await readSample(scope, file, head)
    else yield skip(scope, file, 'unsupported', 'is no sample')
  }
}

/** Joins one sample like a sample of a log in one JSON file, to the same trajectory; the file's name stands for the sample's. */
async function readSample(scope: Scope, file: Place, head: Json): Promise<TrialItem> {
  const read = await readText(file, scope.job.limits.max_file_bytes)
  if (read.kind !== 'read') return skip(scope, file, read.kind === 'over' ? 'refused' : 'unreadable', read.detail)
  const sample = parseJson(read.text)
  if (!isRecord(sample)) return skip(scope, file, 'unreadable', 'the sample is no JSON object')
  const run = openInspectSample(head, sample)
  const { id } = sample
  const own = typeof id === 'string' || typeof id === 'number' ? String(id) : null
  const tasks = [run.about.task ?? null, own, textAt(head, 'eval', 'task')]
  const facts = { ...NO_FACTS, tasks: [...new Set(tasks.filter((name) => name !== null))] }
  return joinTrial(scope, { place: file, file, run: { ...run, name: '' }, facts, warnings: read.warnings, folders: [] })
}

/** Recognizes `storage` of opencode: `session/PROJECT/SESSION.json`, `message/SESSION/MESSAGE.json`, `part/MESSAGE/PART.json`. */
export async function isOpencodeStorage(folder: Place, max: number): Promise<boolean> {
  for (const name of ['session', 'part']) if ((await findFolder(folder, name)) === null) return false
  const sessions = await listFolder(within(folder, 'message'), max)
  return sessions?.some(({ name, kind }) => kind === 'folder' && SESSION.test(name)) ?? false
}

const SESSION = /^ses_\w{1,200}$/u
const MESSAGE = /^msg_\w{1,200}$/u

/** Reads each session of a storage folder as one run, in the form of `opencode export`; sessions of subagents are no runs of their own. */
export async function* readOpencodeStorage(scope: Scope, folder: Place): AsyncGenerator<TrialItem> {
  const { max_entries: max } = scope.job.limits
  const infos = await sessionInfos(scope, within(folder, 'session'))
  const messages = within(folder, 'message')
  for (const { name, kind } of (await listFolder(messages, max)) ?? []) {
    const place = within(messages, name)
    const info = infos.get(name)
    const ofParent = `belongs to the session ${info?.parent}: subagents are no runs of their own`
    if (kind !== 'folder') yield skip(scope, place, 'unsupported', 'is no session')
    else if (info === undefined)
      yield skip(scope, place, 'unreadable', 'the file of the session cannot be read: it may be a subagent’s')
    else if (info.parent !== null) yield skip(scope, place, 'unsupported', ofParent)
    else yield await readSession(scope, folder, place, info)
  }
  for (const { name } of (await listFolder(folder, max)) ?? [])
    if (!STORED.has(name))
      yield skip(scope, within(folder, name), 'unsupported', 'stands beside the sessions of opencode')
}

/** Folders of the storage; those behind the first three hold no words of a run. */
const STORED: ReadonlySet<string> = new Set(
  'session message part session_diff session_share project todo migration snapshot'.split(' '),
)

interface SessionInfo {
  readonly id: string
  readonly parent: string | null
  readonly title: string | null
}

/** Reads the facts of all sessions, by the names of their files. */
async function sessionInfos(scope: Scope, folder: Place): Promise<ReadonlyMap<string, SessionInfo>> {
  const infos = new Map<string, SessionInfo>()
  const { max_entries: max, max_file_bytes: room } = scope.job.limits
  const left = { room }
  for (const { name, kind } of (await listFolder(folder, max)) ?? []) {
    if (kind !== 'folder') continue
    for (const { name: file, value } of (await readFolder(folder, name, max, left)).files) {
      const id = asText(value['id'])
      if (id !== null && file === `${id}.json`)
        infos.set(id, { id, parent: asText(value['parentID']), title: asText(value['title']) })
    }
  }
  return infos
}

async function readSession(scope: Scope, folder: Place, place: Place, info: SessionInfo): Promise<TrialItem> {
  const { max_entries: max, max_file_bytes: room } = scope.job.limits
  const left = { room }
  const own = await readFolder(within(folder, 'message'), info.id, max, left)
  let unread = own.unread
  const messages: Json[] = []
  for (const { value } of own.files.sort((a, b) => createdAt(a.value) - createdAt(b.value))) {
    const id = asText(value['id'])
    const isKnown = id !== null && MESSAGE.test(id) && ROLES.has(value['role'])
    const read = isKnown ? await readFolder(within(folder, 'part'), id, max, left) : { files: [], unread: 1 }
    unread += read.unread
    if (isKnown) messages.push({ info: value, parts: read.files.map((file) => file.value) })
  }
  if (left.room < 0) return skip(scope, place, 'refused', `more than the ${room} bytes that are read of a run`)
  if (messages.length === 0) return skip(scope, place, 'no_trajectory', 'the session holds no messages')
  const document = { messages, ...(unread > 0 && { [UNREAD_LINES]: unread }) }
  const tasks = [info.id, ...(info.title === null ? [] : [info.title])]
  const run = { name: '', document, about: {}, warnings: [] }
  return joinTrial(scope, { place, file: place, run, facts: { ...NO_FACTS, tasks }, warnings: [], folders: [] })
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant'])

const createdAt = ({ time }: Json): number => timeOf(asRecord(time)['created']) ?? 0

interface JsonFile {
  readonly name: string
  readonly value: Json
}

/** Reads the JSON objects of a folder by their ids, which rise with time. Other files and an unlisted folder are unread. `left`: bytes to read. */
async function readFolder(
  parent: Place,
  name: string,
  max: number,
  left: { room: number },
): Promise<{ readonly files: JsonFile[]; readonly unread: number }> {
  const files: JsonFile[] = []
  const folder = await findFolder(parent, name)
  const listed = folder === null ? null : await listFolder(folder, max)
  let unread = listed === null ? 1 : 0
  for (const { name: file, kind } of listed ?? []) {
    const place = within(within(parent, name), file)
    const read = kind === 'file' && left.room >= 0 ? await readText(place, left.room) : null
    const value = read?.kind === 'read' ? parseJson(read.text) : undefined
    if (read?.kind === 'read') left.room -= Buffer.byteLength(read.text)
    else if (read?.kind === 'over') left.room = -1
    if (isRecord(value)) files.push({ name: file, value })
    else unread++
  }
  return { files: files.sort((a, b) => (a.name < b.name ? -1 : 1)), unread }
}
