import { expect, test } from 'vitest'
import { testShell, type } from '../cli/test-shell.ts'
import { REQUEST } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

describePostgres('keys on PostgreSQL', (tools) => {
  const env = () => ({ VERIDICT_DATABASE_URL: tools().server.url, VERIDICT_ACCESS: 'on' })

  async function keys(...args: string[]) {
    const shell = testShell({ env: env() })
    await type(shell, 'keys', ...args)
    return shell
  }

  test('a key that is made beside a running service holds there until it is revoked', async () => {
    const app = await startApp({ env: env() })
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
    const listed = await keys('list', '--json')
    const ids = (JSON.parse(listed.output()) as { data: { id: string }[] }).data.map(({ id }) => id)
    expect(ids).toHaveLength(2)
    const key = ids.find((known) => one.includes(known.slice(4))) ?? ''
    const revoked = await keys('revoke', key)
    expect(revoked.code()).toBe(0)
    expect((await get(one, `/v1/grades/${id}`)).statusCode).toBe(401)
    expect(revoked.errors() + listed.errors() + app.logs.join('')).not.toMatch(/p@ss|p%40ss/)
    expect((await keys('revoke', 'key_none')).errors()).toContain('postgres://127.0.0.1')
  })

  test.each([
    ['backup', ['copy.sqlite']],
    ['doctor', []],
  ])('backup and doctor are for a file alone, and say so', async (command, args) => {
    const shell = testShell({ env: env() })
    await type(shell, command, ...args)
    expect(shell.code()).toBe(1)
    expect(shell.errors()).toContain('VERIDICT_DATABASE_URL is set')
    expect(shell.errors()).toContain('pg_dump')
    expect(shell.output()).toBe('')
  })
})
