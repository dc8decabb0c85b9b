import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeAt, startMockCalls } from '../e2e/mock-calls.ts'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import { callsOfAll, labelsOf, makeTrials } from '../e2e/trials.ts'
import { findBatch, ITEMS, sendBatch } from './batch-operations.ts'
import type { Point } from './fault-plan.ts'
import { findBroken, findLost, readKept } from './stored-state.ts'
import { choose, recordRow } from './sweep.ts'
import { post, readEnded } from './user.ts'
import { readPoints, spawnVictim } from './victim.ts'

/** Two services on one file: the runner of batches is killed at a point of a batch while the other grades for others, and takes over. */

const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
const MOST = Number(process.env['VERIDICT_FAULT_MOST'] ?? 16)
if (!slow) process.stdout.write('faults: two services on one file are left out: set VERIDICT_SLOW_TESTS=1\n')
const AT_ONCE = 8
const CONCURRENCY = 2
/** Single grades at the other service meanwhile: runs that are not in the batch, of one call each. */
const OTHERS = [12, 13, 14]

interface Ended {
  readonly points: readonly Point[]
  readonly wrong: readonly string[]
}

async function killAt(at: number): Promise<Ended> {
  const mock = await startMockCalls({ latency_ms: () => 20 })
  const folder = tempFolder()
  const database = join(folder, 'veridict.sqlite')
  const settings = { database, config: { judges: judgeAt(mock.base_url, CONCURRENCY) } }
  const log = join(folder, 'points.log')
  const victim = spawnVictim(settings, { log, from: 'listening', act: at === 0 ? 'none' : 'kill', at })
  // The first service holds the run lock.
  await victim.ready.catch(() => null)
  const other = spawnService(settings)
  const origin = await other.ready
  const meanwhile = (async () => {
    const trials = makeTrials(Math.max(...OTHERS) + 1, 'mock')
    for (const run of OTHERS) {
      const { item_id: _, ...trial } = trials[run] as { item_id: string }
      await post(origin, '/v1/grades', trial)
    }
  })()
  const acknowledged = await victim.ready.then((target) => sendBatch(target)).catch(() => null)
  await meanwhile
  if (at !== 0) await victim.exited
  const kept = at === 0 ? null : readKept(database)
  const id = acknowledged ?? (await findBatch(origin, 'k'))?.id ?? (await sendBatch(origin))
  const { batch, results } = await readEnded(origin, id)
  if (at === 0) await victim.stop()
  const wrong: string[] = []
  if (batch.status !== 'done') wrong.push(`the batch is ${batch.status}`)
  const labels = results.map((one) => one.label)
  if (JSON.stringify(labels) !== JSON.stringify(labelsOf(ITEMS))) wrong.push(`the labels are ${labels.join(', ')}`)
  if ((await other.stop()) !== 0) wrong.push('the other ended badly')
  wrong.push(...findBroken(database))
  if (kept !== null) wrong.push(...findLost(kept, readKept(database)))
  const unheard = mock.calls.length - callsOfAll(ITEMS) - OTHERS.length
  if (unheard < 0 || unheard > (at === 0 ? 0 : CONCURRENCY)) wrong.push(`${unheard} calls more than were needed`)
  const points = readPoints(log)
  const { phase, kind, what } = points.find((point) => point.n === at) ?? { phase: '', kind: '', what: 'not met' }
  return { points, wrong: wrong.map((one) => `kill at ${at}, ${phase} ${kind} ${what}: ${one}`) }
}

test.skipIf(!slow)(
  'killed at a point of its batch: the other takes over, and loses nothing of its own',
  async () => {
    const calm = await killAt(0)
    expect(calm.wrong).toEqual([])
    const chosen = choose(calm.points, MOST)
    const wrong: string[] = []
    const next = chosen.values()
    const work = async () => {
      for (const { n } of next) wrong.push(...(await killAt(n)).wrong)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    recordRow({
      operation: 'two services on one file, the runner of batches is hit',
      act: 'kill',
      promise: 'the other takes over within a beat; its own grades go on; no reply is lost or bought again',
      points: calm.points.length,
      runs: chosen.length,
      met: chosen.length,
      wrong,
    })
    expect(wrong).toEqual([])
  },
  300_000,
)
