import { expect, onTestFinished, test } from 'vitest'
import type { Work } from '../../src/db/db.ts'
import { openSqlite } from '../../src/db/open/sqlite.ts'
import { tempDatabase } from './temp-folder.ts'

async function open() {
  const db = openSqlite(tempDatabase())
  onTestFinished(() => db.close())
  const run = (text: string) => db.write((unit) => unit.query(text))
  await run('CREATE TABLE t (x INTEGER PRIMARY KEY) STRICT')
  const write = (x: number) => run(`INSERT INTO t VALUES (${x})`)
  const all = async () => (await db.read.query<{ x: number }>('SELECT x FROM t ORDER BY x')).rows.map(({ x }) => x)
  return { db, write, all }
}

const endsOf = async (units: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(units)).map(({ status }) => status)

test('a unit that fails takes none of its neighbours with it', async () => {
  const { write, all } = await open()
  expect(await endsOf([write(1), write(2), write(1), write(3)])).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  ])
  expect(await all()).toEqual([1, 2, 3])
})

test('a unit that fails in the middle leaves nothing of itself', async () => {
  const { db, write, all } = await open()
  const half = db.write(async (unit) => {
    await unit.query('INSERT INTO t VALUES (7)')
    throw new Error('half way')
  })
  expect(await endsOf([write(1), half, write(2)])).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await all()).toEqual([1, 2])
})

const FATAL: readonly (readonly [string, Work<void>])[] = [
  ['an error', (unit) => unit.query('ROLLBACK').then(() => Promise.reject(new Error('the transaction is gone')))],
  [
    'one of several statements',
    async (unit) => void (await Promise.all(['ROLLBACK', 'INSERT INTO t VALUES (7)'].map((sql) => unit.query(sql)))),
  ],
]
test.each(FATAL)('%s that ends the whole transaction fails its neighbours too', async (_what, fatal) => {
  const { db, write, all } = await open()
  expect(await endsOf([write(1), db.write(fatal), write(2)])).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await all()).toEqual([])
  expect(await endsOf([write(1), write(2)])).toEqual(['fulfilled', 'fulfilled'])
})

test('a unit of which one of several statements fails leaves nothing of itself', async () => {
  const { db, write, all } = await open()
  const half = db.write((unit) => Promise.all([7, 7, 8].map((x) => unit.query(`INSERT INTO t VALUES (${x})`))))
  expect(await endsOf([write(1), half, write(2)])).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await all()).toEqual([1, 2])
})

test('nothing is promised before it is committed', async () => {
  const { write, all } = await open()
  const seen: number[][] = []
  await Promise.all([1, 2].map((x) => write(x).then(async () => seen.push(await all()))))
  expect(seen).toEqual([
    [1, 2],
    [1, 2],
  ])
})
