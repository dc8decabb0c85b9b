import { expect, test } from 'vitest'
import { startMockBatches } from '../mock-provider/batches.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { getResults, postBatch, postTo, waitForEnd, waitUntil } from './batch-client.ts'
import { answerText, callsOf, labelOf, makeTrials, roundOfBody, runOfBody } from './trials.ts'
import { createFleet, type WorkerProcess } from './worker-process.ts'

const RUNS = Array.from({ length: 40 }, (_, run) => run).filter((run) => labelOf(run) !== null)
const CALLS = RUNS.reduce((sum, run) => sum + callsOf(run), 0)
/** A holder is told by its id in the registry, and what helps to find it. */
const HOLDER = `SELECT pid FROM veridict.leases JOIN veridict.processes ON starts_with(holder, id)
  WHERE name LIKE 'provider:%' AND until > clock_timestamp()`

const configFor = (origin: string) => ({
  judges: {
    mock: {
      provider: 'openai',
      model: 'mock-1',
      base_url: `${origin}/v1`,
      effort: null,
      key_env: 'OPENAI_API_KEY',
    },
  },
  batches: { poll_seconds: 1 },
  workers: { lease_seconds: 2 },
})

describePostgres('a provider’s batch on workers', (tools) => {
  test('cancelled from a service that runs nothing: the provider is told', async () => {
    const mock = await startMockBatches({ answer: () => '{}', plan: () => ({ polls: 1000 }) })
    const fleet = createFleet(tools().server.url, configFor(mock.origin))
    const { origin } = await fleet.service()
    const worker = await fleet.worker()
    const { id } = await postBatch(origin, makeTrials(10, 'mock'), '?mode=provider')
    await waitUntil(origin, id, ({ counts }) => counts.running === 10)
    expect((await postTo(origin, `/v1/batches/${id}/cancel`)).status).toBe(202)
    expect(await waitUntil(origin, id, ({ status }) => status === 'cancelled', 45_000)).toMatchObject({
      counts: { cancelled: 10, running: 0, pending: 0 },
    })
    expect(mock.counts).toMatchObject({ submits: 1, requests_run: 0 })
    expect(await worker.stop()).toBe(0)
  }, 60_000)

  test('killed while the provider works: another fetches what it was sent, and sends nothing again', async () => {
    let isHeld = true
    const mock = await startMockBatches({
      answer(body) {
        const text = JSON.stringify(body)
        return answerText(runOfBody(text), roundOfBody(text))
      },
    })
    const fleet = createFleet(tools().server.url, configFor(mock.origin))
    const { origin } = await fleet.service()
    const workers = await Promise.all([fleet.worker(), fleet.worker()])
    const trials = makeTrials(40, 'mock').filter((_, run) => labelOf(run) !== null)
    const { id } = await postBatch(origin, trials, '?mode=provider')
    while (isHeld) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      isHeld = mock.counts.submits === 0
    }
    const killed = await killHolder(workers)
    expect(await waitForEnd(origin, id, 60_000)).toMatchObject({
      status: 'done',
      counts: { failed: 0 },
      calls: { made: CALLS, unknown: 0 },
    })
    expect((await getResults(origin, id)).map(({ label }) => label)).toEqual(RUNS.map(labelOf))
    expect(mock.counts).toMatchObject({ submits: 2, requests_run: CALLS, single_calls: 0 })
    const [other] = workers.filter((one) => one !== killed)
    expect(await other?.stop()).toBe(0)
  }, 90_000)

  async function killHolder(workers: readonly WorkerProcess[]): Promise<WorkerProcess> {
    const [row] = await tools().server.query(HOLDER)
    const holder = workers.find(({ child }) => child.pid === row?.['pid'])
    if (holder === undefined) throw new Error('no worker has the batch')
    await holder.kill()
    return holder
  }
})
