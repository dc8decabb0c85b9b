import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempFolder } from '../e2e/service-process.ts'
import { makeTrials } from '../e2e/trials.ts'
import { toLines } from '../http/make-batch.ts'
import { runNode } from '../run-to-end.ts'
import { generateStore } from '../storage/generated-store.ts'
import { recordsOf, transfer } from '../storage/transfer-tools.ts'
import { ACTS, type Act, type FaultPlan, isOpenTo, type Point } from './fault-plan.ts'
import { findBroken, findLost, readKept } from './stored-state.ts'
import { choose, recordRow } from './sweep.ts'
import { readPoints, victimEnv } from './victim.ts'

const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
const MOST = Number(process.env['VERIDICT_FAULT_MOST'] ?? (slow ? 24 : 3))
const TRIALS = 6

interface Place {
  readonly folder: string
  readonly database: string
  readonly args: readonly string[]
}

interface Import {
  readonly name: string
  readonly promise: string
  /** Makes a folder with the input and an empty database. */
  makePlace(): Promise<Place>
  /** Checks a place after the last, undisturbed import. */
  verify(place: Place): Promise<readonly string[]>
}

async function makePlace(args: (folder: string) => readonly string[]): Promise<Place> {
  const folder = tempFolder()
  mkdirSync(join(folder, 'tmp'))
  const database = join(folder, 'v.sqlite')
  await openSqliteStores({ path: database }).close()
  return { folder, database, args: args(folder) }
}

const outOf = ({ folder }: Place): string | null => {
  const out = join(folder, 'out.ndjson')
  return existsSync(out) ? readFileSync(out, 'utf8') : null
}

/** The import of an archive of trials; `whole` is the output of an undisturbed run. */
const ofTrials = (whole: () => string | null): Import => ({
  name: 'veridict import',
  promise:
    'the output has its name only when it is whole; nothing is left in the temporary folder; again, it is the same',
  makePlace: () =>
    makePlace((folder) => {
      writeFileSync(join(folder, 'trials.ndjson'), toLines(makeTrials(TRIALS, 'lexical')))
      const archive = join(folder, 'trials.tgz')
      execFileSync('tar', ['czf', archive, '-C', folder, 'trials.ndjson'])
      return [archive, '--out', join(folder, 'out.ndjson'), '--force']
    }),
  async verify(place) {
    const left = readdirSync(join(place.folder, 'tmp')).filter((name) => name.startsWith('veridict-'))
    const trajectories = readKept(place.database).trajectories.size
    return [
      ...(outOf(place) === whole() ? [] : ['the output is another']),
      ...(trajectories === TRIALS ? [] : [`${trajectories} trajectories`]),
      ...left.map((name) => `left behind: ${name}`),
    ]
  },
})

/** The import of an export; each group of its records is one transaction. */
async function ofExport(): Promise<Import> {
  const from = join(tempFolder(), 'from.sqlite')
  await generateStore(from, { grades: 150 })
  const file = join(dirname(from), 'store.ndjson')
  await transfer({ VERIDICT_DATABASE: from }, 'export', '--out', file)
  const records = await recordsOf({ VERIDICT_DATABASE: from })
  return {
    name: 'veridict import of an export',
    promise: 'a stored grade has its calls and its trajectory; again, every record is there',
    makePlace: () => makePlace(() => [file]),
    async verify({ database }) {
      const stored = await recordsOf({ VERIDICT_DATABASE: database })
      return JSON.stringify(stored) === JSON.stringify(records) ? [] : ['the records are others']
    },
  }
}

/** Runs `veridict import` as a process of its own. */
const runImport = ({ folder, database, args }: Place, plan?: FaultPlan) =>
  runNode(['src/cli.ts', 'import', ...args], {
    ...{ TMPDIR: join(folder, 'tmp'), VERIDICT_DATABASE: database },
    ...(plan && victimEnv(plan)),
  })

const planOf = ({ folder }: Place, act: Act, at: number): FaultPlan => ({
  ...{ log: join(folder, 'points.log'), from: 'start', act, at },
})

/** Runs an import with the fault and an import without. Returns the broken promises. */
async function importAt(
  imported: Import,
  whole: string | null,
  act: Act,
  { n, phase, what }: Point,
): Promise<string[]> {
  const place = await imported.makePlace()
  const { code: end, err: text } = await runImport(place, planOf(place, act, n))
  const wrong: string[] = []
  const between = outOf(place)
  if (between !== null && between !== whole) wrong.push('a part of the output under its name')
  if (end === 0 && between !== whole) wrong.push('it ended well and wrote nothing')
  if (act !== 'kill' && (end === null || /\n {4}at /.test(text)))
    wrong.push(`it broke: ${end ?? 'by a signal'} ${text}`)
  const kept = readKept(place.database)
  wrong.push(...findBroken(place.database))
  const again = await runImport(place)
  if (again.code !== 0) wrong.push(`again: ${again.code} ${again.err}`)
  wrong.push(...(await imported.verify(place)), ...findBroken(place.database))
  wrong.push(...findLost(kept, readKept(place.database)))
  return wrong.map((fault) => `${act} at ${n}, ${phase} ${what}: ${fault}`)
}

async function sweepImport(imported: Import, calm: Place, act: Act): Promise<void> {
  expect((await runImport(calm, planOf(calm, 'none', 0))).code).toBe(0)
  const points = readPoints(join(calm.folder, 'points.log')).filter((point) => isOpenTo(act, point))
  const chosen = choose(points, MOST)
  expect(chosen.length).toBeGreaterThan(0)
  const wrong: string[] = []
  const next = chosen.values()
  const work = async () => {
    for (const point of next) wrong.push(...(await importAt(imported, outOf(calm), act, point)))
  }
  await Promise.all(Array.from({ length: 4 }, work))
  const { name, promise } = imported
  const runs = chosen.length
  recordRow({ operation: name, act, promise, points: points.length, runs, met: runs, wrong })
  expect(wrong).toEqual([])
}

const only = process.env['VERIDICT_FAULT_ONLY']
const acts = ACTS.filter((act) => act !== 'none' && (slow || act === 'kill'))
describe.skipIf(only !== undefined && !'import'.includes(only))('veridict import', () => {
  test.each(acts)(
    'of trials: %s',
    async (act) => {
      let whole: string | null = null
      const imported = ofTrials(() => whole)
      const calm = await imported.makePlace()
      await runImport(calm)
      whole = outOf(calm)
      expect(whole?.split('\n').length).toBe(TRIALS + 1)
      await sweepImport(imported, await imported.makePlace(), act)
    },
    300_000,
  )

  test.each(acts)(
    'of an export: %s',
    async (act) => {
      const imported = await ofExport()
      await sweepImport(imported, await imported.makePlace(), act)
    },
    300_000,
  )
})
