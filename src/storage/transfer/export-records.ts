import type { BlobStore } from '../../ports/blob-ports.ts'
import type { ReadRows } from '../../ports/transfer-ports.ts'
import type { ExportKind, ExportRecord } from '../../schemas/transfer.ts'
import { createOutside } from '../outside.ts'
import { EXPORTED_ROWS, toRecord } from './record-rows.ts'

/** The order of each kind: that of writing where the database has it, and by id elsewhere. */
const ORDER: Readonly<Record<ExportKind, readonly [sqlite: string, postgres: string]>> = {
  trajectory: ['seq', 'created_at, id'],
  attempt: ['seq', 'seq'],
  grade: ['id', 'id'],
  review: ['id', 'id'],
}

/** Yields every record of a database. Rejects with a StorageError where bytes of a row are damaged or missing. */
export async function* exportRecords(
  read: ReadRows,
  isShared: boolean,
  blobs: BlobStore | null,
): AsyncGenerator<ExportRecord> {
  const places: string[] = []
  for await (const { place } of read<{ place: string }>('SELECT place FROM blob_places ORDER BY seq'))
    places.push(place)
  const outside = createOutside(blobs, async () => places)
  for (const kind of Object.keys(ORDER) as ExportKind[]) {
    const order = ORDER[kind][isShared ? 1 : 0]
    for await (const row of read<{ id: string }>(`${EXPORTED_ROWS[kind]} ORDER BY ${order}`))
      yield await toRecord(kind, row, outside)
  }
}
