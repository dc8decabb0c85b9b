import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLocal } from '../../src/cli/database.ts'
import type { BatchItem } from '../../src/schemas/batch.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { getBatch, getResults, waitForEnd } from './batch-client.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { tempFolder } from './service-process.ts'
import { labelsOf, makeTrials } from './trials.ts'
import { createFleet } from './worker-process.ts'

describePostgres('a command beside workers', (tools) => {
  test('stores its batch, which workers run with their judges; a judge that only the command has waits', async () => {
    const mock = await startMockCalls({ latency_ms: () => 20 })
    const config = { judges: { theirs: judgeAt(mock.base_url, 4).mock } }
    const fleet = createFleet(tools().server.url, config)
    const { origin } = await fleet.service()
    const file = join(tempFolder(), 'config.json')
    writeFileSync(file, JSON.stringify({ judges: { ...config.judges, ours: judgeAt(mock.base_url, 4).mock } }))
    const embedded = await openLocal({
      VERIDICT_DATABASE_URL: tools().server.url,
      VERIDICT_CONFIG: file,
      OPENAI_API_KEY: 'k',
    })
    const store = async (count: number, judge: string) => {
      async function* items() {
        for (const item of makeTrials(count, judge)) yield { item: item as BatchItem, trajectory: null }
      }
      return (await embedded.createBatch(items())).id
    }
    const theirs = await store(20, 'theirs')
    const ours = await store(2, 'ours')
    const worker = await fleet.worker()
    expect(await waitForEnd(origin, theirs)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    expect((await getResults(origin, theirs)).map(({ label }) => label)).toEqual(labelsOf(20))
    await embedded.close()
    // The batch of the command’s own judge is not lost: it waits for a worker that has the judge.
    expect(await getBatch(origin, ours)).toMatchObject({
      ...{ status: 'running', parked_reason: 'waiting: no worker for ours', calls: { made: 0 } },
    })
    expect(await worker.stop()).toBe(0)
  }, 90_000)
})
