import { randomUUID } from 'node:crypto'
import { type SharedJudge, type SharedLimits, tellAt } from '../../../asking/shared/shared-limits.ts'
import { refusal } from '../../storage-error.ts'
import type { PoolSettings } from '../connection/pool.ts'
import { openUnit } from '../connection/unit.ts'

/** Never behind the connections of those whose calls wait for it. */
const CONNECTIONS = 2
/** What takes longer is worth no more than the next time. */
const PATIENCE_MS = 5_000
/** A process that is stopped in the middle must not stop the others for longer: its lock ends. */
const HOLDS_MS = 1_000
/** Of the state’s shape. Where processes of two versions share a judge, the one that cannot read it begins anew. */
const VERSION = 2

/** Makes the row where there is none, and holds it: `now` is taken once it is held. */
const HOLD = `
  INSERT INTO judges (name, state) VALUES ($1, '{}') ON CONFLICT (name) DO UPDATE SET state = judges.state
  RETURNING state, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`
const STORE = 'UPDATE judges SET state = $2 WHERE name = $1'

/** The judges of one database, in its main schema, which must have been migrated when the first of them is called. */
export function openSharedLimits(url: string, schema: string, settings: PoolSettings): SharedLimits {
  const unit = openUnit(url, schema, {
    ...settings,
    max_connections: CONNECTIONS,
    connect_timeout_ms: Math.min(settings.connect_timeout_ms, PATIENCE_MS),
    statement_timeout_ms: Math.min(settings.statement_timeout_ms || PATIENCE_MS, PATIENCE_MS),
    idle_transaction_timeout_ms: HOLDS_MS,
  })
  const me = randomUUID()
  return {
    tell: (judge, told) =>
      unit.write(async (sql) => {
        const [row] = await sql.rows<{ state: string; now: number }>(HOLD, [judge])
        if (row === undefined) throw refusal('the row of the judge is not there')
        const { state, heard } = tellAt(parseState(row.state), me, told, row.now)
        await sql.run(STORE, [judge, JSON.stringify({ version: VERSION, ...state })])
        return heard
      }),
    close: () => unit.close(),
  }
}

function parseState(text: string): SharedJudge | null {
  const { version, ...state } = JSON.parse(text) as { readonly version?: unknown } & SharedJudge
  return version === VERSION ? state : null
}
