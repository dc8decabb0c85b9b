import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ProjectTrouble } from '../../src/batches/engine-deps.ts'
import { buildContext } from '../../src/boot/context.ts'
import { startEmbedded } from '../../src/cli/client/embedded.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Context } from '../../src/http/context.ts'
import { listProjects, projectPath } from '../../src/storage/project-files.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { REQUEST } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { holdKey } from './make-keys.ts'

const LEXICAL = { ...REQUEST, judge: 'lexical' }
let app: TestApp | undefined
afterEach(async () => {
  await app?.stop()
  app = undefined
})

async function build(database: string): Promise<Context> {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: database }, () => '')
  const context = await buildContext({ config, secrets })
  onTestFinished(() => context.close())
  return context
}

describe('where a project is stored', () => {
  test('the default one in the main file, others beside it, in memory nowhere', () => {
    expect(projectPath('/data/v.sqlite', 'default')).toBe('/data/v.sqlite')
    expect(projectPath('/data/v.sqlite', 'evals')).toBe(join('/data', 'projects', 'evals.sqlite'))
    expect(projectPath(':memory:', 'evals')).toBe(':memory:')
  })

  test.each(['', '..', '../x', 'a/b', 'A', 'a.b', 'x'.repeat(41)])('"%s" never becomes a path', (name) => {
    expect(() => projectPath('/data/v.sqlite', name)).toThrow(expect.objectContaining({ code: 'storage_error' }))
  })

  test('files that are no project’s are left alone', () => {
    const database = tempDatabase()
    expect(listProjects(database)).toEqual([])
    const folder = join(dirname(database), 'projects')
    mkdirSync(folder, { recursive: true })
    for (const name of ['b.sqlite', 'a.sqlite', 'a.sqlite-wal', 'default.sqlite', 'Not-One.sqlite', 'notes.txt'])
      writeFileSync(join(folder, name), '')
    expect(listProjects(database)).toEqual(['a', 'b'])
  })
})

test('a project is opened once, when it is first asked for, and closed with the others', async () => {
  const database = tempDatabase()
  const context = await build(database)
  expect(existsSync(projectPath(database, 'evals'))).toBe(false)
  const [one, same] = await Promise.all([context.project('evals'), context.project('evals')])
  expect(one).toBe(same)
  expect(await context.project('default')).toBe(context.main)
  expect(existsSync(projectPath(database, 'evals'))).toBe(true)
  await context.close()
  // Whole in one file each: nothing of a log is left.
  expect(readdirSync(join(dirname(database), 'projects'))).toEqual(['evals.sqlite'])
  await expect(one.stores.check()).rejects.toMatchObject({ code: 'storage_error' })
})

test('each has a rendering secret of its own, so that one’s frames say nothing of another’s', async () => {
  const context = await build(':memory:')
  const projects = [context.main, await context.project('a'), await context.project('b')]
  const secrets = projects.map(({ stores }) => stores.secrets.renderingSecret(() => new Uint8Array(32)))
  expect(new Set((await Promise.all(secrets)).map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(3)
})

test('a project whose file is damaged is out of order alone, until the file is back', async () => {
  const database = tempDatabase()
  const path = projectPath(database, 'broken')
  await openSqliteStores({ path: projectPath(database, 'fine') }).close()
  await openSqliteStores({ path }).close()
  renameSync(path, `${path}.kept`)
  writeFileSync(path, 'this is no database, but a text that is long enough to be looked at as one'.repeat(20))

  app = await startApp({ env: { VERIDICT_DATABASE: database, VERIDICT_ACCESS: 'on' } })
  const troubles: ProjectTrouble[] = []
  app.context.listen({ onTrouble: (trouble) => troubles.push(trouble), onStatus: () => undefined })
  await app.context.start()
  expect(troubles.map(({ project }) => project)).toEqual(['broken'])
  const [broken, fine] = [await holdKey(app, { project: 'broken' }), await holdKey(app, { project: 'fine' })]
  expect((await broken.get('/v1/grades')).json()).toMatchObject({ status: 503, code: 'storage_error' })
  expect((await fine.post('/v1/grades', LEXICAL)).statusCode).toBe(201)
  expect((await app.get('/readyz')).statusCode).toBe(200)
  const unusable = async () => /^veridict_projects_unusable (\d+)$/m.exec((await admin.get('/metrics')).body)?.[1]
  const admin = await holdKey(app, { scopes: ['operator'] })
  expect(await unusable()).toBe('1')

  renameSync(`${path}.kept`, path)
  expect((await broken.get('/v1/grades')).statusCode).toBe(200)
  expect(await unusable()).toBe('0')
})

test('a command in this process works in VERIDICT_PROJECT, opens no port and asks for no key, whatever the service does', async () => {
  const database = tempDatabase()
  const env = {
    VERIDICT_DATABASE: database,
    VERIDICT_ACCESS: 'on',
    VERIDICT_HOST: '0.0.0.0',
    VERIDICT_PROJECT: 'evals',
  }
  const embedded = await startEmbedded(env)
  async function* items() {
    yield { item: LEXICAL, trajectory: null }
  }
  const { signal } = new AbortController()
  const batch = await embedded.client.createBatch({}, items(), signal)
  for await (const { status } of embedded.client.events(batch.id, signal)) if (status === 'done') break
  let id = ''
  for await (const { grade_id } of embedded.client.results(batch.id)) id = grade_id ?? ''
  // What is asked of routes is answered without a key, and without a port.
  expect(await embedded.client.readGrade(id)).toMatchObject({ id, status: 'graded' })
  expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap')
  await embedded.close()
  for (const [project, found] of [
    ['evals', id],
    ['default', undefined],
  ] as const) {
    const stores = openSqliteStores({ path: projectPath(database, project) })
    expect((await stores.grades.get(id))?.id).toBe(found)
    await stores.close()
  }
})

test('a project that cannot be one stops the start', async () => {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:', VERIDICT_PROJECT: '../x' }, () => '')
  await expect(buildContext({ config, secrets })).rejects.toThrow(/VERIDICT_PROJECT/)
})

test('a token is in no log line, whatever becomes of the request', async () => {
  app = await startApp({ env: { VERIDICT_ACCESS: 'on' } })
  const { token, post, get } = await holdKey(app, { scopes: ['read'] })
  await get('/v1/grades')
  await post('/v1/grades', LEXICAL)
  await app.post('/v1/session', { key: token })
  await app.http.inject({ url: `/v1/grades/${token}`, headers: { authorization: `Basic ${token}` } })
  expect(app.logs.length).toBeGreaterThan(0)
  expect(app.logs.join('')).not.toContain(token.split('_').slice(2).join('_'))
})
