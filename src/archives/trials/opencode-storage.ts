import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { asRecord, asText } from '../../formats/common/session.ts'
import { UNREAD_LINES } from '../../formats/read.ts'
import { findFolder, listFolder, type Place, within } from '../unpack/place.ts'
import { readText } from '../unpack/text.ts'
import { type Scope, skip } from './reading-job.ts'
import { NO_FACTS } from './trial-facts.ts'
import type { TrialItem } from './trial-item.ts'
import { joinTrial } from './trial-join.ts'

/**
 * Recognizes opencode's storage folder (`~/.local/share/opencode/storage`): `session/PROJECT/SESSION.json`, `message/SESSION/MESSAGE.json` and
 * `part/MESSAGE/PART.json`. Source: sst/opencode, packages/opencode/src/storage.
 */
export const isOpencodeStorage = async (folder: Place): Promise<boolean> =>
  (await Promise.all(['session', 'message', 'part'].map((name) => findFolder(folder, name)))).every(
    (found) => found !== null,
  )

/** Reads each session of a storage folder as one run, in the form of `opencode export`; sessions of subagents are no runs of their own. */
export async function* readOpencodeStorage(scope: Scope, folder: Place): AsyncGenerator<TrialItem> {
  const { max_entries: max } = scope.job.limits
  const infos = await sessionInfos(scope, within(folder, 'session'))
  const messages = within(folder, 'message')
  const sessions = await listFolder(messages, max)
  if (sessions === null) yield skip(scope, messages, 'refused', 'cannot be listed, or holds too many sessions')
  for (const { name, kind } of sessions ?? []) {
    const place = within(messages, name)
    const info = infos.get(name) ?? {}
    const parent = asText(info['parentID'])
    if (kind !== 'folder') yield skip(scope, place, 'unsupported', 'is no session')
    else if (parent !== null)
      yield skip(scope, place, 'unsupported', `belongs to the session ${parent}: subagents are no runs of their own`)
    else yield await readSession(scope, folder, place, info)
  }
}

/** Reads the facts of all sessions, by their ids. */
async function sessionInfos(scope: Scope, folder: Place): Promise<ReadonlyMap<string, Json>> {
  const infos = new Map<string, Json>()
  const { max_entries: max, max_file_bytes: room } = scope.job.limits
  for (const { name, kind } of (await listFolder(folder, max)) ?? []) {
    if (kind !== 'folder') continue
    for (const { value } of (await readFolder(within(folder, name), max, { room })).files) {
      const id = asText(value['id'])
      if (id !== null) infos.set(id, value)
    }
  }
  return infos
}

async function readSession(scope: Scope, folder: Place, place: Place, info: Json): Promise<TrialItem> {
  const { max_entries: max, max_file_bytes: room } = scope.job.limits
  const left = { room }
  const own = await readFolder(place, max, left)
  let unread = own.unread
  const messages: Json[] = []
  for (const { value } of own.files.sort((a, b) => createdAt(a.value) - createdAt(b.value))) {
    const id = asText(value['id'])
    const parts = id === null || !/^[\w-]{1,200}$/u.test(id) ? null : await findFolder(folder, 'part', id)
    const read = parts === null ? { files: [], unread: 0 } : await readFolder(parts, max, left)
    unread += read.unread
    messages.push({ info: value, parts: read.files.map((file) => file.value) })
  }
  if (left.room < 0) return skip(scope, place, 'refused', `more than the ${room} bytes that are read of a run`)
  if (messages.length === 0) return skip(scope, place, 'no_trajectory', 'the session holds no messages')
  const document = { info, messages, ...(unread > 0 && { [UNREAD_LINES]: unread }) }
  const names = [asText(info['id']), asText(info['title'])].filter((name) => name !== null)
  const run = { name: '', document, about: {}, warnings: [] }
  return joinTrial(scope, { place, file: place, run, facts: { ...NO_FACTS, tasks: names }, warnings: [], folders: [] })
}

const createdAt = (message: Json): number => Number(asRecord(message['time'])['created'] ?? 0)

interface JsonFile {
  readonly name: string
  readonly value: Json
}

/** Reads the JSON objects of a folder in the order of their ids, which rise with time; other files count as unread. `left`: the bytes that may be read. */
async function readFolder(
  folder: Place,
  max: number,
  left: { room: number },
): Promise<{ readonly files: JsonFile[]; readonly unread: number }> {
  const files: JsonFile[] = []
  let unread = 0
  for (const { name, kind } of (await listFolder(folder, max)) ?? []) {
    const read = kind === 'file' && left.room >= 0 ? await readText(within(folder, name), left.room) : null
    const value = read?.kind === 'read' ? parseJson(read.text) : undefined
    if (read?.kind === 'read') left.room -= Buffer.byteLength(read.text)
    else if (read?.kind === 'over') left.room = -1
    if (isRecord(value)) files.push({ name, value })
    else unread++
  }
  return { files: files.sort((a, b) => (a.name < b.name ? -1 : 1)), unread }
}
