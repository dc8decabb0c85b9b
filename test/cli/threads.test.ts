import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { unpackText } from '../../src/storage/stored-text.ts'
import { realCommand } from './real-command.ts'

const ADDED_CHARS = 600_000
const COPIES = 3

/** The examples, over and over, until there are enough of them for worker threads; and lines that are none. */
function makeLines(): string {
  const folders = readdirSync('examples', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const read = (name: string, file: string): object => JSON.parse(readFileSync(join('examples', name, file), 'utf8'))
  const lines = Array.from({ length: COPIES }, (_, copy) =>
    folders.map(({ name }) => {
      const trajectory = { ...read(name, 'trajectory.json'), extra: { copy, text: 'x'.repeat(ADDED_CHARS) } }
      return { item_id: `${name} ${copy}`, trajectory, ground_truth: read(name, 'ground-truth.json') }
    }),
  ).flat()
  const other = { ...lines[0], item_id: 'unreadable', trajectory: { steps: [{ actor: 'nobody', text: 'x' }] } }
  const texts = lines.map((one) => JSON.stringify(one))
  // Deeper than one thread can tell the other: it takes no other line with it.
  const deep = [300, 5000, 100_000].map((depth) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  texts.splice(-3, 0, ...deep)
  return [...texts, JSON.stringify(other), '{"trajectory": ', '{"a": 1}', ''].join('\n')
}

/** What is the same in every run of the same command. */
function withoutChance({ id: _, created_at: __, receipt, ...grade }: Grade): object {
  const attempts = receipt.attempts.map(({ id: _id, latency_ms: _ms, ...attempt }) => attempt)
  return { ...grade, receipt: { ...receipt, attempts } }
}

function stored(database: string) {
  const db = new Database(database, { readonly: true })
  const texts = (sql: string) => db.prepare(sql).pluck().all() as string[]
  const documents = db.prepare('SELECT id, document FROM trajectories ORDER BY id').all() as {
    id: string
    document: Buffer
  }[]
  const grades = texts('SELECT body FROM grades').map((body) => withoutChance(JSON.parse(body) as Grade))
  db.close()
  return {
    documents: documents.map(({ id, document }) => [id, document.toString('base64').length, unpackText(document)]),
    grades: grades.map((grade) => JSON.stringify(grade)).sort(),
  }
}

test('an archive is graded in worker threads as it is without: the same items, grades, receipts and stored texts', async () => {
  const lines = makeLines()
  const run = async (threads: string) => {
    const command = realCommand({ VERIDICT_THREADS: threads })
    const { code, out, err } = await command.run(
      'batch',
      command.file('trials.ndjson', lines),
      '-j',
      'lexical',
      '-o',
      'ndjson',
    )
    const told = err.split('\n').filter((line) => /^(skipped|warning|unread)/.test(line))
    const items = out.trim().split('\n')
    return {
      code,
      told: told.map((line) => line.replaceAll(command.folder, '')),
      items: items.map((line) => line.replaceAll(/grd_\w+/g, 'grd')).sort(),
      ...stored(command.database),
    }
  }
  const without = await run('0')
  expect(without.grades.length).toBeGreaterThan(20)
  expect(without.told.length).toBeGreaterThan(2)
  expect(await run('2')).toEqual(without)
}, 60_000)
