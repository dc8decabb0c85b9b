import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../e2e/service-process.ts'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { runNode } from '../run-to-end.ts'
import { isInstalled } from './platform.ts'
import { startJudges } from './real-results.ts'

/** `failureReason` of promptfoo: 0 none, 1 a failed assertion, 2 an error. */
interface Row {
  readonly success: boolean
  readonly score: number
  readonly failureReason: 0 | 1 | 2
  readonly error: string | null
  readonly namedScores: Record<string, number>
}

interface Evaluation {
  readonly results: {
    readonly stats: { readonly successes: number; readonly failures: number; readonly errors: number }
    readonly results: readonly Row[]
  }
}

const PROMPTFOO = resolve('integrations/promptfoo/node_modules/promptfoo/dist/src/main.js')

/** `promptfoo eval` of that file, with a service on loopback and nothing else to talk to. */
async function evaluate(config: string, server: string): Promise<Evaluation> {
  const folder = tempFolder()
  const output = join(folder, 'out.json')
  const env = {
    HOME: folder,
    PROMPTFOO_CONFIG_DIR: folder,
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
    VERIDICT_SERVER: server,
  }
  const ran = await runNode([PROMPTFOO, 'eval', '-c', config, '--no-cache', '--no-table', '-o', output], env)
  expect(ran.out + ran.err).toContain('Eval complete')
  return JSON.parse(readFileSync(output, 'utf8')) as Evaluation
}

/** One row a judge, in this order; the output is the trajectory itself. */
function writeConfig(judges: readonly string[], assertion: object): string {
  const folder = tempFolder()
  writeFileSync(
    join(folder, 'provider.mjs'),
    `export default class { id = () => 'run'; callApi = async () => ({ output: ${JSON.stringify(JSON.stringify(TRAJECTORY))} }) }`,
  )
  const file = join(folder, 'promptfooconfig.json')
  const tests = judges.map((judge) => ({
    vars: { ground_truth: GROUND_TRUTH, judge },
    assert: [
      {
        type: 'javascript',
        value: `file://${resolve('integrations/promptfoo/veridict-assert.mjs')}`,
        ...assertion,
        config: { labels: { aligned: 'pass' }, judge, ...(assertion as { config?: object }).config },
      },
    ],
  }))
  writeFileSync(file, JSON.stringify({ prompts: ['{{ judge }}'], providers: ['file://provider.mjs'], tests }))
  return file
}

describe.skipIf(!isInstalled('promptfoo'))('promptfoo itself', () => {
  test('counts a failed judge and what is unverified as errors, apart from passes and fails', async () => {
    const config = writeConfig(['good', 'unproved', 'broken'], {})
    const { stats, results } = (await evaluate(config, await startJudges())).results
    expect(stats).toMatchObject({ successes: 1, failures: 0, errors: 2 })
    expect(results.map(({ success, failureReason }) => [success, failureReason])).toEqual([
      [true, 0],
      [false, 2],
      [false, 2],
    ])
    expect(results[0]).toMatchObject({ score: 1, namedScores: { veridict_aligned: 1 } })
    expect(results[1]?.error).toContain('Veridict: no verdict')
    expect(results[2]?.error).toContain('Veridict: 502 refused')
  })

  test('a negated assertion turns labels round, and no failed judge into a pass', async () => {
    const config = writeConfig(['good', 'broken'], { type: 'not-javascript' })
    const { stats } = (await evaluate(config, await startJudges())).results
    expect(stats).toMatchObject({ successes: 0, failures: 1, errors: 1 })
  })

  test('a label that fails is a fail, and a service that is away an error', async () => {
    const config = writeConfig(['good'], { config: { labels: { aligned: 'fail' } } })
    expect((await evaluate(config, await startJudges())).results.stats).toMatchObject({ failures: 1, errors: 0 })
    expect((await evaluate(config, 'http://127.0.0.1:9')).results.stats).toMatchObject({ failures: 0, errors: 1 })
  })

  test('the example comes out as its README shows it', async () => {
    const example = resolve('integrations/promptfoo/example/promptfooconfig.yaml')
    const { stats, results } = (await evaluate(example, await startJudges())).results
    expect(stats).toMatchObject({ successes: 1, failures: 1, errors: 1 })
    expect(results[2]?.error).toContain('surface.observed')
  })
})
