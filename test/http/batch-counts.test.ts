import fc from 'fast-check'
import { test } from 'vitest'
import { startApp } from '../start-app.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { type Deed, deeds, expectOwnCounts, makeJudges } from './batch-counts.ts'

const NAME = 'every trial of a batch has one end, and every count of the batch says so, before and after other batches'

const holds = (start: () => ReturnType<typeof makeApp>, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(deeds, async (all: Deed[]) => {
      const { app, gate } = await start()
      await expectOwnCounts(app, gate, all).finally(() => app.stop())
    }),
    { numRuns },
  )

async function makeApp(env: NodeJS.ProcessEnv = {}) {
  const { judges, gate } = makeJudges()
  const app = await startApp({ env, judges, config: { concurrency: { initial: 2, min: 1, max: 2 } } })
  await app.context.start()
  return { app, gate }
}

test(NAME, () => holds(makeApp, 8), 120_000)

describePostgres('on PostgreSQL', (tools) => {
  let databases = 0
  const start = async () => {
    databases += 1
    await tools().server.query(`CREATE DATABASE counts_${databases}`)
    return makeApp({ VERIDICT_DATABASE_URL: tools().server.url.replace(/[^/]+$/, `counts_${databases}`) })
  }
  test(NAME, () => holds(start, 3), 120_000)
})
