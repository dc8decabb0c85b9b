import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeAt, startMockCalls } from '../e2e/mock-calls.ts'
import { userOf } from '../e2e/scene.ts'
import { spawnProgram, tempFolder } from '../e2e/service-process.ts'
import { makeTrials } from '../e2e/trials.ts'
import { freePort } from '../local-server.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { startCollector } from '../telemetry/collector.ts'
import { DEPLOY, readYaml } from './deploy-files.ts'

const { services } = readYaml<{ services: Record<string, { command: string[] }> }>(DEPLOY, 'compose.yaml')
const ITEMS = 60

const SAYS = { service: 'audit pages', worker: 'working on batches' }

describePostgres('the commands of the compose file', (tools) => {
  test('work together: a batch given to the service is graded by the workers, each item in a trace of its own', async () => {
    const mock = await startMockCalls({ latency_ms: () => 5 })
    const collector = await startCollector()
    const ports = [await freePort(), await freePort(), await freePort()]
    const common = {
      VERIDICT_DATABASE_URL: tools().server.url,
      VERIDICT_HOST: '127.0.0.1',
      OPENAI_API_KEY: 'sk-canary',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '20000',
    }
    const config = { judges: judgeAt(mock.base_url, 8) }
    // A command of the compose file, as a process on loopback.
    const start = (name: 'service' | 'worker', env: NodeJS.ProcessEnv) =>
      spawnProgram(
        services[name]?.command.slice(1) ?? [],
        { file: join(tempFolder(), 'veridict.json'), config },
        { ...common, ...env },
        (printed) => (printed.includes(SAYS[name]) ? true : undefined),
      )
    const service = start('service', { VERIDICT_PORT: `${ports[0]}`, VERIDICT_WORKER: 'off' })
    const workers = ports.slice(1).map((port) => start('worker', { VERIDICT_WORKER_PORT: `${port}` }))
    const origins = ports.map((port) => `http://127.0.0.1:${port}`)
    const all = [service, ...workers]
    await Promise.all(all.map(({ ready }) => ready))
    for (const one of origins) expect((await fetch(`${one}/readyz`)).status).toBe(200)
    const [origin = '', ...others] = origins

    const user = userOf(origin)
    const { id } = await user.post(makeTrials(ITEMS, 'mock'))
    expect(await user.end(id)).toMatchObject({ status: 'done' })
    expect(await user.results(id)).toHaveLength(ITEMS)

    const scraped = await Promise.all(others.map(async (worker) => (await fetch(`${worker}/metrics`)).text()))
    const graded = scraped.map((text) =>
      [...text.matchAll(/^veridict_grades_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0),
    )
    expect(graded.reduce((sum, n) => sum + n)).toBe(ITEMS)
    expect(scraped[0]).toContain('veridict_lane_limit{judge="mock"}')
    expect(await (await fetch(`${origin}/metrics`)).text()).not.toMatch(/^veridict_grades_total\{/m)
    expect(await Promise.all(all.map((one) => one.stop()))).toEqual([0, 0, 0])

    const request = collector.spans.find(({ name }) => name === 'POST /v1/batches')
    expect(request?.resource['service.name']).toBe('veridict')
    const items = collector.spans.filter(
      ({ name, attributes }) => name === 'grade' && 'veridict.grade.id' in attributes,
    )
    expect(items).toHaveLength(ITEMS)
    for (const item of items) {
      expect(item.parent).toBe('')
      expect(item.resource['service.name']).toBe('veridict-worker')
    }
    expect(collector.events.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort())
    const calls = collector.spans.filter(({ name }) => name === 'chat mock-1')
    expect(calls).toHaveLength(mock.calls.length)
    for (const text of ['sk-canary', 'make release', 'curl ', 'p@ss', 'Build the project'])
      expect(collector.bytes()).not.toContain(text)
  })
})
