import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { GOOD_ANSWER, REQUEST, scriptedJudge } from '../grading/harness.ts'
import { startBatch } from '../http/make-batch.ts'
import { startApp } from '../start-app.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { DEPLOY, readText, readYaml } from './deploy-files.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: { readonly uid: string }
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[]
}
interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}

const dashboard = JSON.parse(readText(DEPLOY, 'grafana/veridict.json')) as { uid: string; panels: Panel[] }
const { groups } = readYaml<{ groups: { name: string; rules: Rule[] }[] }>(DEPLOY, 'prometheus/rules.yaml')
const rules = groups.flatMap((group) => group.rules)
const targets = dashboard.panels.flatMap(({ title, targets: all = [] }) => all.map((target) => ({ title, ...target })))
const expressions = [
  ...targets.map(({ title, expr }) => ({ of: `panel ${title}`, expr })),
  ...rules.map(({ alert, expr }) => ({ of: `alert ${alert}`, expr })),
]

/** Labels that Prometheus, or the service at a scrape, puts on every series. */
const OF_TARGETS: ReadonlySet<string> = new Set(['', 'job', 'instance', 'le'])

/** Lists the metrics of the service and of its process in an expression. A grouping counts for each metric between two of `and`, `or` and `unless`. */
const metricsIn = (expression: string): { readonly name: string; readonly labels: string[] }[] =>
  expression.split(/\b(?:and|or|unless)\b/).flatMap((part) => {
    const groupings = [...part.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) =>
      labels.split(/[\s,]+/),
    )
    return [...part.matchAll(/\b((?:veridict|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
      ([, name = '', matchers = '']) => {
        const matched = [...matchers.matchAll(/(\w+)[!=~]+"/g)].map(([, label = '']) => label)
        return { name, labels: [...matched, ...groupings].filter((label) => !OF_TARGETS.has(label)) }
      },
    )
  })

/** No sample without somebody’s trouble; that they are declared, and with which labels they would be, is read elsewhere. */
const TROUBLES: Readonly<Record<string, readonly string[]>> = {
  veridict_refused_total: ['of'],
  veridict_store_errors_total: ['code'],
  // Of batches that run in the moment of the scrape.
  veridict_batch_items_ended: ['end'],
  veridict_batch_failures: ['code'],
}

describePostgres('what the dashboard and the alerts name', (tools) => {
  test('is in a real scrape, with the labels that they use', async () => {
    const judge = scriptedJudge([GOOD_ANSWER])
    const url = tools().server.url
    const app = await startApp({ env: { VERIDICT_DATABASE_URL: url }, judges: [judge] })
    onTestFinished(() => app.stop())
    await app.context.start()
    expect((await app.post('/v1/grades', REQUEST)).statusCode).toBe(201)
    await startBatch(app, [{ item_id: 'one', ...REQUEST }])
    const scraped = (await app.get('/metrics')).body.split('\n')
    const wanted = expressions.flatMap(({ of, expr }) => metricsIn(expr).map((metric) => ({ of, ...metric })))
    expect(wanted.length).toBeGreaterThan(40)
    for (const { of, name, labels } of wanted) {
      const samples = scraped.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      const trouble = TROUBLES[name]
      if (trouble !== undefined)
        expect(
          scraped.some((line) => line.startsWith(`# TYPE ${name} `)),
          name,
        ).toBe(true)
      else expect(samples.length, `${of}: ${name}`).toBeGreaterThan(0)
      const has = trouble ?? samples.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => label))
      expect(has, `${of}: ${name}`).toEqual(expect.arrayContaining(labels))
    }
  })
})

test('every metric of the service is on the dashboard, or known not to be', () => {
  const shown = new Set(
    expressions.flatMap(({ expr }) => metricsIn(expr).map(({ name }) => name.replace(/_(bucket|count|sum)$/, ''))),
  )
  const own = ['src/http/plugins/metrics.ts', 'src/http/plugins/limits.ts']
    .flatMap((file) => [...readText(file).matchAll(/'(veridict_[a-z_]+[a-z])'/g)])
    .map(([, name]) => name)
  expect(own.length).toBeGreaterThan(15)
  expect(own.filter((name) => !shown.has(name ?? ''))).toEqual([])
})

test('the jobs of the scrape are those that are asked for, at the ports that are listened on', () => {
  const scrape = readYaml<{
    rule_files: string[]
    scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[]
  }>(join(DEPLOY, 'prometheus/prometheus.yaml'))
  const jobs = scrape.scrape_configs.map(({ job_name, dns_sd_configs: [found] }) => [
    job_name,
    found?.names[0],
    found?.port,
  ])
  expect(jobs).toEqual([
    ['veridict', 'service', 8787],
    ['veridict-worker', 'worker', 8788],
  ])
  expect(scrape.rule_files).toEqual(['rules.yaml'])
  const asked = expressions.flatMap(({ expr }) => [...expr.matchAll(/job=~?"([^"]*)"/g)].map(([, job]) => job))
  expect(new Set(asked)).toEqual(new Set(['veridict', 'veridict-worker', 'veridict.*']))
})
