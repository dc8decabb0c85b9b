import { expect, test } from 'vitest'
import { runCampaign } from '../../tools/fuzz-http/campaign.ts'
import { listen } from '../http/raw-http.ts'
import { startApp } from '../start-app.ts'

/** `npm run fuzz:http` does the same with as many requests as one likes. */
test('every operation keeps its contract, whatever it is sent', { timeout: 120_000 }, async () => {
  const app = await startApp()
  try {
    const report = await runCampaign(await listen(app), { runs: 1500, seed: 20_261_127 })
    const told = report.findings.map(({ operation, fault, sent }) => ({
      operation,
      fault,
      ...sent,
      body: `${sent.body}`,
    }))
    expect(told).toEqual([])
    expect(report.runs).toBe(1500)
    expect(app.logs.join('')).not.toContain('unexpected error')
    // A campaign in which nothing succeeds tests only refusals.
    const never = [...report.counts].filter(([, own]) => ![...own.keys()].some((what) => / 20\d$/.test(what)))
    // A batch of the lexical judge has mostly ended before it can be told anything, and nobody has a key here.
    const refused = ['cancelBatch', 'resumeBatch', 'openSession']
    expect(never.map(([operation]) => operation).filter((one) => !refused.includes(one))).toEqual([])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  } finally {
    await app.stop()
  }
})
