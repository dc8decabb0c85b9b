import type Database from 'better-sqlite3'
import type { Digest } from '../../domain/digest.ts'
import type { AliasStore, IdempotencyRecord, IdempotencyStore, RubricStore, SecretStore } from '../../ports/ports.ts'
import type { TrialMetadata } from '../../schemas/grade-request.ts'
import { parseStored } from '../stored-text.ts'
import type { Unit } from './unit.ts'

export function createAliasStore(db: Database.Database, unit: Unit): AliasStore {
  const insert = db.prepare('INSERT INTO aliases VALUES (?, ?, ?) ON CONFLICT (raw_digest) DO NOTHING')
  const select = db.prepare('SELECT key, metadata FROM aliases WHERE raw_digest = ?')
  return {
    put: (raw, key, metadata) => unit.write(() => void insert.run(raw, key, JSON.stringify(metadata))),
    find: (raw) =>
      unit.read(() => {
        const row = select.get(raw) as { key: Digest; metadata: string } | undefined
        return row ? { key: row.key, metadata: parseStored<TrialMetadata>(row.metadata) } : null
      }),
  }
}

export function createIdempotencyStore(db: Database.Database, unit: Unit): IdempotencyStore {
  const insert = db.prepare('INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING')
  const select = db.prepare('SELECT request_digest, status, body FROM idempotency_keys WHERE key = ?')
  return {
    find: (key) => unit.read(() => (select.get(key) as IdempotencyRecord | undefined) ?? null),
    put: (key, record, at) =>
      unit.write(() => void insert.run(key, record.request_digest, record.status, record.body, at)),
  }
}

export function createRubricStore(db: Database.Database, unit: Unit): RubricStore {
  const insert = db.prepare('INSERT INTO rubrics VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING')
  const select = db.prepare('SELECT digest FROM rubrics WHERE name = ?').pluck()
  return {
    register: (name, digest, content, at) =>
      unit.write(() => {
        insert.run(name, digest, content, at)
        return select.get(name) as Digest
      }),
  }
}

export function createSecretStore(db: Database.Database, unit: Unit): SecretStore {
  const insert = db.prepare("INSERT INTO settings (name, value) VALUES ('rendering_secret', ?)")
  const select = db.prepare("SELECT value FROM settings WHERE name = 'rendering_secret'").pluck()
  return {
    renderingSecret: (make) =>
      unit.write(() => {
        const known = select.get() as Buffer | undefined
        if (known !== undefined) return new Uint8Array(known)
        const made = make()
        insert.run(Buffer.from(made))
        return new Uint8Array(made)
      }),
  }
}
