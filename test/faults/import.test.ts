import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../e2e/service-process.ts'
import { makeTrials } from '../e2e/trials.ts'
import { toLines } from '../http/make-batch.ts'
import { ACTS, type Act, type FaultPlan, isOpenTo, type Point } from './fault-plan.ts'
import { recordRow } from './record-row.ts'
import { findBroken, findLost, readKept } from './stored-state.ts'
import { choose } from './sweep.ts'
import { readPoints, victimEnv } from './victim.ts'

const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
const MOST = Number(process.env['VERIDICT_FAULT_MOST'] ?? (slow ? 1000 : 3))
const TRIALS = 6

interface Place {
  readonly folder: string
  readonly archive: string
  readonly database: string
  readonly out: string
}

/** `veridict import` of an archive, as a process of its own. */
function runImport({ folder, archive, database, out }: Place, plan?: FaultPlan) {
  const child = spawn(process.execPath, ['src/cli.ts', 'import', archive, '--out', out], {
    env: {
      PATH: process.env['PATH'],
      TMPDIR: join(folder, 'tmp'),
      VERIDICT_DATABASE: database,
      ...(plan && victimEnv(plan)),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return new Promise<{ end: number | NodeJS.Signals | null; text: string }>((resolve) =>
    child.once('close', (code, signal) => resolve({ end: code ?? signal, text })),
  )
}

function makePlace(): Place {
  const folder = tempFolder()
  mkdirSync(join(folder, 'tmp'))
  writeFileSync(join(folder, 'trials.ndjson'), toLines(makeTrials(TRIALS, 'lexical')))
  const archive = join(folder, 'trials.tgz')
  execFileSync('tar', ['czf', archive, '-C', folder, 'trials.ndjson'])
  return { folder, archive, database: join(folder, 'v.sqlite'), out: join(folder, 'out.ndjson') }
}

const left = ({ folder }: Place): string[] => readdirSync(join(folder, 'tmp')).filter((name) => /^veridict-/.test(name))
const outOf = ({ out }: Place): string | null => (existsSync(out) ? readFileSync(out, 'utf8') : null)

/** A run with the fault and one without: answers what is wrong. */
async function importAt(whole: string, act: Act, { n, phase, what }: Point): Promise<string[]> {
  const place = makePlace()
  const { end, text } = await runImport(place, { log: `${place.out}.log`, from: 'listening', act, at: n })
  const wrong: string[] = []
  const between = outOf(place)
  // Whatever is there under the name is the whole; and a command that says it has ended well has written it.
  if (between !== null && between !== whole) wrong.push('a part of the output under its name')
  if (end === 0 && between === null) wrong.push('it ended well and wrote nothing')
  if (act !== 'kill' && (typeof end !== 'number' || /\n {4}at /.test(text))) wrong.push(`it broke: ${end} ${text}`)
  const kept = readKept(place.database)
  const again = await runImport(place)
  if (again.end !== 0) wrong.push(`again: ${again.end} ${again.text}`)
  if (outOf(place) !== whole) wrong.push('the output is another')
  const after = readKept(place.database)
  if (after.trajectories.size !== TRIALS) wrong.push(`${after.trajectories.size} trajectories`)
  if (left(place).length > 0) wrong.push(`left behind: ${left(place).join(', ')}`)
  wrong.push(...findBroken(place.database), ...findLost(kept, after))
  return wrong.map((one) => `${act} at ${n}, ${phase} ${what}: ${one}`)
}

const only = process.env['VERIDICT_FAULT_ONLY']
describe.skipIf(only !== undefined && !'import'.includes(only))('veridict import', () => {
  test.each(ACTS.filter((act) => act !== 'none' && (slow || act === 'kill')))(
    '%s',
    async (act) => {
      const calm = makePlace()
      const { end } = await runImport(calm, { log: `${calm.out}.log`, from: 'listening', act: 'none', at: 0 })
      expect([end, outOf(calm)?.split('\n').length]).toEqual([0, TRIALS + 1])
      const points = readPoints(`${calm.out}.log`).filter((point) => isOpenTo(act, point))
      const chosen = choose(points, MOST)
      const wrong: string[] = []
      const next = chosen.values()
      const work = async () => {
        for (const point of next) wrong.push(...(await importAt(outOf(calm) ?? '', act, point)))
      }
      await Promise.all(Array.from({ length: 4 }, work))
      recordRow({
        operation: 'veridict import',
        act,
        promise:
          'the output has its name only when it is whole; nothing is left in the temporary folder; again, it is the same',
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
