import { Command } from 'commander'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backupCommand } from '../../src/cli/commands/backup-command.ts'
import { keysCommand } from '../../src/cli/commands/keys-commands.ts'
import { doctorCommand } from '../../src/cli/commands/store/doctor-command.ts'
import type { Finding } from '../../src/storage/examine.ts'
import { testShell } from '../cli/test-shell.ts'
import { REQUEST } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

describePostgres('keys on PostgreSQL', (tools) => {
  const env = () => ({ VERIDICT_DATABASE_URL: tools().server.url, VERIDICT_ACCESS: 'on' })

  async function keys(...args: string[]) {
    const shell = testShell({ env: env() })
    await new Command('veridict').addCommand(keysCommand(shell)).parseAsync(['keys', ...args], { from: 'user' })
    return shell
  }

  test('a key that is made beside a running service holds there until it is revoked', async () => {
    const app = await startApp({ env: env() })
    onTestFinished(() => app.stop())
    const [one = '', other = ''] = await Promise.all(
      ['one', 'other'].map(async (name) => (await keys('create', name)).output().trim()),
    )
    const as = (token: string) => ({ authorization: `Bearer ${token}` })
    expect((await app.post('/v1/grades', REQUEST)).statusCode).toBe(401)
    const made = await app.post('/v1/grades', { ...REQUEST, judge: 'lexical' }, as(one))
    expect(made.statusCode, made.body).toBe(201)
    const { id } = made.json() as { id: string }
    const get = async (token: string, url: string) => await app.http.inject({ url, headers: as(token) })
    expect((await get(one, `/v1/grades/${id}`)).statusCode).toBe(200)
    expect((await get(other, `/v1/grades/${id}`)).statusCode).toBe(200)
    const listed = await keys('list', '-o', 'json')
    const ids = listed
      .output()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect(ids).toHaveLength(2)
    const key = ids.find((known) => one.includes(known.slice(4))) ?? ''
    const revoked = await keys('revoke', key)
    expect(revoked.code()).toBe(0)
    expect((await get(one, `/v1/grades/${id}`)).statusCode).toBe(401)
    expect(revoked.errors() + listed.errors() + app.logs.join('')).not.toMatch(/p@ss|p%40ss/)
    expect((await keys('revoke', 'key_none')).errors()).toContain('postgres://127.0.0.1')
  })

  test('backup is for a file alone, and says so', async () => {
    const shell = testShell({ env: env() })
    await backupCommand(shell).parseAsync(['copy.sqlite'], { from: 'user' })
    expect(shell.code()).toBe(1)
    expect(shell.errors()).toContain('VERIDICT_DATABASE_URL is set')
    expect(shell.errors()).toContain('pg_dump')
    expect(shell.output()).toBe('')
  })

  describe('doctor', () => {
    async function doctor(url: string) {
      const shell = testShell({ env: { VERIDICT_DATABASE_URL: url } })
      await doctorCommand(shell).parseAsync(['-o', 'json'], { from: 'user' })
      expect(shell.output() + shell.errors()).not.toMatch(/p@ss|p%40ss/)
      const { findings } = JSON.parse(shell.output()) as { findings: Finding[] }
      return { code: shell.code(), found: Object.fromEntries(findings.map((finding) => [finding.check, finding])) }
    }

    test('finds the schema, the checksums and the unfinished work', async () => {
      await (await tools().open('veridict')).close()
      const client = new pg.Client(tools().server.url)
      await client.connect()
      onTestFinished(() => client.end())
      const say = (sql: string) => client.query(`SET search_path = veridict; ${sql}`)
      const healthy = await doctor(tools().server.url)
      expect(healthy.code).toBe(0)
      expect(Object.values(healthy.found).map(({ severity }) => severity)).not.toContain('warning')
      expect(healthy.found['schema']?.found).toMatch(/^version (\d+) of \1$/)
      await say(
        `INSERT INTO batches (id, kind, mode, status, created_at) VALUES ('bat_x', 'grade', 'direct', 'running', 'now')`,
      )
      const warned = await doctor(tools().server.url)
      expect(warned.code).toBe(2)
      expect(warned.found['batches']).toMatchObject({
        severity: 'warning',
        found: '1 batch that no process runs',
        ids: ['bat_x'],
      })
      await say(`UPDATE batches SET status = 'done', finished_at = 'now' WHERE id = 'bat_x'`)
      await say(`INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x')`)
      onTestFinished(async () => void (await say(`DELETE FROM schema_migrations WHERE name = '9999_future.sql'`)))
      const newer = await doctor(tools().server.url)
      expect([newer.code, newer.found['schema']?.found]).toEqual([3, expect.stringContaining('9999_future.sql')])
    })

    test('a server that does not answer is a finding with its address', async () => {
      const { code, found } = await doctor('postgres://me:p%40ss@127.0.0.1:1/none')
      expect([code, found['open']?.severity]).toEqual([3, 'error'])
      expect(found['open']?.found).toContain('127.0.0.1:1')
    })
  })
})
