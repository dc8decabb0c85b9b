import { sql as raw } from 'kysely'
import type { Digest } from '../domain/digest.ts'
import { type Db, insert } from './db.ts'
import { parseStored } from './text.ts'

export function createSettings(db: Db) {
  /** Returns the value under a name, which is stored where there was none: of two processes that make a value at the same time, both use the first. */
  async function once(name: string, make: () => Uint8Array): Promise<Buffer> {
    const known = await db.read.first<{ value: Buffer }>`SELECT value FROM settings WHERE name = ${name}`
    if (known !== undefined) return known.value
    const row = { name, value: Buffer.from(make()) }
    await db.write((sql) => insert(sql, 'settings', row, raw`ON CONFLICT DO NOTHING`))
    return once(name, make)
  }
  return {
    /** Finds the secret of marker nonces: made once, then stable, so that prompts stay byte-equal. */
    renderingSecret: async (make: () => Uint8Array) => new Uint8Array(await once('rendering_secret', make)),
    /** Returns the digest that is stored under the name of a rubric, after storing this digest where there was none. */
    async registerRubric(name: string, digest: Digest, content: string): Promise<Digest> {
      const value = await once(`rubric:${name}`, () => Buffer.from(JSON.stringify({ digest, content })))
      return parseStored<{ digest: Digest }>(value.toString('utf8')).digest
    },
    /** Writes to the database: reading alone shows neither a full disk nor a standby. Rejects with a StorageError. */
    async check(): Promise<void> {
      const row = { name: 'heartbeat', value: Buffer.from(new Date().toISOString()) }
      const again = raw`ON CONFLICT (name) DO UPDATE SET value = excluded.value`
      await db.write((sql) => insert(sql, 'settings', row, again))
    },
  }
}
