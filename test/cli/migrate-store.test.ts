import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrateStoreCommand } from '../../src/cli/commands/store/migrate-store-command.ts'
import { moveTeller } from '../../src/cli/output/move-progress.ts'
import type { MoveStore } from '../../src/ports/move-ports.ts'
import { moveStore } from '../../src/storage/move/move-store.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { StorageError } from '../../src/storage/storage-error.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { generateStore } from '../storage/generated-store.ts'
import { ask, newDatabase, tempStore } from '../storage/move-tools.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { testShell } from './test-shell.ts'

interface Given {
  readonly env?: NodeJS.ProcessEnv
  readonly terminal?: boolean
  readonly move?: MoveStore
  /** Asked for as soon as the command runs. */
  readonly signal?: 'SIGINT'
}

async function run(args: readonly string[], { env = {}, terminal = false, move = moveStore, signal }: Given = {}) {
  const shell = testShell({ args: ['migrate-store', ...args], env, terminal })
  const command = migrateStoreCommand(shell, (options) => {
    if (signal !== undefined) shell.signals.emit(signal)
    return move(options)
  })
  await command.parseAsync([...args], { from: 'user' })
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

describe('veridict migrate-store', () => {
  test('teaches', () => {
    const help = migrateStoreCommand(testShell(), moveStore).helpInformation()
    for (const word of ['--from <file>', '--to-env <variable>', '--dry-run', '--verify-only'])
      expect(help).toContain(word)
  })

  test.each([
    [['--from', 'nowhere.sqlite'], {}, 'there is no database file nowhere.sqlite'],
    [['--from', import.meta.filename], {}, 'VERIDICT_DATABASE_URL is not set'],
    [['--from', import.meta.filename, '--to-env', 'TARGET'], {}, 'TARGET is not set'],
    [
      ['--from', import.meta.filename, '--to-env', 'TARGET'],
      { TARGET: 'mysql://u:hunter2@h/d' },
      'must begin with postgres://',
    ],
    [['--from', import.meta.filename, '--dry-run', '--verify-only'], {}, 'do not go together'],
    [
      ['--from', import.meta.filename],
      { VERIDICT_DATABASE_URL: 'postgres://u@127.0.0.1:1/d' },
      'damaged, or is no SQLite database',
    ],
  ])('refuses %j with %j', async (args, env, words) => {
    const { code, out, err } = await run(args, { env })
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(words)
    expect(err).not.toContain('hunter2')
  })

  test('tells how far it is, and how fast each step goes', () => {
    const progress = { project: 'default', step: 'move', table: 'grades', done: 50, total: 200 } as const
    const tell = moveTeller()
    expect(tell(progress, 0)).toBe('default: moving grades  25%  50 of 200 rows')
    expect(tell({ ...progress, done: 100 }, 2000)).toBe('default: moving grades  50%  100 of 200 rows  25/s  ETA 4s')
    expect(tell({ ...progress, step: 'verify', done: 150 }, 2000)).toBe(
      'default: verifying grades  75%  150 of 200 rows',
    )
  })
})

describePostgres('veridict migrate-store', (tools) => {
  const target = async () => ({ VERIDICT_DATABASE_URL: await newDatabase(tools().server) })

  test('plans, moves, verifies, and says each', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20, projects: { 'team-a': 4 } })
    const env = await target()
    const planned = await run(['--from', from, '--dry-run'], { env })
    expect([planned.code, planned.out]).toEqual([0, expect.stringContaining('Nothing was written.')])
    const moved = await run(['--from', from], { env })
    expect(moved.code).toBe(0)
    expect(moved.out).toMatch(/^default → schema veridict\n/)
    expect(moved.out).toMatch(/\nteam-a → schema veridict_team-a\n/)
    expect(moved.out).toMatch(/\n {2}grades +20 +20 {2}[0-9a-f]{16} {2}equal\n/)
    expect(moved.out).toMatch(/\n2 projects, \d+ rows; moved \d+ rows in [\d.]+ s \(\d+\/s\); read back/)
    expect(moved.out).not.toContain('DIFFERS')
    expect((await run(['--from', from], { env })).err).toContain('--verify-only compares what was moved')
    const checked = await run(['--from', from, '--verify-only'], { env })
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('PostgreSQL has what SQLite has.')])
    await ask(env.VERIDICT_DATABASE_URL, "UPDATE grades SET agent = 'x'")
    const differs = await run(['--from', from, '--verify-only'], { env })
    expect([differs.code, differs.out]).toEqual([3, expect.stringMatching(/\n {2}grades .* DIFFERS/)])
    expect(differs.err).toContain('what PostgreSQL has is not what SQLite has')
  })

  test('draws on a terminal how far it is, and leaves nothing of it', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20 })
    const { code, err } = await run(['--from', from], { env: await target(), terminal: true })
    expect(code).toBe(0)
    expect(err).toContain('rows')
    expect(err).toContain('\u001b[')
  })

  test('ends on Ctrl-C, and the same command begins anew', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20 })
    const env = await target()
    const { code, err } = await run(['--from', from], { env, signal: 'SIGINT' })
    expect([code, err]).toEqual([130, expect.stringContaining('The same command begins anew: veridict migrate-store')])
    expect((await run(['--from', from], { env })).code).toBe(0)
  })

  test('says what to do where the server goes away', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 2 })
    const gone = new StorageError('storage_busy', 'the server is gone', { server: 'db.example:5432', away: true })
    const { code, err } = await run(['--from', from], { env: await target(), move: () => Promise.reject(gone) })
    expect([code, err]).toEqual([1, expect.stringContaining('the server is gone')])
    expect(err).toContain('The same command begins anew')
  })

  test('refuses a file in use', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 2 })
    const service = openSqliteStores({ path: from })
    onTestFinished(() => service.close())
    const { code, err } = await run(['--from', from], { env: await target() })
    expect([code, err]).toEqual([1, expect.stringContaining('in use by a living process')])
  })
})

const GETS = [
  '/v1/reports?judge=lexical&draws=100',
  '/v1/reports?judge=openai&group_by=model&draws=100',
  '/v1/reports?group_by=judge&draws=100&format=csv',
  '/v1/disagreements?limit=100',
  '/v1/grades?limit=200',
  '/v1/grades?limit=100&label=ignored&judge=openai',
  '/v1/batches',
  '/v1/batches/bat_done',
] as const
const RATERS = [
  ['judge:lexical', 'judge:openai'],
  ['judge:lexical', 'humans'],
  ['human:ada', 'human:bob', 'signals'],
] as const

/** Every answer as its status and its bytes. */
async function answersOf(app: TestApp): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const path of GETS) {
    const { statusCode, body } = await app.get(path)
    answers[path] = `${statusCode} ${body}`
  }
  for (const raters of RATERS) {
    const measure = raters.some((rater) => rater === 'signals') ? { measure: 'observed' } : {}
    const asked = { stored: { raters, ...measure }, bootstrap: { draws: 100 } }
    const { statusCode, body } = await app.post('/v1/agreement', asked)
    answers[`agreement of ${raters.join(', ')}`] = `${statusCode} ${body}`
  }
  return answers
}

describePostgres('a store of 10,000 grades', (tools) => {
  test('is moved with equal digests, and its reports are the same to the byte', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 10_000 })
    const env = { VERIDICT_DATABASE_URL: await newDatabase(tools().server) }
    const { code, out } = await run(['--from', from], { env })
    expect(code, out).toBe(0)
    expect(out).toMatch(/\n {2}grades +10000 +10000 {2}[0-9a-f]{16} {2}equal\n/)
    const copy = join(dirname(from), 'copy.sqlite')
    copyFileSync(from, copy)
    const seen: Record<string, string>[] = []
    for (const place of [{ VERIDICT_DATABASE: copy }, { VERIDICT_DATABASE: '', ...env }]) {
      const app = await startApp({ env: place })
      seen.push(await answersOf(app).finally(() => app.stop()))
    }
    const [sqlite = {}, postgres = {}] = seen
    for (const [asked, answer] of Object.entries(sqlite)) {
      expect(answer.slice(0, 4), `${asked}: ${answer.slice(0, 300)}`).toBe('200 ')
      expect(answer.length, asked).toBeGreaterThan(400)
      expect(postgres[asked], asked).toBe(answer)
    }
  }, 120_000)
})
