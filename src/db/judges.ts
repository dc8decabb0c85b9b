import type { JudgeReply } from '../ports/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import { type Db, isIn, type Sql } from './db.ts'
import { parseStored } from './text.ts'

/** A judge as all processes see it. Times are milliseconds since the epoch. */
export interface JudgeState {
  /** No process calls the judge before. */
  readonly paused_until: number
  /** The failure that paused the judge; null: none did. */
  readonly failure: Failure | null
  /** Silent failures in a row. */
  readonly strikes: number
  /** Pauses in a row that silence has caused; above 0 the pause is an outage, and not a wish of the provider. */
  readonly rests: number
}

const OPEN: JudgeState = { paused_until: 0, failure: null, strikes: 0, rests: 0 }

/** Silent failures in a row after which a judge rests. */
export const STRIKES = 12
const FIRST_REST_MS = 30_000
const LONGEST_REST_MS = 600_000
/** No `Retry-After` stops a judge for longer. */
const LONGEST_PAUSE_MS = 60_000
/** A worker that said nothing for so long is gone. */
const SILENCE_MS = 30_000

/** Reads the state of a judge, and locks its row until the end of the unit of work. The first reading makes the row. */
export async function readJudge(db: Pick<Db, 'kind'>, sql: Sql, name: string): Promise<JudgeState> {
  const query = sql
    .selectFrom('judges')
    .select(['paused_until', 'failure', 'strikes', 'rests'])
    .where('name', '=', name)
    .$if(db.kind === 'postgres', (locked) => locked.forUpdate())
  const row = await query.executeTakeFirst()
  if (row !== undefined) return parseState(row)
  await makeJudges(sql, [name])
  return parseState(await query.executeTakeFirstOrThrow())
}

const parseState = ({ failure, ...row }: Omit<JudgeState, 'failure'> & { readonly failure: string | null }) => ({
  ...row,
  failure: failure === null ? null : parseStored<Failure>(failure),
})

const makeJudges = (sql: Sql, names: readonly string[]) =>
  sql
    .insertInto('judges')
    .values(names.map((name) => ({ name })))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()

/**
 * Pauses a judge for all processes: for the time that a refusal asks for, and, after twelve silent failures in a row, for half a minute, doubled at
 * each further twelve. Any other answer ends the count.
 */
export async function settleJudge(
  db: Pick<Db, 'kind'>,
  sql: Sql,
  name: string,
  reply: JudgeReply,
  now: number,
): Promise<void> {
  const failure = reply.ok ? null : reply.failure
  const isSilent = failure?.code === 'judge_unreachable' || failure?.code === 'timeout'
  const asked =
    failure !== null && (isSilent || failure.code === 'rate_limited') ? (failure.retry_after_s ?? 0) * 1000 : 0
  if (!isSilent && asked <= 0) return calm(sql, name)
  const row = await readJudge(db, sql, name)
  // Calls that began before an outage say nothing about its end.
  if (isSilent && row.rests > 0 && row.paused_until > now) return
  const strikes = isSilent ? row.strikes + 1 : 0
  const isOut = strikes >= STRIKES
  const rest = isOut ? Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** row.rests) : 0
  const until = now + Math.max(rest, Math.min(LONGEST_PAUSE_MS, asked))
  const pause =
    rest > 0 || asked > 0 ? { paused_until: Math.max(row.paused_until, until), failure: JSON.stringify(failure) } : {}
  await sql
    .updateTable('judges')
    .set({ strikes: isOut ? 0 : strikes, ...(isOut && { rests: row.rests + 1 }), ...pause })
    .where('name', '=', name)
    .execute()
}

/** Ends the count of silent failures; an answer changes the row of a judge only where the count is above 0. */
const calm = async (sql: Sql, name: string): Promise<void> => {
  await sql
    .updateTable('judges')
    .set({ strikes: 0, rests: 0 })
    .where('name', '=', name)
    .where(({ or, eb }) => or([eb('strikes', '>', 0), eb('rests', '>', 0)]))
    .execute()
}

export type JudgeStates = ReturnType<typeof createJudges>

/** The judges as all processes of the database see them. */
export const createJudges = (db: Db) => ({
  async get(name: string): Promise<JudgeState> {
    const row = await db.read
      .selectFrom('judges')
      .select(['paused_until', 'failure', 'strikes', 'rests'])
      .where('name', '=', name)
      .executeTakeFirst()
    return row === undefined ? OPEN : parseState(row)
  },
  /** Ends the pauses of judges: an operator has mended them. */
  async resume(names: readonly string[]): Promise<void> {
    await db.write((sql) =>
      sql
        .updateTable('judges')
        .set({ paused_until: 0, failure: null, strikes: 0, rests: 0 })
        .where(isIn(db, 'name', names))
        .execute(),
    )
  },
  /** Says that a worker with these judges lives. */
  async announce(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const seen_at = Date.now()
    await db.write(async (sql) => {
      // In one order: two workers never wait for each other crosswise.
      for (const name of names.toSorted())
        await sql
          .insertInto('judges')
          .values({ name, seen_at })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ seen_at }))
          .execute()
    })
  },
  /** Tells whether a worker with the judge has said so lately. */
  async hasWorker(name: string): Promise<boolean> {
    const row = await db.read.selectFrom('judges').select('seen_at').where('name', '=', name).executeTakeFirst()
    return row !== undefined && Date.now() - row.seen_at < SILENCE_MS
  },
})
