import { openDocuments, withoutNul } from '../../formats/common/open-documents.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import type { OpenedDocument } from '../../formats/format.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { shownName } from '../unpack/names.ts'
import type { Place } from '../unpack/place.ts'
import { readText } from '../unpack/text.ts'
import { embedPictures } from './embedded-pictures.ts'
import { joinFiles } from './joined-files.ts'

/** The runs in a file, or the reason why it has none. */
type OpenedFile =
  | {
      readonly kind: 'opened'
      readonly runs: readonly OpenedDocument[]
      readonly warnings: readonly string[]
      /** Real paths of other files that are part of the run, and no runs of their own. */
      readonly consumed: readonly string[]
    }
  | { readonly kind: 'refused' | 'unreadable' | 'unsupported'; readonly detail: string }

/** Opens a file that may hold runs. An ATIF run of several files becomes one document (`atif-segments`). */
export async function openRunFile(folder: Place, file: Place, limits: ArchiveLimits): Promise<OpenedFile> {
  const read = await readText(file, limits.max_file_bytes)
  if (read.kind !== 'read') return { kind: read.kind === 'over' ? 'refused' : 'unreadable', detail: read.detail }
  const first = withoutNul(read.text).trimStart().charAt(0)
  if (first === '') return { kind: 'unsupported', detail: 'the file is empty' }
  if (first !== '{' && first !== '[') return { kind: 'unsupported', detail: 'the file is neither JSON nor JSON lines' }
  const opened = openDocuments(read.text)
  if (!opened.ok) {
    const [issue] = opened.error
    return { kind: 'unreadable', detail: issue === undefined ? 'cannot be read' : tellIssue(issue) }
  }
  const [only] = opened.value
  if (only !== undefined && isRecording(only.document))
    return { kind: 'unsupported', detail: 'a recording of a terminal (asciicast) has no steps' }
  if (only === undefined) return { kind: 'unsupported', detail: 'the file holds no run' }
  if (opened.value.length > 1) return { kind: 'opened', runs: opened.value, warnings: read.warnings, consumed: [] }
  const bytes = Buffer.byteLength(read.text)
  const joined = await joinFiles(folder, file, only.document, limits, bytes)
  const { document, warnings } = await embedPictures(folder, joined.document, bytes)
  const runs = [{ ...only, document }]
  return {
    kind: 'opened',
    runs,
    warnings: [...read.warnings, ...joined.warnings, ...warnings],
    consumed: joined.consumed,
  }
}

/** Recognizes an asciicast recording by the size of the terminal in its first line or whole document. */
function isRecording(document: Json): boolean {
  const head = Array.isArray(document['records']) ? (document['records'][0] as unknown) : document
  const size = isRecord(head) ? (isRecord(head['term']) ? head['term']['cols'] : head['width']) : undefined
  return isRecord(head) && typeof head['version'] === 'number' && typeof size === 'number'
}

export const tellIssue = ({ path, message }: { path: string; message: string }): string =>
  path === '' ? message : `${shownName(path)}: ${message}`
