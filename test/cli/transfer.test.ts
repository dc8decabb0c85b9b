import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { migrateSqlite, readMigrations } from '../../src/db/open/migrate.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import type { Digest } from '../../src/domain/digest.ts'
import { generateStore } from '../storage/generated-store.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { fileOf, recordsOf, transfer } from '../storage/transfer-tools.ts'
import { makeCommand, testShell, typed } from './test-shell.ts'

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
  test('teach', async () => {
    const help = await Promise.all(
      ['export', 'import'].map(async (name) => (await makeCommand(name, testShell())).helpInformation()),
    )
    for (const word of ['--out <file>', 'an export']) expect(help.join('')).toContain(word)
  })

  test('carry every record over, once', async () => {
    const { from, to } = await begin(120)
    const file = join(dirname(from), 'store.ndjson')
    const exported = await transfer(at(from), 'export', '--out', file)
    expect([exported.code, exported.out]).toEqual([0, ''])
    expect(exported.err).toContain('exported 60 trajectories, 121 attempts, 120 grades, 12 reviews, 2 dispositions of ')
    const records = '60 trajectories, 121 attempts, 120 grades, 12 reviews, 2 dispositions'
    const imported = `imported ${records} into ${to}; 0 records stored already\n`
    expect(await transfer(at(to), 'import', file)).toMatchObject({ code: 0, err: imported })
    expect(await recordsOf(at(to))).toEqual(await recordsOf(at(from)))
    const again = `imported ${records.replaceAll(/\d+/g, '0')} into ${to}; 315 records stored already\n`
    expect(await transfer(at(to), 'import', file)).toMatchObject({ code: 0, err: again })
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
  /** The kinds of the exported lines, and a change of the first line of the kind. */
  test.each<[string, string, string | RegExp, string, string]>([
    ['trajectory', 'a broken line', /.{20}$/, '', 'is no JSON: is the file cut off? Export it again'],
    [
      'trajectory',
      'a changed text',
      'tool_output',
      'tool_outpux',
      'trajectory ID: its document has another digest than its id',
    ],
    ['attempt', 'an unknown kind', '"kind":"attempt"', '"kind":"secret"', 'no record of an export'],
    ['attempt', 'a kind that is no text', '"kind":"attempt"', '"kind":{"toString":1}', 'no record of an export'],
    [
      'attempt',
      'a call without its reply',
      /"raw_reply":"(?:[^"\\]|\\.)*"/,
      '"raw_reply":null',
      'attempt ID: a good call without its reply',
    ],
    [
      'grade',
      'a changed status',
      '\\"status\\":\\"graded\\"',
      '\\"status\\":\\"failed\\"',
      'grade ID: only a graded grade has a label, and it has one',
    ],
    [
      'review',
      'an unknown grade',
      /grd_[0-9a-z]+/,
      'grd_none',
      'review ID: its grade ID is neither stored nor in a line before',
    ],
    ['disposition', 'another id in its body', /dsp_\d+/, 'dsp_3', 'disposition ID: its body has another id'],
  ])('refuses a %s with %s, and stores nothing', async (kind, _name, from, to, fault) => {
    const made = await begin()
    const place = ofKind(made.lines, kind)
    const changed = made.lines.with(place, (made.lines[place] as string).replace(from, to))
    expect(changed).not.toEqual(made.lines)
    const { code, err } = await transfer(at(made.to), 'import', fileOf(made.from, 'changed.ndjson', changed))
    expect(code).toBe(1)
    expect(err.replace(/(att|grd|rev|dsp)_\w+|sha256:\w+/g, 'ID')).toContain(
      `${fault}; no record of the export was stored`,
    )
    if (kind !== 'review') expect(err).toContain(`changed.ndjson, line ${place + 1}: `)
    expect(await recordsOf(at(made.to))).toEqual(['{"kind":"end","records":0}'])
  })

  test.each([
    ['trajectory', 'grade'],
    ['attempt', 'grade'],
    ['grade', 'review'],
  ])('refuses a file without a %s that a %s refers to, and goes on where the record is stored', async (kind, by) => {
    const { from, lines, to } = await begin()
    const left = lines.filter((_line, n) => n !== ofKind(lines, kind) && n !== lines.length - 1)
    const file = fileOf(from, 'left.ndjson', [...left, `{"kind":"end","records":${left.length - 1}}`])
    const said = new RegExp(`${by} \\S+: its ${kind} \\S+ is neither stored nor in a line before`)
    expect(await transfer(at(to), 'import', file)).toMatchObject({ code: 1, err: expect.stringMatching(said) })
    expect((await recordsOf(at(to))).length).toBe(1)
    await transfer(at(to), 'import', fileOf(from, 'whole.ndjson', lines))
    expect((await transfer(at(to), 'import', file)).code).toBe(0)
  })

  test('stores nothing of a file that broke off', async () => {
    const { from, lines, to } = await begin()
    const half = lines.slice(0, lines.length / 2)
    const said = `half.ndjson holds ${half.length - 1} records, and its last line, {"kind":"end"}, is missing: is the file cut off?`
    const refused = await transfer(at(to), 'import', fileOf(from, 'half.ndjson', half))
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(said) })
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
    [undefined, ['-'], 'an export is read by itself'],
    [undefined, ['--server', 'http://127.0.0.1:1'], 'an export is read by itself'],
    [undefined, [import.meta.filename], 'an export is read by itself'],
  ])('refuses %j with %j', async (lines, more, words) => {
    const made = await begin(2)
    const file = fileOf(made.from, 'refused.ndjson', lines ?? made.lines)
    const { code, err } = await transfer(at(made.to), 'import', file, ...more)
    expect([code, err]).toEqual([1, expect.stringContaining(words)])
  })

  test('leaves trials to the import of trials', async () => {
    expect((await typed({}, 'import', import.meta.filename)).err).toContain('no service here')
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
  migrateSqlite(old, readMigrations('sqlite').slice(0, 3))
  old.close()
  expect((await transfer(at(path), 'export')).err).toContain('is of an older version')
})
