import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createUnit } from '../../src/storage/sqlite/unit.ts'

function open() {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE t (x INTEGER PRIMARY KEY) STRICT')
  const insert = db.prepare('INSERT INTO t VALUES (?)')
  const unit = createUnit(db)
  const write = (x: number) =>
    unit.write(() => {
      insert.run(x)
      return x
    })
  const all = () => db.prepare('SELECT x FROM t ORDER BY x').pluck().all()
  return { db, unit, write, all }
}

test('a unit that fails takes none of its neighbours with it', async () => {
  const { write, all } = open()
  const results = await Promise.allSettled([write(1), write(2), write(1), write(3)])
  expect(results.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(all()).toEqual([1, 2, 3])
})

test('a unit that fails in the middle leaves nothing of itself', async () => {
  const { db, unit, write, all } = open()
  const half = unit.write(() => {
    db.exec('INSERT INTO t VALUES (7)')
    throw new Error('half way')
  })
  const results = await Promise.allSettled([write(1), half, write(2)])
  expect(results.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(all()).toEqual([1, 2])
})

test('an error that ends the whole transaction gives every other unit its own try', async () => {
  const { db, unit, write, all } = open()
  const fatal = unit.write(() => {
    db.exec('ROLLBACK')
    throw new Error('the transaction is gone')
  })
  const results = await Promise.allSettled([write(1), fatal, write(2)])
  expect(results.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(all()).toEqual([1, 2])
})

test('nothing is promised before it is committed', async () => {
  const { db, write } = open()
  const states: boolean[] = []
  await Promise.all([write(1), write(2)].map((one) => one.then(() => states.push(db.inTransaction))))
  expect(states).toEqual([false, false])
})
