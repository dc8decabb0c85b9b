import { CLAUDE_CODE } from '../../formats/claude-code/claude-code.ts'
import { openDocuments } from '../../formats/common/open-documents.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import type { OpenedDocument } from '../../formats/format.ts'
import { UNREAD_LINES } from '../../formats/read.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { shownName } from '../unpack/names.ts'
import { readText } from '../unpack/text.ts'
import type { SubagentFile } from './agent-files.ts'
import { joinedFrom } from './joined-files.ts'

/**
 * Adds the records of subagents, which are files of their own, to a session of Claude Code: the subagents' acts belong to the run. Files of
 * another session, or beside a run of another format, are not read, with a warning.
 */
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
  let unread = Number(run.document[UNREAD_LINES] ?? 0)
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

function sessionIn(records: readonly unknown[]): string | null {
  for (const record of records)
    if (isRecord(record) && typeof record['sessionId'] === 'string') return record['sessionId']
  return null
}

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
  return { records, warnings: only?.warnings ?? [], unread: Number(only?.document[UNREAD_LINES] ?? 0) }
}
