import { FOREIGN_KEY, OUTSIDE, refuseKey, refuseOutside } from '../old-store.ts'
import { createTables, type ServiceStores } from '../stores/stores.ts'
import { createLeaseStore, LEASE_SECONDS } from './cluster/leases.ts'
import { registerProcess, SILENCE_S } from './cluster/processes.ts'
import { createSliceStore, createWorkNotices } from './cluster/slices.ts'
import { createListener } from './connection/listen.ts'
import { openMigrated } from './connection/migrate.ts'
import type { PoolSettings } from './connection/pool.ts'
import { assertOneProject, SCHEMA } from './connection/schemas.ts'
import { openUnit } from './connection/unit.ts'
import { createDb } from './postgres-db.ts'

export interface PostgresOptions extends PoolSettings {
  /** `postgres://user:password@host/database`; TLS by its `sslmode`. */
  readonly url: string
  /** The schema, made and migrated where needed; for tests, another one than that of a service. */
  readonly schema?: string
  /** Seconds after which a silent process is dead; a minute, but for tests. */
  readonly silence_s?: number
  /** Seconds after which a silent holder has lost its leases. */
  readonly lease_seconds?: number
}

/** Renewals never wait behind a busy pool. */
const LEASE_CONNECTIONS = 2

/** A real write: a server that reads may still have a full disk, or be a standby. */
const CHECK = `
  INSERT INTO settings (name, value) VALUES ('heartbeat', convert_to(clock_timestamp()::text, 'UTF8'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/** The stores over one schema of a PostgreSQL. Throws a StorageError where it cannot be used. */
export async function openPostgresStores(options: PostgresOptions): Promise<ServiceStores> {
  const { url, schema = SCHEMA, silence_s = SILENCE_S, lease_seconds = LEASE_SECONDS, ...given } = options
  const atMost = (ms: number) => (ms === 0 ? lease_seconds * 1000 : Math.min(ms, lease_seconds * 1000))
  // A process that hangs in a transaction for so long has lost its leases, and may not keep others from them.
  const settings = { ...given, idle_transaction_timeout_ms: atMost(given.idle_transaction_timeout_ms) }
  const unit = await openMigrated(url, schema, settings)
  try {
    if ((await unit.rows(OUTSIDE)).length > 0) throw refuseOutside()
    if (schema === SCHEMA) await assertOneProject(unit)
    const [key] = await unit.rows<Parameters<typeof refuseKey>[0]>(FOREIGN_KEY)
    if (key !== undefined) throw refuseKey(key)
    const processes = await registerProcess(unit, silence_s)
    const leaseUnit = openUnit(url, schema, {
      max_connections: LEASE_CONNECTIONS,
      connect_timeout_ms: atMost(given.connect_timeout_ms),
      // One renewal that hangs leaves time for the next.
      statement_timeout_ms: Math.max(1000, Math.ceil((lease_seconds * 1000) / 3)),
      idle_transaction_timeout_ms: settings.idle_transaction_timeout_ms,
    })
    const listener = createListener(url, given.connect_timeout_ms)
    const leases = createLeaseStore({ unit: leaseUnit, listener, schema, processes, seconds: lease_seconds })
    const close = async () => {
      await leases.close()
      await listener.close()
      await leaseUnit.close()
      await processes.leave()
      await unit.close()
    }
    let closing: Promise<void> | undefined
    return {
      ...createTables(createDb(unit, processes)),
      run_lock: null,
      cluster: {
        beat: processes.beat,
        leases,
        slices: createSliceStore(unit),
        notices: createWorkNotices(unit, listener),
      },
      check: async () => void (await unit.run(CHECK)),
      close() {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await unit.close()
    throw error
  }
}
