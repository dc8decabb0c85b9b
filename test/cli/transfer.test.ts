import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { importCommand } from '../../src/cli/commands/import-command.ts'
import { exportCommand } from '../../src/cli/commands/store/export-command.ts'
import type { Digest } from '../../src/domain/digest.ts'
import { loadMigrations, migrate } from '../../src/storage/sqlite/migrate.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { generateStore } from '../storage/generated-store.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { fileOf, recordsOf, transfer } from '../storage/transfer-tools.ts'
import { testShell } from './test-shell.ts'

const at = (database: string): NodeJS.ProcessEnv => ({ VERIDICT_DATABASE: database })

/** A store with something in every table, and the lines of its export. */
async function begin(grades = 40) {
  const from = tempDatabase()
  mkdirSync(dirname(from))
  await generateStore(from, { grades })
  const { out } = await transfer(at(from), 'export')
  return { from, lines: out.trimEnd().split('\n'), to: join(dirname(from), 'target.sqlite') }
}

const ofKind = (lines: readonly string[], kind: string): number =>
  lines.findIndex((line) => line.startsWith(`{"kind":"${kind}"`))

describe('export and import', () => {
  test('teach', () => {
    const help = exportCommand(testShell()).helpInformation() + importCommand(testShell()).helpInformation()
    for (const word of ['--out <file>', 'an export']) expect(help).toContain(word)
  })

  test('carry every record over, once', async () => {
    const { from, to } = await begin(120)
    const file = join(dirname(from), 'store.ndjson')
    const exported = await transfer(at(from), 'export', '--out', file)
    expect([exported.code, exported.out]).toEqual([0, ''])
    expect(exported.err).toContain('exported 60 trajectories, 121 attempts, 120 grades, 12 reviews of ')
    const imported = await transfer(at(to), 'import', file)
    expect([imported.code, imported.err]).toEqual([
      0,
      `imported 60 trajectories, 121 attempts, 120 grades, 12 reviews into ${to}; 0 records stored already\n`,
    ])
    expect(await recordsOf(at(to))).toEqual(await recordsOf(at(from)))
    const again = await transfer(at(to), 'import', file)
    expect([again.code, again.err]).toEqual([
      0,
      `imported 0 trajectories, 0 attempts, 0 grades, 0 reviews into ${to}; 313 records stored already\n`,
    ])
    const [old, moved] = [openSqliteStores({ path: from }), openSqliteStores({ path: to })]
    try {
      expect(await moved.grades.countEvidence()).toEqual(await old.grades.countEvidence())
      for (const grade of await old.grades.list({ limit: 200 })) {
        const { id, receipt } = grade
        expect(await moved.grades.get(id)).toEqual(grade)
        expect(await moved.grades.findByKey(receipt.key as Digest)).toEqual(
          await old.grades.findByKey(receipt.key as Digest),
        )
        expect(await moved.attempts.listForGrade(id)).toEqual(await old.attempts.listForGrade(id))
        const trajectory = receipt.trajectory as Digest
        expect(await moved.trajectories.get(trajectory)).toEqual(await old.trajectories.get(trajectory))
      }
      expect(await moved.grades.listStanding({ limit: 200 })).toEqual(await old.grades.listStanding({ limit: 200 }))
    } finally {
      await Promise.all([old.close(), moved.close()])
    }
  })
})

describe('an import', () => {
  const refused = (err: string): string[] =>
    err
      .split('\n')
      .filter((line) => line.startsWith('line '))
      .map((line) => line.replace(/(att|grd|rev)_\w+|sha256:\w+/g, 'ID'))

  test('names every broken and changed record with its line, and stores nothing', async () => {
    const { from, lines, to } = await begin()
    await transfer(at(to), 'import', fileOf(from, 'first.ndjson', lines))
    const [grade, trajectory, attempt, review] = ['grade', 'trajectory', 'attempt', 'review'].map((kind) =>
      ofKind(lines, kind),
    ) as [number, number, number, number]
    const changed = [...lines]
    changed[trajectory] = (lines[trajectory] as string).slice(0, -20)
    changed[trajectory + 1] = (lines[trajectory + 1] as string).replace('tool_output', 'tool_outpux')
    changed[attempt] = (lines[attempt] as string).replace('"kind":"attempt"', '"kind":"secret"')
    changed[attempt + 1] = (lines[attempt + 1] as string).replace(/"cost_usd":[^,]+/, '"cost_usd":7')
    changed[attempt + 2] = lines[attempt + 3] as string
    changed[grade] = (lines[grade] as string).replace('\\"status\\":\\"graded\\"', '\\"status\\":\\"failed\\"')
    changed[grade + 1] = (lines[grade + 1] as string).replace('The agent built', 'The agent burnt')
    changed[review] = (lines[review] as string).replace(/grd_[0-9a-z]+/, 'grd_none')
    const faults = [
      `line ${trajectory + 1}: no JSON: the line is broken`,
      `line ${trajectory + 2}: trajectory ID: its document has another digest than its id`,
      `line ${attempt + 1}: a record of an unknown kind`,
      `line ${attempt + 4}: attempt ID is in the file twice`,
      `line ${grade + 1}: grade ID: only a graded grade has a label, and it has one`,
    ]
    const missing = `line ${review + 1}: review ID: its grade ID is neither stored nor in a line before`
    const others = [attempt + 2, grade + 2, review + 1].map(
      (number, n) => `line ${number}: another ${['attempt', 'grade', 'review'][n]} is stored under the id ID`,
    )
    const file = fileOf(from, 'changed.ndjson', changed)
    const beside = await transfer(at(to), 'import', file)
    expect([beside.code, refused(beside.err)]).toEqual([1, expect.arrayContaining([...faults, ...others])])
    expect(beside.err).toContain('changed.ndjson has 8 faults: nothing of the file is stored')
    expect(await recordsOf(at(to))).toEqual(lines.slice(1).sort())
    const other = join(dirname(from), 'other.sqlite')
    const alone = await transfer(at(other), 'import', file)
    expect([alone.code, refused(alone.err)]).toEqual([1, expect.arrayContaining([...faults, missing])])
    expect(await recordsOf(at(other))).toEqual(['{"kind":"end","records":0}'])
  })

  test.each([
    ['trajectory', 'grade'],
    ['attempt', 'grade'],
    ['grade', 'review'],
  ])('refuses a file without a %s that a %s refers to, and goes on where the record is stored', async (kind, by) => {
    const { from, lines, to } = await begin()
    const left = lines.filter((_line, n) => n !== ofKind(lines, kind) && n !== lines.length - 1)
    const file = fileOf(from, 'left.ndjson', [...left, `{"kind":"end","records":${left.length - 1}}`])
    const { code, err } = await transfer(at(to), 'import', file)
    expect([code, refused(err)]).toEqual([
      1,
      expect.arrayContaining([
        expect.stringMatching(
          new RegExp(`^line \\d+: ${by} ID: its ${kind} ID is neither stored nor in a line before$`),
        ),
      ]),
    ])
    expect((await recordsOf(at(to))).length).toBe(1)
    await transfer(at(to), 'import', fileOf(from, 'whole.ndjson', lines))
    expect((await transfer(at(to), 'import', file)).code).toBe(0)
  })

  test('prints the first faults, and counts the others', async () => {
    const { from, lines, to } = await begin()
    const { err } = await transfer(
      at(to),
      'import',
      fileOf(from, 'bad.ndjson', [lines[0] as string, ...Array(50).fill('[]')]),
    )
    expect(refused(err)).toEqual(Array.from({ length: 20 }, (_, n) => `line ${n + 2}: a record of an unknown kind`))
    expect(err).toContain('has 51 faults, 20 of them printed: nothing of the file is stored')
  })

  test('stores nothing of a file that broke off', async () => {
    const { from, lines, to } = await begin()
    const half = lines.slice(0, lines.length / 2)
    const { code, err } = await transfer(at(to), 'import', fileOf(from, 'half.ndjson', half))
    expect([code, refused(err)]).toEqual([
      1,
      [`line ${half.length}: the file is not whole: it has ${half.length - 1} records of an unknown number`],
    ])
    expect((await recordsOf(at(to))).length).toBe(1)
  })

  test('lets the newest of two grades answer, in whatever order they come', async () => {
    const { from, lines, to } = await begin(10)
    const grade = ofKind(lines, 'grade')
    const { body } = JSON.parse(lines[grade] as string) as { body: string }
    const id = /grd_[0-9a-z]+/.exec(body)?.[0] as string
    const newer = (lines[grade] as string).replaceAll(id, 'grd_zzz')
    const { key } = (JSON.parse(body) as { receipt: { key: Digest } }).receipt
    for (const place of [grade, grade + 1]) {
      const path = `${to}-${place}`
      const end = `{"kind":"end","records":${lines.length - 1}}`
      const file = fileOf(from, 'both.ndjson', [...lines.slice(0, -1).toSpliced(place, 0, newer), end])
      expect((await transfer(at(path), 'import', file)).code).toBe(0)
      const stores = openSqliteStores({ path })
      expect((await stores.grades.findByKey(key))?.id).toBe('grd_zzz')
      await stores.close()
    }
  })

  test.each([
    [['{"kind":"veridict_export","version":2,"project":"default","software":"v","created_at":""}'], [], 'version 2'],
    [undefined, ['-'], 'an import reads its file twice, and cannot read a pipe'],
    [undefined, ['--server', 'http://127.0.0.1:1'], 'is read into the database itself'],
    [undefined, [import.meta.filename], 'import it by itself'],
  ])('refuses %j with %j', async (lines, more, words) => {
    const made = await begin(2)
    const file = fileOf(made.from, 'refused.ndjson', lines ?? made.lines)
    const { code, err } = await transfer(at(made.to), 'import', file, ...more)
    expect([code, err]).toEqual([1, expect.stringContaining(words)])
  })

  test('leaves trials to the import of trials', async () => {
    const shell = testShell({ args: ['import'], env: {} })
    await importCommand(shell).parseAsync([import.meta.filename], { from: 'user' })
    expect(shell.errors()).toContain('no service here')
  })
})

test('an export leaves the database as it is', async () => {
  const { from } = await begin(4)
  const before = readFileSync(from)
  expect((await transfer(at(from), 'export')).code).toBe(0)
  expect(readFileSync(from).equals(before)).toBe(true)
})

test('an export of a database of an older version is refused, with the way to migrate it', async () => {
  const path = tempDatabase()
  mkdirSync(dirname(path))
  const old = new Database(path)
  migrate(old, loadMigrations().slice(0, 3))
  old.close()
  expect((await transfer(at(path), 'export')).err).toContain('is of an older version')
})
