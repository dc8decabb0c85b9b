import { setImmediate as turn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { count } from '../../domain/count.ts'
import { digestValue } from '../../domain/digest.ts'
import { BlobError } from '../../ports/blob-ports.ts'
import type { Finding } from '../../ports/upkeep-ports.ts'
import { isReference } from '../blob-reference.ts'
import { createOutside, type Outside } from '../outside.ts'
import { StorageError } from '../storage-error.ts'
import { parseStored, unpackText } from '../stored-text.ts'
import { type Check, type Examined, error, MOST_IDS, ok, warning } from './examine-check.ts'

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
  fault(row: Row, outside: Outside): Promise<string | null>
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
  async fault({ id, bytes }, outside) {
    const packed = bytes && (await outside.fetch({ kind: 'trajectory' }, bytes))
    const whole = packed !== null && digestValue(parseStored<unknown>(unpackText(packed))) === id
    return whole ? null : 'another digest than its id'
  },
}

const REPLIES: Walk = {
  name: 'stored replies',
  table: 'attempts',
  columns: 'rowid, id, reply_text AS bytes, raw_reply AS more',
  where: "outcome = 'ok'",
  async fault({ id, bytes, more = null }, outside) {
    for (const stored of [bytes, more])
      if (stored !== null) unpackText(await outside.fetch({ kind: 'reply', attempt: id }, stored))
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

/** So many of what lies outside are fetched at the same time. */
const FETCHED_AT_ONCE = 16

interface Tally {
  done: number
  /** What lies outside and was not looked at. */
  passed: number
  damaged: number
  readonly faults: { readonly id: string; readonly why: string }[]
}

/** Throws the StorageError of a store outside that cannot be asked: nothing is known of its data then. */
async function lookAtRows(walk: Walk, { db, options }: Examined, total: number): Promise<Tally> {
  const outside = createOutside(options.blobs ?? null, async () => [])
  const tally: Tally = { done: 0, passed: 0, damaged: 0, faults: [] }
  let fetching: Promise<void>[] = []
  let away: unknown
  const look = async (row: Row): Promise<void> => {
    const why = await faultOf(walk, row, outside).catch((failure: unknown) => {
      away ??= failure
      return null
    })
    if (why === null) return
    tally.damaged += 1
    if (tally.faults.length < MOST_IDS) tally.faults.push({ id: row.id, why })
  }
  for (const row of sampled(db, walk, options.full)) {
    const isOutside = liesOutside(row)
    if (isOutside && !options.blobs) tally.passed += 1
    else tally.done += 1
    if (!isOutside) await look(row)
    else if (options.blobs) fetching.push(look(row))
    if (fetching.length >= FETCHED_AT_ONCE) {
      await Promise.all(fetching)
      fetching = []
    }
    if (away !== undefined) break
    if ((tally.done + tally.passed) % AT_ONCE === 0) {
      options.onProgress?.({ step: walk.name, done: tally.done, total: options.full ? total : Math.min(total, SAMPLE) })
      await turn()
    }
  }
  await Promise.all(fetching)
  if (away !== undefined) throw away
  return tally
}

const liesOutside = ({ bytes, more = null }: Row): boolean =>
  [bytes, more].some((stored) => stored !== null && isReference(stored))

async function* walkRows(walk: Walk, examined: Examined): AsyncGenerator<Finding> {
  const total = examined.db.prepare(`SELECT count(*) FROM ${walk.table} WHERE ${walk.where}`).pluck().get() as number
  try {
    yield judgeRows(walk, await lookAtRows(walk, examined, total), total)
  } catch (failure) {
    if (!isAway(failure)) throw failure
    yield warning(walk.name, `not all could be looked at: ${failure.message}`, {
      means: 'The store of large data could not be asked; what lies there may well be whole.',
      advice: 'Mend that, and look again.',
    })
  }
}

function judgeRows({ name }: Walk, { done, passed, damaged, faults }: Tally, total: number): Finding {
  const all = done === total
  const rest = passed === 0 ? '' : `; ${passed} outside of the file not looked at`
  if (damaged === 0) return ok(name, `${done}${all ? '' : ` of ${total}`} looked at, all whole${rest}`)
  const among = `${count(damaged, 'document')} of ${done}${all ? '' : ' looked at'}`
  return error(name, `${among} damaged: ${faults[0]?.why ?? ''}`, {
    means: 'What is stored is not what was given: grades of it cannot be shown or checked again.',
    advice: 'Restore a backup that has them whole; --full says how many there are.',
    ids: faults.map(({ id }) => id),
  })
}

/** Not a missing or damaged object, but a store that could not be asked. */
const isAway = (failure: unknown): failure is Error =>
  failure instanceof StorageError && failure.cause instanceof BlobError

async function faultOf(walk: Walk, row: Row, outside: Outside): Promise<string | null> {
  try {
    return await walk.fault(row, outside)
  } catch (failure) {
    if (isAway(failure)) throw failure
    return (failure as Error).message
  }
}

const walkCheck = (walk: Walk): Check => ({ name: walk.name, since: 1, look: (examined) => walkRows(walk, examined) })

const GRADES_COUNTED = "SELECT judge, rubric, 'grade', status, -count(*) FROM grades WHERE silent = 0 GROUP BY 1, 2, 4"
const CITATIONS_COUNTED = `
  SELECT judge, rubric, 'citation', json_extract(value, '$.status'), -count(*)
  FROM grades, json_each(body, '$.citations') WHERE silent = 0 GROUP BY 1, 2, 4`

/** What `evidence_tallies` says against a count of the grades, in one reading; of their citations, which takes reading them all, with `full`. */
const renderMiscounted = (full: boolean): string => `
  SELECT judge, rubric, kind, status, sum(n) AS off FROM (
    SELECT judge, rubric, kind, status, n FROM evidence_tallies ${full ? '' : "WHERE kind = 'grade'"}
    UNION ALL ${GRADES_COUNTED} ${full ? `UNION ALL ${CITATIONS_COUNTED}` : ''}
  ) GROUP BY judge, rubric, kind, status HAVING off <> 0`

interface Miscounted {
  readonly judge: string
  readonly rubric: string
  readonly kind: string
  readonly status: string
  readonly off: number
}

function* lookAtCounts({ db, options }: Examined): Generator<Finding> {
  const off = db.prepare(renderMiscounted(options.full)).all() as Miscounted[]
  const [first] = off
  if (first === undefined)
    return yield ok('evidence counts', `as many ${options.full ? 'grades and citations' : 'grades'} as are stored`)
  const { judge, rubric, kind, status } = first
  const such = `${judge}, ${rubric}: ${Math.abs(first.off)} too ${first.off > 0 ? 'many' : 'few'} (${kind}, ${status})`
  yield warning(
    'evidence counts',
    `${count(off.length, 'count')} that the stored grades do not come to, such as ${such}`,
    {
      means:
        'Grades were added or removed by something that is not this program; what became of evidence in /metrics is off by that much.',
      advice: 'Reports count the grades themselves. Restore a backup where grades are missing.',
    },
  )
}

export const CONTENT_CHECKS: readonly Check[] = [
  walkCheck(TRAJECTORIES),
  walkCheck(REPLIES),
  { name: 'evidence counts', since: 9, look: lookAtCounts },
]
