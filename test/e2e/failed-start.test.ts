import { randomBytes } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildContext } from '../../src/boot/context.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { serve } from '../local-server.ts'
import { runToEnd } from '../run-to-end.ts'
import { tempFolder } from './service-process.ts'

/** A start that fails says why and what to do, whichever way it was started. */
const WAYS = [
  [process.execPath, 'src/server.ts'],
  [process.execPath, 'src/cli.ts', 'serve'],
] as const

const start = ([command, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv) =>
  runToEnd(command, args, env)

const noise = (folder: string): string => {
  writeFileSync(join(folder, 'noise.sqlite'), randomBytes(9000))
  return join(folder, 'noise.sqlite')
}
const config = (folder: string, text: string): string => {
  writeFileSync(join(folder, 'v.yaml'), text)
  return join(folder, 'v.yaml')
}

test.each<[string, (folder: string) => NodeJS.ProcessEnv, RegExp]>([
  [
    'a port that is none',
    () => ({ VERIDICT_PORT: 'high' }),
    /VERIDICT_PORT must be a port .*\n {2}docs\/configuration\.md/,
  ],
  ['a host that is none', () => ({ VERIDICT_HOST: '999.1.1.1' }), /999\.1\.1\.1\n {2}Set another/],
  [
    'an unknown key of the file',
    (folder) => ({ VERIDICT_CONFIG: config(folder, 'limitz: {}') }),
    /v\.yaml: \/limitz is not a known property; there are: default_judge, .*\n {2}docs/,
  ],
  [
    'a damaged database',
    (folder) => ({ VERIDICT_DATABASE: noise(folder) }),
    /damaged, or is no SQLite database: is the path right\? If it is, restore a backup\n {2}The database is .*noise\.sqlite/,
  ],
  ['a folder for a database', (folder) => ({ VERIDICT_DATABASE: folder }), /cannot be opened: .*\n {2}The database is/],
  [
    'a PostgreSQL that is not there',
    () => ({ VERIDICT_DATABASE_URL: 'postgres://u:sk-secret@127.0.0.1:1/x' }),
    /cannot be reached\n {2}Its address is in VERIDICT_DATABASE_URL/,
  ],
])('%s', async (_name, environment, said) => {
  const folder = tempFolder()
  const env = { VERIDICT_PORT: '0', VERIDICT_DATABASE: join(folder, 'v.sqlite'), ...environment(folder) }
  for (const { code, err } of await Promise.all(WAYS.map((way) => start(way, env)))) {
    expect(code).toBe(1)
    expect(err).toMatch(said)
    expect(err).toMatch(/^veridict: cannot start: [^\n]+\n {2}[^\n]+\n$/)
    expect(err).not.toMatch(/SQLITE_|sk-secret|^ {4}at /m)
  }
})

test('through a link it starts, too, and does not end as if it had', async () => {
  const link = join(tempFolder(), 'linked')
  symlinkSync(process.cwd(), link)
  const { code, err } = await start([process.execPath, join(link, 'src/server.ts')], { VERIDICT_PORT: 'high' })
  expect([code, err]).toEqual([1, expect.stringContaining('cannot start: VERIDICT_PORT')])
})

test('a port that is taken, also through npm', async () => {
  const { port } = new URL(await serve())
  const env = {
    VERIDICT_PORT: port,
    VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite'),
    HOME: process.env['HOME'],
  }
  const advice =
    'Set another VERIDICT_PORT or VERIDICT_HOST (127.0.0.1: this machine alone), or stop what listens there.'
  const taken = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`
  const expected = `veridict: cannot start: ${taken}\n  ${advice}\n`
  for (const way of WAYS) expect(await start(way, env)).toMatchObject({ code: 1, err: expected })
  const { code, err } = await start(['npm', 'start', '--silent'], env)
  expect([code, err]).toEqual([1, expected])
})

test('a rubric that changed under its version stops the start, with what to do', async () => {
  const database = join(tempFolder(), 'v.sqlite')
  const stores = openSqliteStores({ path: database })
  await stores.settings.registerRubric('tab-behavior@1', `sha256:${'0'.repeat(64)}`, '{}')
  await stores.close()
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: database }, () => '')
  await expect(buildContext({ config, secrets })).rejects.toThrow(/tab-behavior@1 was changed, but not its version/)
})
