import { setImmediate as turn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { digestValue } from '../domain/digest.ts'
import type { Finding } from '../grading/upkeep-ports.ts'
import { type Check, type Examined, error, MOST_IDS, ok, plural } from './examine-check.ts'
import { parseStored, unpackText } from './stored-text.ts'

interface Row {
  readonly rowid: number
  readonly id: string
  readonly bytes: Buffer | null
  readonly more?: Buffer | null
}

interface Walk {
  readonly name: string
  readonly table: string
  /** Columns of a row: rowid, id, bytes. */
  readonly columns: string
  readonly where: string
  /** Why the row is damaged; null: it is not. */
  fault(row: Row): string | null
}

/** So many rows, in even distances, are a sample. */
const SAMPLE = 200
/** The event loop has its turn after so many. */
const AT_ONCE = 20

const TRAJECTORIES: Walk = {
  name: 'stored trajectories',
  table: 'trajectories',
  columns: 'rowid, id, document AS bytes',
  where: '1',
  fault: ({ id, bytes }) =>
    bytes !== null && digestValue(parseStored<unknown>(unpackText(bytes))) === id ? null : 'another digest than its id',
}

const REPLIES: Walk = {
  name: 'stored replies',
  table: 'attempts',
  columns: 'rowid, id, reply_text AS bytes, raw_reply AS more',
  where: "outcome = 'ok'",
  fault({ bytes, more = null }) {
    for (const packed of [bytes, more]) if (packed !== null) unpackText(packed)
    return bytes === null ? 'no text' : null
  },
}

/** One row at a time is in memory. */
function* sampled(db: Database.Database, walk: Walk, full: boolean): Generator<Row> {
  const [first, last] = db.prepare(`SELECT min(rowid), max(rowid) FROM ${walk.table}`).raw().get() as [number?, number?]
  if (first === undefined || first === null || last === undefined) return
  const next = db.prepare(
    `SELECT ${walk.columns} FROM ${walk.table} WHERE rowid >= ? AND ${walk.where} ORDER BY rowid LIMIT 1`,
  )
  const stride = full ? 1 : Math.max(1, Math.floor((last - first) / SAMPLE))
  for (let from = first; from <= last; ) {
    const row = next.get(from) as Row | undefined
    if (row === undefined) return
    yield row
    from = Math.max(row.rowid + 1, from + stride)
  }
}

async function* walkRows(walk: Walk, { db, options }: Examined): AsyncGenerator<Finding> {
  const total = db.prepare(`SELECT count(*) FROM ${walk.table} WHERE ${walk.where}`).pluck().get() as number
  const faults: { id: string; why: string }[] = []
  let [done, damaged] = [0, 0]
  for (const row of sampled(db, walk, options.full)) {
    done += 1
    const why = faultOf(walk, row)
    if (why !== null) {
      damaged += 1
      if (faults.length < MOST_IDS) faults.push({ id: row.id, why })
    }
    if (done % AT_ONCE === 0) {
      options.onProgress?.({ step: walk.name, done, total: options.full ? total : Math.min(total, SAMPLE) })
      await turn()
    }
  }
  const all = done === total
  if (damaged === 0) return yield ok(walk.name, `${done}${all ? '' : ` of ${total}`} looked at, all whole`)
  const among = `${plural(damaged, 'document')} of ${done}${all ? '' : ' looked at'}`
  yield error(walk.name, `${among} damaged: ${faults[0]?.why ?? ''}`, {
    means: 'What is stored is not what was given: grades of it cannot be shown or checked again.',
    advice: 'Restore a backup that has them whole; --full says how many there are.',
    ids: faults.map(({ id }) => id),
  })
}

function faultOf(walk: Walk, row: Row): string | null {
  try {
    return walk.fault(row)
  } catch (failure) {
    return (failure as Error).message
  }
}

const walkCheck = (walk: Walk): Check => ({ name: walk.name, since: 1, look: (examined) => walkRows(walk, examined) })

export const CONTENT_CHECKS: readonly Check[] = [walkCheck(TRAJECTORIES), walkCheck(REPLIES)]
