import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, encodeText } from '../../src/db/open/postgres.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { tempFolder } from '../temp-folder.ts'
import { openBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'
import { describePostgres } from './postgres-tools.ts'

const unit = fc.constantFrom('\0', '\u0001', '\u0002', 'a', 'é', '\ud83d', '🧪')
const word = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''))

test('text is escaped one to one, without NUL, in the order of its bytes', () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      expect(encodeText(one)).not.toContain('\0')
      expect(decodeText(encodeText(one))).toBe(one.toWellFormed())
      const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
      expect(order(encodeText(one), encodeText(other))).toBe(order(one, other))
    }),
  )
})

describePostgres('content of PostgreSQL', (tools) => {
  test('a document of 20 MB comes back as it was', async () => {
    const stores = await tools().open()
    const noise = Buffer.from(Array.from({ length: 4_000_000 }, (_, at) => (at * 2_654_435_761) >>> 24)).toString('hex')
    const document = { noise: noise.repeat(3).slice(0, 20_000_000), words: '\0 中文 \ud83d' }
    const id = digestBytes('large')
    expect(await stores.trajectories.put({ id, format: 'f', document }, 'now')).toBe(true)
    expect(await stores.trajectories.put({ id, format: 'f', document }, 'now')).toBe(false)
    const stored = await stores.trajectories.get(id)
    expect(stored?.document['noise'] === document.noise).toBe(true)
    expect(stored?.document['words']).toBe(document.words)
    await stores.close()
  })

  test('lists by any words answer what SQLite answers', async () => {
    const stores = await tools().open()
    const sqlite = openSqliteStores({ path: ':memory:' })
    const words = [
      '',
      'a',
      'A',
      'ä',
      'a\u0308',
      'a\0',
      'a\0b',
      'a\u0001',
      'a\u0001\u0002',
      '\ud83d',
      "'; --",
      '🧪'.repeat(300),
    ]
    for (const task of words) {
      const record = makeRecord({ metadata: { task, agent: `agent ${task}` } })
      for (const one of [stores, sqlite]) await one.grades.put(record)
    }
    for (const task of words) {
      const [here, there] = await Promise.all([stores, sqlite].map((one) => one.grades.list({ task, limit: 99 })))
      expect(here).toEqual(there)
      expect(here).toHaveLength(1)
    }
    expect(await stores.grades.list({ limit: 99 })).toEqual(await sqlite.grades.list({ limit: 99 }))
    for (const one of [stores, sqlite]) await one.close()
  })

  test('ids and names sort by their bytes, whatever the locale of the server', async () => {
    const stores = await tools().open()
    const ids = ['bat_a', 'bat_B', 'bat_Z', 'bat_b', 'bat_ä', 'bat_-', 'bat_1']
    for (const id of ids) await openBatch(stores, id, 1)
    const sorted = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect((await stores.batches.list({ limit: 9 })).map(({ id }) => id)).toEqual([...sorted].reverse())
    expect((await stores.batches.listDue('')).map(({ id }) => id)).toEqual(sorted)
    await stores.close()
  })

  test('ten thousand items are added, and cancelled, in a few statements', async () => {
    const stores = await tools().open()
    await openBatch(stores, 'bat_1', 10_000)
    await stores.batches.requestCancel('bat_1')
    await stores.batches.finishCancel('bat_1', 'now')
    expect(await stores.batches.get('bat_1')).toMatchObject({
      counts: { total: 10_000, cancelled: 10_000, pending: 0 },
    })
    await stores.close()
  })
})

/** A certificate of its own authority, for the address of the test. */
function makeCertificate(): { certificate: string; key: string } {
  const folder = tempFolder()
  const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=veridict test']
  execFileSync('openssl', [...made, '-addext', 'subjectAltName=IP:127.0.0.1', '-out', certificate, '-keyout', key], {
    stdio: 'ignore',
  })
  return { certificate, key }
}

describePostgres('TLS to PostgreSQL', (tools) => {
  test('is spoken and checked where the URL asks for it', async () => {
    const { server, newSchema, open } = tools()
    const { certificate, key } = makeCertificate()
    server.give('server.crt', readFileSync(certificate))
    server.give('server.key', readFileSync(key))
    await server.query('ALTER SYSTEM SET ssl = on')
    await server.stop()
    await server.start()
    const secured = `${server.url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`
    const stores = await open(newSchema(), { url: secured })
    await stores.settings.check()
    const lines = await server.query(`
      SELECT bool_and(ssl) AS secured FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'veridict'`)
    expect(lines).toEqual([{ secured: true }])
    await stores.close()
    const refused = [`${server.url}?sslmode=verify-full`, secured.replace('127.0.0.1', 'localhost')]
    for (const url of refused)
      await expect(open(newSchema(), { url })).rejects.toMatchObject({ name: 'StorageError', code: 'storage_error' })
  })
})
