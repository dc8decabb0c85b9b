import { columnOf } from '../../statements.ts'
import type { Unit } from '../connection/unit.ts'

export interface Wanted {
  readonly name: string
  readonly token: string
}

export interface Returned {
  readonly token: string
  readonly result: string | null
}

/** A lease as those see it who wait for it. */
interface Seen {
  readonly held: boolean
  readonly waited: boolean
  readonly holder: string
  readonly left_ms: number
  readonly result: string | null
}

/**
 * A commit that a power cut forgets does no harm here: a lease that was taken is then free and its fence closed, one that was given back
 * runs out. What is written under a lease waits for the disk, and with it all that was committed before.
 */
const QUICK = "quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"

/**
 * Never waits: a lease that ran out while its holder is in the middle of a transaction is left to it. Always in the order of the names. Run
 * again with the same tokens it answers the same.
 */
const TAKE = `
  WITH ${QUICK}, wanted AS MATERIALIZED (
    SELECT name, token FROM unnest($1::text[], $2::text[]) AS given (name, token), quick
  ), free AS MATERIALIZED (
    SELECT leases.name, wanted.token FROM leases JOIN wanted ON wanted.name = leases.name
    WHERE leases.until <= clock_timestamp() OR leases.token = wanted.token ORDER BY leases.name FOR UPDATE OF leases SKIP LOCKED
  ), taken AS (
    UPDATE leases SET token = free.token, holder = $3, until = clock_timestamp() + make_interval(secs => $4), in_flight = 0,
      result = NULL
    FROM free WHERE leases.name = free.name RETURNING leases.token
  ), made AS (
    INSERT INTO leases (name, token, holder, until)
    SELECT name, token, $3, clock_timestamp() + make_interval(secs => $4) FROM wanted
    WHERE NOT EXISTS (SELECT 1 FROM leases WHERE leases.name = wanted.name) ORDER BY name
    ON CONFLICT DO NOTHING RETURNING token
  )
  SELECT token FROM taken UNION ALL SELECT token FROM made`

/** What ran out is lost, even where no process has taken it yet. */
const RENEW = `
  WITH ${QUICK}, mine AS MATERIALIZED (
    SELECT leases.name FROM leases, quick WHERE token = ANY($1) AND until > clock_timestamp() ORDER BY name FOR NO KEY UPDATE OF leases
  )
  UPDATE leases SET until = clock_timestamp() + make_interval(secs => $2) FROM mine WHERE leases.name = mine.name
  RETURNING leases.token`

const NOTE = `
  WITH ${QUICK}, mine AS MATERIALIZED (
    SELECT leases.name, given.n FROM leases JOIN unnest($1::text[], $2::integer[]) AS given (token, n) ON given.token = leases.token, quick
    ORDER BY name FOR NO KEY UPDATE OF leases
  )
  UPDATE leases SET in_flight = mine.n FROM mine WHERE leases.name = mine.name`

const RELEASE = `
  WITH ${QUICK}, mine AS MATERIALIZED (
    SELECT leases.name, leases.waited, given.result
    FROM leases JOIN unnest($1::text[], $2::text[]) AS given (token, result) ON given.token = leases.token, quick
    ORDER BY leases.name FOR NO KEY UPDATE OF leases
  ), done AS (
    UPDATE leases SET until = least(until, clock_timestamp()), in_flight = 0, result = mine.result, waited = false
    FROM mine WHERE leases.name = mine.name RETURNING leases.name, mine.waited
  )
  SELECT pg_notify($3, name) FROM done WHERE waited`

const LOOK = `
  SELECT name, until > clock_timestamp() AS held, waited, holder, result,
    greatest(0, extract(epoch FROM until - clock_timestamp()) * 1000)::float8 AS left_ms
  FROM leases WHERE name = ANY($1)`

/** Nothing is marked where it is free: the holder that gives it back later sees the mark. */
const MARK = 'UPDATE leases SET waited = true WHERE name = ANY($1) AND until > clock_timestamp() RETURNING name'

const HOLDERS = 'SELECT DISTINCT holder FROM leases WHERE until > clock_timestamp()'

const END = `
  UPDATE leases SET until = clock_timestamp() WHERE name IN (
    SELECT name FROM leases WHERE holder = ANY($1) AND until > clock_timestamp() ORDER BY name FOR NO KEY UPDATE
  )`

const PRUNE = `
  DELETE FROM leases WHERE name IN (
    SELECT name FROM leases WHERE until < clock_timestamp() - interval '1 minute' FOR UPDATE SKIP LOCKED
  )`

const IN_FLIGHT = `
  SELECT coalesce(sum(in_flight), 0)::integer AS n FROM leases WHERE name >= $1 AND name < $2 AND until > clock_timestamp()`

const IS_HELD = 'SELECT 1 FROM leases WHERE name = $1 AND until > clock_timestamp()'

const AFTER_ALL = '\u{10ffff}'

export type LeaseStatements = ReturnType<typeof createLeaseStatements>

/** What is asked of the table of leases; many at once. */
export const createLeaseStatements = (unit: Unit, holder: string, seconds: number, channel: string) => ({
  /** The tokens that were taken. */
  async take(wanted: readonly Wanted[]): Promise<ReadonlySet<string>> {
    const values = [columnOf(wanted, 'name'), columnOf(wanted, 'token'), holder, seconds]
    return tokensOf(await unit.rows(TAKE, values))
  },
  /** The tokens that are still held. */
  renew: async (tokens: readonly string[]): Promise<ReadonlySet<string>> =>
    tokensOf(await unit.rows(RENEW, [tokens, seconds])),
  async note(notes: ReadonlyMap<string, number>): Promise<void> {
    await unit.run(NOTE, [[...notes.keys()], [...notes.values()]])
  },
  async release(given: readonly Returned[]): Promise<void> {
    await unit.rows(RELEASE, [columnOf(given, 'token'), columnOf(given, 'result'), channel])
  },
  /** Null: no process has had it for a minute. */
  async look(names: readonly string[]): Promise<(Seen | null)[]> {
    const rows = await unit.rows<Seen & { readonly name: string }>(LOOK, [names])
    const found = new Map(rows.map((row) => [row.name, row]))
    return names.map((name) => found.get(name) ?? null)
  },
  /** Whether it is held, and marked. */
  async mark(names: readonly string[]): Promise<boolean[]> {
    const rows = await unit.rows<{ name: string }>(MARK, [names])
    const marked = new Set(rows.map(({ name }) => name))
    return names.map((name) => marked.has(name))
  },
  holders: async (): Promise<string[]> => (await unit.rows<{ holder: string }>(HOLDERS)).map(({ holder }) => holder),
  /** Ends all leases of such holders. */
  end: (holders: readonly string[]) => unit.run(END, [holders]),
  prune: () => unit.run(PRUNE),
  async inFlight(prefix: string): Promise<number> {
    const [row] = await unit.rows<{ n: number }>(IN_FLIGHT, [prefix, prefix + AFTER_ALL])
    return row?.n ?? 0
  },
  isHeld: async (name: string): Promise<boolean> => (await unit.rows(IS_HELD, [name])).length > 0,
})

const tokensOf = (rows: readonly unknown[]): Set<string> =>
  new Set((rows as { token: string }[]).map(({ token }) => token))
