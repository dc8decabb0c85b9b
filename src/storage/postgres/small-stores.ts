import type { Digest } from '../../domain/digest.ts'
import type {
  AliasStore,
  IdempotencyRecord,
  IdempotencyStore,
  RubricStore,
  SecretStore,
  StoredTrajectory,
  TrajectoryStore,
} from '../../ports/ports.ts'
import type { TrialMetadata } from '../../schemas/grade-request.ts'
import type { Outside } from '../outside.ts'
import { StorageError } from '../storage-error.ts'
import { findPacked, packBytes, parseStored, textOf, unpackText } from '../stored-text.ts'
import { insertOf } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'

const ONCE = 'ON CONFLICT DO NOTHING'

const NEWEST = 'ORDER BY created_at DESC, id DESC LIMIT $1'
const OLDER = 'WHERE (created_at, id) < (SELECT created_at, id FROM trajectories WHERE id = $2)'

export function createTrajectoryStore(unit: Unit, outside: Outside): TrajectoryStore {
  return {
    async put({ id, format, document }, at) {
      // Neither compressed nor sent where the document is known.
      if ((await unit.rows('SELECT 1 FROM trajectories WHERE id = $1', [id])).length > 0) return false
      const packed = findPacked(document) ?? packBytes(textOf(document))
      const stored = await outside.keep({ kind: 'trajectory' }, packed)
      const outside_bytes = stored === packed ? null : packed.length
      const row = { id, format, document: stored, created_at: at, outside_bytes }
      return (await unit.write((sql) => sql.run(...insertOf('trajectories', row, ONCE)))) === 1
    },
    async get(id) {
      const [row] = await unit.rows<Omit<StoredTrajectory, 'document'> & { readonly document: Buffer }>(
        'SELECT id, format, document, created_at FROM trajectories WHERE id = $1',
        [id],
      )
      if (row === undefined) return null
      const packed = await outside.fetch({ kind: 'trajectory' }, row.document)
      return { ...row, document: parseStored<Record<string, unknown>>(unpackText(packed)) }
    },
    async getPacked(id) {
      const [row] = await unit.rows<{ document: Buffer }>('SELECT document FROM trajectories WHERE id = $1', [id])
      return row === undefined ? null : outside.fetch({ kind: 'trajectory' }, row.document)
    },
    async listIds({ limit, before }) {
      const rows = await (before === undefined
        ? unit.rows<{ id: Digest }>(`SELECT id FROM trajectories ${NEWEST}`, [limit])
        : unit.rows<{ id: Digest }>(`SELECT id FROM trajectories ${OLDER} ${NEWEST}`, [limit, before]))
      return rows.map(({ id }) => id)
    },
    async count() {
      const [row] = await unit.rows<{ n: number | string }>('SELECT count(*) AS n FROM trajectories', [])
      return Number(row?.n ?? 0)
    },
  }
}

export function createAliasStore(unit: Unit): AliasStore {
  return {
    async put(raw, key, metadata) {
      const row = { raw_digest: raw, key, metadata: JSON.stringify(metadata) }
      await unit.run(...insertOf('aliases', row, ONCE))
    },
    async find(raw) {
      const [row] = await unit.rows<{ key: Digest; metadata: string }>(
        'SELECT key, metadata FROM aliases WHERE raw_digest = $1',
        [raw],
      )
      return row ? { key: row.key, metadata: parseStored<TrialMetadata>(row.metadata) } : null
    },
  }
}

export function createIdempotencyStore(unit: Unit): IdempotencyStore {
  return {
    async find(key) {
      const [row] = await unit.rows<IdempotencyRecord>(
        'SELECT request_digest, status, body FROM idempotency_keys WHERE key = $1',
        [key],
      )
      return row ?? null
    },
    async put(key, { request_digest, status, body }, at) {
      await unit.run(...insertOf('idempotency_keys', { key, request_digest, status, body, created_at: at }, ONCE))
    },
  }
}

export function createRubricStore(unit: Unit): RubricStore {
  return {
    async register(name, digest, content, at) {
      await unit.run(...insertOf('rubrics', { name, digest, content, created_at: at }, ONCE))
      const [row] = await unit.rows<{ digest: Digest }>('SELECT digest FROM rubrics WHERE name = $1', [name])
      if (row === undefined) throw new StorageError('storage_error', `the rubric ${name} was not stored`)
      return row.digest
    },
  }
}

const SECRET = 'rendering_secret'

export function createSecretStore(unit: Unit): SecretStore {
  const find = async () =>
    (await unit.rows<{ value: Buffer }>('SELECT value FROM settings WHERE name = $1', [SECRET]))[0]?.value
  return {
    async renderingSecret(make) {
      const known = await find()
      if (known !== undefined) return new Uint8Array(known)
      await unit.run(...insertOf('settings', { name: SECRET, value: Buffer.from(make()) }, ONCE))
      // Of two that made one at the same time, both use the first.
      const kept = await find()
      if (kept === undefined) throw new StorageError('storage_error', 'the rendering secret was not stored')
      return new Uint8Array(kept)
    },
  }
}
