import { expect, test } from 'vitest'
import { startMockBatches } from '../mock-provider/batches.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { getResults, postBatch, postTo, waitForEnd, waitUntil } from './batch-client.ts'
import { answerText, callsOf, labelOf, makeTrials, roundOfBody, runOfBody } from './trials.ts'
import { createFleet } from './worker-process.ts'

const RUNS = Array.from({ length: 40 }, (_, run) => run).filter((run) => labelOf(run) !== null)
const CALLS = RUNS.reduce((sum, run) => sum + callsOf(run), 0)
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
})

describePostgres('a provider’s batch on workers', (tools) => {
  test('cancelled from a service that runs nothing: the provider is told', async () => {
    const mock = await startMockBatches({ answer: () => '{}', plan: () => ({ polls: 1000 }) })
    const fleet = createFleet(tools().server.url, configFor(mock.origin))
    const { origin } = await fleet.service()
    const worker = await fleet.worker()
    const { id } = await postBatch(origin, makeTrials(10, 'mock'), '?mode=provider')
    await waitUntil(origin, id, ({ counts }) => counts.running === 10)
    // The questions wait for their provider before they are sent.
    await expect.poll(() => mock.counts.submits, { timeout: 20_000 }).toBe(1)
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
    // Whichever worker sent the submission: the other goes on.
    const [killed, other] = workers
    await killed.kill()
    expect(await waitForEnd(origin, id, 60_000)).toMatchObject({
      status: 'done',
      counts: { failed: 0 },
      calls: { made: CALLS, unknown: 0 },
    })
    expect((await getResults(origin, id)).map(({ label }) => label)).toEqual(RUNS.map(labelOf))
    expect(mock.counts).toMatchObject({ submits: 2, requests_run: CALLS, single_calls: 0 })
    expect(await other.stop()).toBe(0)
  }, 90_000)
})
