import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../temp-folder.ts'
import { describePostgres } from './postgres-tools.ts'

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
    await stores.check()
    const lines = await server.query(`
      SELECT bool_and(ssl) AS secured FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'veridict'`)
    expect(lines).toEqual([{ secured: true }])
    await stores.close()
    const refused = [`${server.url}?sslmode=verify-full`, secured.replace('127.0.0.1', 'localhost')]
    for (const url of refused)
      await expect(open(newSchema(), { url })).rejects.toMatchObject({ name: 'StorageError', code: 'storage_error' })
  })
})
