import { expect, onTestFinished, test } from 'vitest'
import type { Sql, Work } from '../../src/db/db.ts'
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

const insert = (unit: Sql, xs: readonly number[]) =>
  Promise.all(xs.map((x) => unit.query(`INSERT INTO t VALUES (${x})`)))
const FAILING: readonly (readonly [string, Work<unknown>])[] = [
  ['repeats its neighbour', (unit) => insert(unit, [1])],
  ['fails in the middle', (unit) => insert(unit, [7]).then(() => Promise.reject(new Error('half way')))],
  ['fails at one of several statements', (unit) => insert(unit, [7, 7, 8])],
]
test.each(FAILING)('a unit that %s leaves nothing of itself, and takes no neighbour with it', async (_what, fails) => {
  const { db, write, all } = await open()
  expect(await endsOf([write(1), db.write(fails), write(2)])).toEqual(['fulfilled', 'rejected', 'fulfilled'])
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

test('nothing is promised before it is committed', async () => {
  const { write, all } = await open()
  const seen: number[][] = []
  await Promise.all([1, 2].map((x) => write(x).then(async () => seen.push(await all()))))
  expect(seen.map(String)).toEqual(['1,2', '1,2'])
})
