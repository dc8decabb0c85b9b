import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { loadMigrations } from '../../src/storage/sqlite/migrate.ts'
import { tempFolder } from '../e2e/service-process.ts'
import { ACTS, type Act, type FaultPlan, isOpenTo, type Point } from './fault-plan.ts'
import { bringTo, dump, makeOldDatabase } from './old-database.ts'
import { recordRow } from './record-row.ts'
import { choose } from './sweep.ts'
import { readPoints, victimEnv } from './victim.ts'

const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
const MOST = slow ? 1000 : 4
const NEWEST = loadMigrations().length
const AT_ONCE = 4

/** How a start of the service up to its open database ends; `plan` absent: without a fault. */
function open(database: string, plan?: FaultPlan): Promise<number | NodeJS.Signals | null> {
  const child = spawn(process.execPath, ['test/faults/open-database.ts', database], {
    env: { PATH: process.env['PATH'], ...(plan && victimEnv(plan)) },
    stdio: 'ignore',
  })
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
}

interface Migrating {
  readonly folder: string
  readonly old: string
  /** What the file may hold: after each migration, the first being what it held before. */
  readonly steps: readonly string[]
}

function prepare(version: number): Migrating {
  const folder = tempFolder()
  const old = join(folder, 'old.sqlite')
  makeOldDatabase(old, version)
  const steps = Array.from({ length: NEWEST - version + 1 }, (_, more) => {
    const file = join(folder, `step-${more}.sqlite`)
    copyFileSync(old, file)
    if (more > 0) bringTo(file, version + more)
    return dump(file)
  })
  return { folder, old, steps }
}

/** Opens a copy with the fault, then without: answers what is wrong. */
async function migrateAt({ folder, old, steps }: Migrating, act: Act, { n, phase, what }: Point): Promise<string[]> {
  const file = join(folder, `${act}-${n}.sqlite`)
  copyFileSync(old, file)
  const place = `${act} at ${n}, ${phase} ${what}`
  const ended = await open(file, { log: `${file}.log`, from: 'start', act, at: n })
  const expected = act === 'kill' ? 'SIGKILL' : 1
  const wrong = ended === expected ? [] : [`${place}: ended by ${ended}`]
  const between = dump(file)
  // Version 0: the table of the migrations itself comes before the first of them.
  if (!steps.includes(between) && !isEmpty(file)) wrong.push(`${place}: a part of a migration`)
  const again = await open(file)
  if (again !== 0) wrong.push(`${place}: the next start ended by ${again}`)
  if (dump(file) !== steps.at(-1)) wrong.push(`${place}: the end is another`)
  const db = new Database(file, { readonly: true })
  const integrity = [db.pragma('integrity_check', { simple: true }), db.pragma('foreign_key_check')]
  db.close()
  if (JSON.stringify(integrity) !== '["ok",[]]') wrong.push(`${place}: ${JSON.stringify(integrity)}`)
  return wrong
}

function isEmpty(file: string): boolean {
  const db = new Database(file, { readonly: true })
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  db.close()
  return tables.every((name) => name === 'schema_migrations')
}

describe.each(Array.from({ length: NEWEST }, (_, version) => version))('from version %i', (version) => {
  const acts = ACTS.filter((act) => act !== 'none' && (slow || act === 'kill'))
  test.each(acts)(
    '%s',
    async (act) => {
      const migrating = prepare(version)
      const calm = join(migrating.folder, 'calm.sqlite')
      copyFileSync(migrating.old, calm)
      expect(await open(calm, { log: `${calm}.log`, from: 'start', act: 'none', at: 0 })).toBe(0)
      expect(dump(calm)).toBe(migrating.steps.at(-1))
      const points = readPoints(`${calm}.log`).filter((point) => isOpenTo(act, point))
      const chosen = choose(points, MOST)
      const wrong: string[] = []
      const next = chosen.values()
      const work = async () => {
        for (const point of next) wrong.push(...(await migrateAt(migrating, act, point)))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      recordRow({
        operation: `migration from version ${version} to ${NEWEST}`,
        act,
        promise: 'each migration is there whole or not at all; the next start goes on; every row is kept',
        points: points.length,
        runs: chosen.length,
        met: chosen.length,
        wrong,
        unheard: 0,
      })
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
