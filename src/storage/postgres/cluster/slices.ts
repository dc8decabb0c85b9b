import { SLICE_ITEMS, type SliceStore } from '../../../ports/slice-ports.ts'
import type { Unit } from '../connection/unit.ts'

/** The whole request is read, and its judge found outside: PostgreSQL reads no JSON with an escaped NUL in it. */
const PENDING = `
  SELECT DISTINCT ON (idx / ${SLICE_ITEMS}) idx / ${SLICE_ITEMS} * ${SLICE_ITEMS} AS "from", request FROM (
    SELECT idx, request FROM batch_items
    WHERE batch = (SELECT seq FROM batches WHERE id = $1) AND status = 'pending' AND idx >= $2 ORDER BY idx LIMIT $3
  ) AS open
  ORDER BY idx / ${SLICE_ITEMS}, idx`

const CANCEL_FREE = `
  UPDATE batch_items SET status = 'cancelled'
  WHERE batch = (SELECT seq FROM batches WHERE id = $1 AND status = 'cancelling') AND status IN ('pending', 'waiting')
    AND NOT EXISTS (
      SELECT 1 FROM leases WHERE until > clock_timestamp()
        AND name IN ('slice:' || $1::text || ':' || idx / ${SLICE_ITEMS} * ${SLICE_ITEMS}, 'provider:' || $1::text)
    )`

const END = `
  UPDATE batches SET status = 'cancelled', process = NULL, finished_at = $2 WHERE id = $1 AND status = 'cancelling'
    AND NOT EXISTS (SELECT 1 FROM batch_items WHERE batch = batches.seq AND status IN ('pending', 'waiting'))`

export const createSliceStore = (unit: Unit): SliceStore => ({
  async pending(batch, from, most) {
    const rows = await unit.rows<{ from: number; request: string }>(PENDING, [batch, from, most])
    return rows.map((row) => ({ from: row.from, judge: judgeOf(row.request) }))
  },
  cancel: (batch, at) =>
    unit.write(async (sql) => {
      await sql.run(CANCEL_FREE, [batch])
      return (await sql.run(END, [batch, at])) > 0
    }),
})

function judgeOf(request: string): string {
  const { judge } = JSON.parse(request) as { judge?: unknown }
  return typeof judge === 'string' ? judge : ''
}
