import { expect, test } from 'vitest'
import { findUndescribed } from '../../src/storage/move/catalogue.ts'
import { MOVED, NOT_MOVED } from '../../src/storage/move/moved-tables.ts'
import { columnsOf } from '../../src/storage/move/source.ts'
import { readCatalogue } from '../../src/storage/move/target.ts'
import { openUnit } from '../../src/storage/postgres/connection/unit.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { SETTINGS } from './postgres-settings.ts'
import { describePostgres } from './postgres-tools.ts'

const ADVICE = 'describe it in src/storage/move/moved-tables.ts, in MOVED or in NOT_MOVED'

test('every table and column of SQLite is moved, or said to stay', () => {
  const db = openDatabase(':memory:')
  const catalogue = columnsOf(db)
  expect(findUndescribed('sqlite', catalogue), ADVICE).toEqual([])
  expect(NOT_MOVED.sqlite.filter((name) => !catalogue.has(name))).toEqual([])
  db.exec('CREATE TABLE judgements (x INTEGER); ALTER TABLE grades ADD COLUMN mood TEXT; DROP TABLE aliases')
  expect(findUndescribed('sqlite', columnsOf(db))).toEqual([
    ...['grades.mood', 'judgements'],
    ...['aliases.raw_digest', 'aliases.key', 'aliases.metadata'],
  ])
})

test('a table comes after those that it refers to, and its key is of its columns', () => {
  const db = openDatabase(':memory:')
  const names = MOVED.map(({ name }) => name)
  for (const { name, columns, key } of MOVED) {
    expect(key.filter((column) => columns[column] === undefined)).toEqual([])
    for (const { table } of db.pragma(`foreign_key_list(${name})`) as { table: string }[])
      expect(names.indexOf(table), `${name} → ${table}`).toBeLessThan(names.indexOf(name))
  }
})

const TYPES: Readonly<Record<string, string>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  'double precision': 'real',
  bytea: 'bytes',
}

describePostgres('tables of PostgreSQL', (tools) => {
  test('each of them, and each column, is filled or said to stay, with its type and by its key', async () => {
    const { server, newSchema, open } = tools()
    const schema = newSchema()
    await (await open(schema)).close()
    const unit = openUnit(server.url, schema, SETTINGS)
    const catalogue = await readCatalogue(unit, schema)
    expect(findUndescribed('postgres', catalogue), ADVICE).toEqual([])
    expect(NOT_MOVED.postgres.filter((name) => !catalogue.has(name))).toEqual([])
    for (const { name, columns, key } of MOVED) {
      const types = await unit.rows<{ column: string; type: string }>(
        `SELECT attname::text AS column, format_type(atttypid, atttypmod)::text AS type FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
        [`"${schema}".${name}`],
      )
      expect(Object.fromEntries(types.map(({ column, type }) => [column, TYPES[type]])), name).toEqual(columns)
      const [primary] = await unit.rows<{ columns: string[] }>(
        `SELECT array_agg(attname::text ORDER BY place) AS columns FROM pg_index, unnest(indkey) WITH ORDINALITY AS part (number, place)
         JOIN pg_attribute ON attnum = part.number WHERE attrelid = $1::regclass AND indrelid = $1::regclass AND indisprimary`,
        [`"${schema}".${name}`],
      )
      expect(primary?.columns, name).toEqual(key)
    }
    await unit.close()
  })
})
