import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCommand } from '../../src/cli/commands/import-command.ts'
import { exportCommand } from '../../src/cli/commands/store/export-command.ts'
import type { Digest } from '../../src/domain/digest.ts'
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
    expect(exported.err).toContain('exported 60 trajectories, 121 calls, 120 grades, 12 reviews of ')
    const imported = await transfer(at(to), 'import', file)
    expect([imported.code, imported.err]).toEqual([
      0,
      `imported 60 trajectories, 121 calls, 120 grades, 12 reviews into ${to}; 0 records stored already, 0 refused\n`,
    ])
    expect(await recordsOf(at(to))).toEqual(await recordsOf(at(from)))
    const again = await transfer(at(to), 'import', file)
    expect([again.code, again.err]).toEqual([
      0,
      `imported 0 trajectories, 0 calls, 0 grades, 0 reviews into ${to}; 313 records stored already, 0 refused\n`,
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
  test('refuses broken and changed records with their lines, and stores all others', async () => {
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
    changed[grade] = (lines[grade] as string).replace('\\"status\\":\\"graded\\"', '\\"status\\":\\"failed\\"')
    changed[grade + 1] = (lines[grade + 1] as string).replace('The agent built', 'The agent burnt')
    changed[review] = (lines[review] as string).replace(/grd_[0-9a-z]+/, 'grd_none')
    const { code, err } = await transfer(at(to), 'import', fileOf(from, 'changed.ndjson', changed))
    expect(code).toBe(3)
    const told = err.split('\n').filter((line) => line.startsWith('refused'))
    expect(told.map((line) => line.replace(/(att|grd|rev)_\w+|sha256:\w+/g, 'ID')).sort()).toEqual(
      [
        `refused  line ${trajectory + 1}: no JSON: the line is broken`,
        `refused  line ${trajectory + 2}: trajectory ID: its document has another digest than its id`,
        `refused  line ${attempt + 1}: a record of an unknown kind`,
        `refused  line ${attempt + 2}: another attempt is stored under the id ID`,
        `refused  line ${grade + 1}: grade ID: only a graded grade has a label, and it has one`,
        `refused  line ${grade + 2}: another grade is stored under the id ID`,
        `refused  line ${review + 1}: review ID: its grade ID is not stored`,
      ].sort(),
    )
    expect(err).toContain(`${lines.length - 2 - 7} records stored already, 7 refused\n`)
    expect(await recordsOf(at(to))).toEqual(lines.slice(1).sort())
    const other = join(dirname(from), 'other.sqlite')
    expect((await transfer(at(other), 'import', fileOf(from, 'changed.ndjson', changed))).code).toBe(3)
    // The other review of the refused grade is refused, too.
    expect((await recordsOf(at(other))).length).toBe(lines.length - 1 - 6)
  })

  test('stores what a file has that broke off, says so, and goes on with the whole one', async () => {
    const { from, lines, to } = await begin()
    const half = lines.slice(0, lines.length / 2)
    const broken = await transfer(at(to), 'import', fileOf(from, 'half.ndjson', half))
    expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('is not whole: it has')])
    const rest = await transfer(at(to), 'import', fileOf(from, 'whole.ndjson', lines))
    expect([rest.code, rest.err]).toEqual([0, expect.stringContaining(`${half.length - 1} records stored already`)])
    expect(await recordsOf(at(to))).toEqual(lines.slice(1).sort())
  })

  test('takes what another process has stored meanwhile, and the newest of two grades answers', async () => {
    const { from, lines, to } = await begin(10)
    const grade = ofKind(lines, 'grade')
    const { body } = JSON.parse(lines[grade] as string) as { body: string }
    const id = /grd_[0-9a-z]+/.exec(body)?.[0] as string
    const newer = (lines[grade] as string).replaceAll(id, 'grd_zzz')
    const both = [...lines.slice(0, -1), newer, `{"kind":"end","records":${lines.length - 1}}`]
    for (const order of [
      both,
      [
        both[0],
        ...both
          .slice(1, -1)
          .reverse()
          .filter((line) => !line?.startsWith('{"kind":"review"')),
      ],
    ] as string[][]) {
      const path = `${to}-${order.length}`
      await transfer(at(path), 'import', fileOf(from, 'both.ndjson', order))
      const stores = openSqliteStores({ path })
      const { key } = (JSON.parse(body) as { receipt: { key: Digest } }).receipt
      expect((await stores.grades.findByKey(key))?.id).toBe('grd_zzz')
      await stores.close()
    }
  })

  test.each([
    [['{"kind":"veridict_export","version":2,"project":"default","software":"v","created_at":""}'], [], 'version 2'],
    [['{"kind":"veridict_export","version":1}'], [], 'is an export of version 1'],
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
