import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { tempFolder } from '../temp-folder.ts'

async function makeProjects() {
  const folder = tempFolder()
  mkdirSync(join(folder, 'projects'))
  const [main, teamA] = [join(folder, 'veridict.sqlite'), join(folder, 'projects', 'team-a.sqlite')]
  await openSqliteStores({ path: main, project: 'default' }).close()
  await openSqliteStores({ path: teamA, project: 'team-a' }).close()
  return { main, teamA }
}

function use<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const projectOf = (path: string) =>
  use(path, (db) => db.prepare("SELECT CAST(value AS TEXT) FROM settings WHERE name = 'project'").pluck().get())

test('a database of one project is not opened as the database of another', async () => {
  const { main, teamA } = await makeProjects()
  expect([projectOf(main), projectOf(teamA)]).toEqual(['default', 'team-a'])
  expect(() => openSqliteStores({ path: teamA, project: 'default' })).toThrow(
    /team-a\.sqlite is the database of project team-a, and is opened as the main database/,
  )
  expect(() => openSqliteStores({ path: main, project: 'team-a' })).toThrow(
    /of project default.*as that of project team-a/,
  )
  expect([projectOf(main), projectOf(teamA)]).toEqual(['default', 'team-a'])
})

test('a database of an earlier version takes the project of its next opening, unless its place names another', async () => {
  const { main, teamA } = await makeProjects()
  for (const path of [main, teamA]) use(path, (db) => db.exec("DELETE FROM settings WHERE name = 'project'"))
  await openSqliteStores({ path: teamA, project: 'default' }).close()
  expect(projectOf(teamA)).toBeUndefined()
  await openSqliteStores({ path: teamA, project: 'team-a' }).close()
  await openSqliteStores({ path: main, project: 'default' }).close()
  expect([projectOf(main), projectOf(teamA)]).toEqual(['default', 'team-a'])
})
