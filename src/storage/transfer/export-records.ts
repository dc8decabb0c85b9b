import type { ReadRows } from '../../ports/transfer-ports.ts'
import type { ExportKind, ExportRecord } from '../../schemas/transfer.ts'
import { OUTSIDE, refuseOutside } from '../old-store.ts'
import { EXPORTED_ROWS, toRecord } from './record-rows.ts'

/** The order of each kind: that of writing where the database has it, and by id elsewhere. */
const ORDER: Readonly<Record<ExportKind, readonly [sqlite: string, postgres: string]>> = {
  trajectory: ['seq', 'created_at, id'],
  attempt: ['seq', 'seq'],
  grade: ['id', 'id'],
  review: ['id', 'id'],
}

/** Yields every record of a database. Rejects with a StorageError where bytes of a row are damaged. */
export async function* exportRecords(read: ReadRows, isShared: boolean): AsyncGenerator<ExportRecord> {
  for await (const _row of read(OUTSIDE)) throw refuseOutside()
  for (const kind of Object.keys(ORDER) as ExportKind[]) {
    const order = ORDER[kind][isShared ? 1 : 0]
    for await (const row of read<{ id: string }>(`${EXPORTED_ROWS[kind]} ORDER BY ${order}`)) yield toRecord(kind, row)
  }
}
