import type { Digest } from '../../domain/digest.ts'
import type { IdempotencyRecord, IdempotencyStore, RubricStore, RunnerJudges, SecretStore } from '../../ports/ports.ts'
import type { Db } from '../db.ts'
import { insertOf, ONCE } from '../statements.ts'
import { refusal } from '../storage-error.ts'

export const createIdempotencyStore = (db: Db): IdempotencyStore => ({
  async find(key) {
    const [row] = await db.rows<IdempotencyRecord>(
      'SELECT request_digest, status, body FROM idempotency_keys WHERE key = $1',
      [key],
    )
    return row ?? null
  },
  async put(key, { request_digest, status, body }, at) {
    await db.run(...insertOf('idempotency_keys', { key, request_digest, status, body, created_at: at }, ONCE))
  },
})

export const createRubricStore = (db: Db): RubricStore => ({
  register: (name, digest, content, at) =>
    db.write(function* (sql) {
      yield* sql.run(...insertOf('rubrics', { name, digest, content, created_at: at }, ONCE))
      const [row] = yield* sql.rows<{ digest: Digest }>('SELECT digest FROM rubrics WHERE name = $1', [name])
      if (row === undefined) throw refusal(`the rubric ${name} was not stored`)
      return row.digest
    }),
})

const SECRET = 'rendering_secret'

export const createSecretStore = (db: Db): SecretStore => ({
  renderingSecret: (make) =>
    db.write(function* (sql) {
      const find = () => sql.rows<{ value: Buffer }>('SELECT value FROM settings WHERE name = $1', [SECRET])
      const [known] = yield* find()
      if (known !== undefined) return new Uint8Array(known.value)
      yield* sql.run(...insertOf('settings', { name: SECRET, value: Buffer.from(make()) }, ONCE))
      // Of two that made one at the same time, both use the first.
      const [kept] = yield* find()
      if (kept === undefined) throw refusal('the rendering secret was not stored')
      return new Uint8Array(kept.value)
    }),
})

const RUNNER_JUDGES = 'runner_judges'

export const createRunnerJudges = (db: Db): RunnerJudges => ({
  async put(judges) {
    const row = { name: RUNNER_JUDGES, value: Buffer.from(JSON.stringify(judges)) }
    await db.run(...insertOf('settings', row, 'ON CONFLICT (name) DO UPDATE SET value = excluded.value'))
  },
  async get() {
    const [row] = await db.rows<{ value: Buffer }>('SELECT value FROM settings WHERE name = $1', [RUNNER_JUDGES])
    return row === undefined ? null : (JSON.parse(row.value.toString('utf8')) as string[])
  },
})
