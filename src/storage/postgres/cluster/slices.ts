import {
  type FreeSlice,
  SLICE_ITEMS,
  type SliceStore,
  type WorkNotice,
  type WorkNotices,
  wholeOf,
} from '../../../ports/slice-ports.ts'
import type { Listener } from '../connection/listen.ts'
import type { Unit } from '../connection/unit.ts'
import { gather } from './leases-gather.ts'

/** Slices that are looked through of a batch, held ones too. */
const MOST_LOOKED_AT = 1024

const OPEN = `
  SELECT id, mode, status, resumes_at,
    NOT EXISTS (SELECT 1 FROM batch_items WHERE batch = batches.seq AND batch_items.status = 'pending') AS is_over
  FROM batches WHERE id = ANY($1) AND status IN ('running', 'cancelling', 'parked') ORDER BY id`

/** Read once: asked for each slice, the planner walks over all leases each time. */
const HELD = "SELECT name FROM leases WHERE name ~ '^(slice|provider):' AND until > clock_timestamp()"

/**
 * Of equal ranks, the batch that is less far goes first: where one slice is worked on at a time, every batch has one of rank 0.
 * From slice to slice by the index of what is pending; what lies behind the last that is wanted is not looked at. Walked once for all judges
 * that are asked for. The judge is made sure of outside: PostgreSQL reads no JSON with an escaped NUL in it.
 */
const FREE = `
  WITH held AS MATERIALIZED (${HELD}),
  wanted AS MATERIALIZED (SELECT * FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS given (mark, most, place)),
  ranked AS (
    SELECT place, most, id AS batch, slice, rank, request,
      row_number() OVER (PARTITION BY place ORDER BY rank, slice, id) AS nth
    FROM batches CROSS JOIN LATERAL (
      WITH RECURSIVE step AS (
        (SELECT idx, 0 AS rank FROM batch_items WHERE batch = batches.seq AND status = 'pending' ORDER BY idx LIMIT 1)
        UNION ALL
        SELECT following.idx, step.rank + 1 FROM step CROSS JOIN LATERAL (
          SELECT idx FROM batch_items
          WHERE batch = batches.seq AND status = 'pending' AND idx >= (step.idx / ${SLICE_ITEMS} + 1) * ${SLICE_ITEMS}
          ORDER BY idx LIMIT 1
        ) AS following WHERE step.rank + 1 < ${MOST_LOOKED_AT}
      ), free AS MATERIALIZED (
        SELECT idx / ${SLICE_ITEMS} AS slice, rank,
          (SELECT request FROM batch_items WHERE batch = batches.seq AND batch_items.idx = step.idx) AS request
        FROM step WHERE 'slice:' || batches.id || ':' || idx / ${SLICE_ITEMS} * ${SLICE_ITEMS} NOT IN (SELECT name FROM held)
      )
      SELECT place, most, slice, rank, request FROM wanted CROSS JOIN LATERAL (
        SELECT slice, rank, request FROM free WHERE strpos(request, mark) > 0 LIMIT most
      ) AS fitting
    ) AS found
    WHERE id = ANY($1) AND mode = 'direct' AND status = 'running'
  )
  SELECT place::int, batch, slice * ${SLICE_ITEMS} AS "from", rank, request FROM ranked WHERE nth <= most ORDER BY place, nth`

const FREE_WHOLE = `
  SELECT id AS batch FROM batches
  WHERE id = ANY($1) AND mode = 'provider' AND status IN ('running', 'cancelling') AND 'provider:' || id NOT IN (${HELD})
  ORDER BY id LIMIT $2`

/** One after the other: the second one finds nothing left, and does not wait for item after item. */
const HOLD_CANCELLED = "SELECT 1 FROM batches WHERE id = $1 AND status = 'cancelling' FOR NO KEY UPDATE"

const CANCEL_FREE = `
  UPDATE batch_items SET status = 'cancelled'
  WHERE batch = (SELECT seq FROM batches WHERE id = $1) AND status IN ('pending', 'waiting')
    AND NOT EXISTS (
      SELECT 1 FROM leases WHERE until > clock_timestamp()
        AND name IN ('slice:' || $1::text || ':' || idx / ${SLICE_ITEMS} * ${SLICE_ITEMS}, 'provider:' || $1::text)
    )`

const END = `
  UPDATE batches SET status = 'cancelled', process = NULL, finished_at = $2 WHERE id = $1 AND status = 'cancelling'
    AND NOT EXISTS (SELECT 1 FROM batch_items WHERE batch = batches.seq AND status IN ('pending', 'waiting'))`

interface Wanted {
  readonly batches: readonly string[]
  readonly judge: string | null
  readonly most: number
}

export function createSliceStore(unit: Unit): SliceStore {
  // Idle workers wake in one turn, and each would walk through all that is pending.
  const findTogether = gather(async (wanted: readonly Wanted[]) => {
    const found = new Map<Wanted, readonly FreeSlice[]>()
    const byBatches = Map.groupBy(wanted, ({ batches }) => batches)
    await Promise.all([...byBatches.values()].map((some) => findFree(unit, some, found)))
    return wanted.map((one) => found.get(one) ?? [])
  }, false)
  return {
    open: (batches) => unit.rows(OPEN, [batches]),
    free: (batches, judge, most) => findTogether({ batches, judge, most }),
    async freeWhole(batches, most) {
      const rows = await unit.rows<{ batch: string }>(FREE_WHOLE, [batches, most])
      return rows.map(({ batch }) => wholeOf(batch))
    },
    cancel: (batch, at) =>
      unit.write(async (sql) => {
        if ((await sql.rows(HOLD_CANCELLED, [batch])).length === 0) return false
        await sql.run(CANCEL_FREE, [batch])
        return (await sql.run(END, [batch, at])) > 0
      }),
  }
}

/** Finds what is wanted of the same batches. Where all that was found only looked like it, `times` as much is asked for. */
async function findFree(
  unit: Unit,
  wanted: readonly Wanted[],
  found: Map<Wanted, readonly FreeSlice[]>,
  times = 1,
): Promise<void> {
  const mosts = wanted.map(({ most }) => Math.max(1, most) * times)
  const marks = wanted.map(({ judge }) => markOf(judge))
  const rows = await unit.rows<Found>(FREE, [wanted[0]?.batches, marks, mosts])
  const again = wanted.filter((one, at) => {
    const seen = rows
      .filter(({ place }) => place === at + 1)
      .map(({ request, place: _, ...slice }) => ({ ...slice, judge: judgeOf(request) }))
    const ours = seen.filter(({ judge }) => one.judge === null || judge === one.judge)
    found.set(one, ours.slice(0, one.most))
    return ours.length === 0 && seen.length === mosts[at]
  })
  if (again.length > 0) await findFree(unit, again, found, times * 8)
}

interface Found extends Omit<FreeSlice, 'judge'> {
  /** Whose it is, counted from one. */
  readonly place: number
  readonly request: string
}

/** As `JSON.stringify` wrote it. A member of something inside may look the same: then more is looked through. */
const markOf = (judge: string | null): string => (judge === null ? '' : `"judge":${JSON.stringify(judge)}`)

function judgeOf(request: string): string {
  const { judge } = JSON.parse(request) as { judge?: unknown }
  return typeof judge === 'string' ? judge : ''
}

const CHANNEL = 'veridict_work'

export const createWorkNotices = (unit: Unit, listener: Listener): WorkNotices => ({
  async send(notice) {
    await unit.run('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify(notice)])
  },
  onNotice: (onNotice) => listener.on(CHANNEL, (words) => onNotice(parseNotice(words ?? ''))),
})

/** What is no notice is taken for one that was missed. */
function parseNotice(words: string): WorkNotice | null {
  try {
    const { batch } = JSON.parse(words) as Partial<Record<keyof WorkNotice, unknown>>
    return typeof batch === 'string' ? { batch } : null
  } catch {
    return null
  }
}
