import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmbedded } from '../../src/cli/client/embedded.ts'
import type { BatchItem } from '../../src/schemas/batch.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { getResults, postBatch, waitForEnd, waitUntil } from './batch-client.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { tempFolder } from './service-process.ts'
import { labelOf, makeTrials } from './trials.ts'
import { createFleet } from './worker-process.ts'

describePostgres('a command that grades in its own process, beside workers', (tools) => {
  test('runs its own batch, with judges that workers need not have, and nothing of theirs', async () => {
    const mock = await startMockCalls({ latency_ms: () => 20 })
    const others = await startMockCalls({ latency_ms: () => 20 })
    const fleet = createFleet(tools().server.url, { judges: { theirs: judgeAt(others.base_url, 4).mock } })
    const { origin } = await fleet.service()
    // Nobody works on it yet.
    const theirs = await postBatch(origin, makeTrials(20, 'theirs'))
    const file = join(tempFolder(), 'config.json')
    writeFileSync(file, JSON.stringify({ judges: { ours: judgeAt(mock.base_url, 4).mock } }))
    const embedded = await startEmbedded({
      VERIDICT_DATABASE_URL: tools().server.url,
      VERIDICT_CONFIG: file,
      OPENAI_API_KEY: 'k',
    })
    async function* items() {
      for (const item of makeTrials(60, 'ours')) yield { item: item as BatchItem, trajectory: null }
    }
    const { id } = await embedded.client.createBatch({}, items(), new AbortController().signal)
    const worker = await fleet.worker()
    expect(await waitForEnd(origin, id)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    expect((await getResults(origin, id)).map(({ label }) => label)).toEqual(
      Array.from({ length: 60 }, (_, run) => labelOf(run)),
    )
    await embedded.close()
    expect(await waitUntil(origin, theirs.id, ({ status }) => status !== 'running')).toMatchObject({ status: 'done' })
    expect(new Set(mock.calls.map(({ run }) => run)).size).toBe(60)
    expect(new Set(others.calls.map(({ run }) => run)).size).toBe(20)
    expect(await worker.stop()).toBe(0)
  }, 90_000)
})
