import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { MockBatches } from '../mock-provider/batch-book.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import { type Ledger, readLedger } from './ledger.ts'
import { batchJudgeAt } from './mock-calls.ts'
import { type Exchange, type Phase, startProxy } from './provider-proxy.ts'
import { sleep, userOf } from './scene.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { answerBatchRequest, callsOf, labelOf, makeTrials } from './trials.ts'

/** Provider batches whose service is killed in the middle of an exchange: no second submit, no lost result. */

const PROVIDERS = ['openai', 'anthropic'] as const
type Provider = (typeof PROVIDERS)[number]

interface Point {
  readonly phase: Phase
  readonly isHere: (exchange: Exchange) => boolean
}

interface Ended {
  readonly batch: Batch
  readonly results: readonly BatchResult[]
  readonly ledger: Ledger
  /** What the file held when the service was killed. */
  readonly ledger_at_kill: Ledger
  readonly mock: MockBatches
}

const RUNS = Array.from({ length: 20 }, (_, run) => run).filter((run) => labelOf(run) !== null)
const MANY = Array.from({ length: 540 }, (_, run) => run).filter((run) => labelOf(run) !== null)
const callsFor = (runs: readonly number[]) => runs.reduce((sum, run) => sum + callsOf(run), 0)

/** Runs a batch through the provider and kills the service at the point, once, and not before it has stored `kept` replies. */
async function run(provider: Provider, runs: readonly number[], point: Point, kept = 0): Promise<Ended> {
  const mock = await startMockBatches({ answer: answerBatchRequest })
  const database = join(tempFolder(), 'veridict.sqlite')
  const died = Promise.withResolvers<void>()
  let armed = true
  const proxy = await startProxy(mock.origin, async (exchange, phase) => {
    if (!armed || point.phase !== phase || !point.isHere(exchange)) return
    armed = false
    if (phase === 'half') await sleep(400)
    await vi.waitFor(() => expect(readLedger(database).outcomes['ok'] ?? 0).toBeGreaterThanOrEqual(kept), 60_000)
    await service.kill()
    died.resolve()
  })
  const config = batchJudgeAt(provider, proxy.origin)
  let service = spawnService({ database, config })
  const trials = makeTrials(Math.max(...runs) + 1, 'mock').filter((_, at) => runs.includes(at))
  const { id } = await userOf(await service.ready).post(trials, '?mode=provider')
  await died.promise
  const ledger_at_kill = readLedger(database)
  service = spawnService({ database, config })
  const user = userOf(await service.ready)
  const [batch, results] = [await user.end(id), await user.results(id)]
  expect(await service.stop()).toBe(0)
  return { batch, results, ledger: readLedger(database), ledger_at_kill, mock }
}

function expectWhole(ended: Ended, runs: readonly number[], name: string, submits = [2]): void {
  const { batch, results, ledger, mock } = ended
  const calls = callsFor(runs)
  expect(batch.status, `${name}: ${batch.parked_reason}`).toBe('done')
  expect(
    results.map((one) => one.label),
    name,
  ).toEqual(runs.map(labelOf))
  // Every question, and every repair of one, was sent once and answered once.
  expect(mock.counts, name).toMatchObject({ requests_run: calls, single_calls: 0 })
  expect(submits, name).toContain(mock.counts.submits)
  expect(batch.calls, name).toEqual({ made: calls, unknown: 0 })
  expect(ledger, name).toMatchObject({ outcomes: { ok: calls }, calls, grades: runs.length })
  expect(ledger, name).toMatchObject({ graded_twice: 0, paid_twice: 0 })
}

const isSubmit = ({ method, path }: Exchange) => method === 'POST' && path.endsWith('/batches')
const isDownload = ({ path }: Exchange) => path.endsWith('/content') || path.endsWith('/results')
const isPoll = ({ method, path }: Exchange) => method === 'GET' && /\/batches\/[^/]+$/.test(path)
const isUpload = ({ path }: Exchange) => path === '/v1/files'

/** Points of every provider, which differ in how a submission is sent, found and read. */
const SUBMITTING: Readonly<Record<string, Point>> = {
  'before the submit is there': { phase: 'before', isHere: isSubmit },
  'between submit and record': { phase: 'after', isHere: isSubmit },
  'in the answer to the submit': { phase: 'half', isHere: isSubmit },
  'in the download': { phase: 'half', isHere: isDownload },
}
/** Points that pass through the same lines for both providers. */
const OTHERS: Readonly<Record<string, Point>> = {
  'between upload and submit': { phase: 'after', isHere: isUpload },
  'while it is asked after': { phase: 'after', isHere: isPoll },
  'before the download': { phase: 'before', isHere: isDownload },
}

/** Kills a service at each point. A start takes a core for a second: of seven services at once, none listens for ten. */
async function killAt(provider: Provider, points: Readonly<Record<string, Point>>): Promise<void> {
  for (const left = Object.entries(points); left.length > 0; )
    await Promise.all(
      left
        .splice(0, 4)
        .map(async ([name, point]) => expectWhole(await run(provider, RUNS, point), RUNS, `${provider}, ${name}`)),
    )
}

describe.each(PROVIDERS)('%s', (provider) => {
  test('killed at a point of the first round', () => killAt(provider, SUBMITTING))

  test('killed in a long download: what was read is kept, and the rest is read', async () => {
    const ended = await run(provider, MANY, { phase: 'half', isHere: isDownload }, 200)
    // The rest is read before a repair goes, so that the repairs go together; a machine that stands still sends them in two submissions.
    expectWhole(ended, MANY, provider, [2, 3])
    expect(ended.ledger_at_kill.outcomes['ok']).toBeLessThan(MANY.length)
  })
})

test('killed at a point that is the same for both providers', () => killAt('openai', OTHERS))
