import { parseArgs } from 'node:util'
import { startScript } from '../bench/servers.ts'
import { runCampaign } from './fuzz-http/campaign.ts'

/**
 * `npm run fuzz:http -- --runs N --seed S [--origin http://127.0.0.1:8787]`: sends generated requests to every operation of the OpenAPI
 * document and checks each answer against it. Without an origin it starts a service of its own with an empty database in memory.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    origin: { type: 'string' },
  },
})
const [runs, seed] = [Number(values.runs), Number(values.seed)]
const env = { VERIDICT_DATABASE: ':memory:', VERIDICT_PORT: '0', VERIDICT_HOST: '127.0.0.1' }
const service = values.origin === undefined ? await startScript('src/server.ts', env) : null
const started = performance.now()
const report = await runCampaign(service?.origin ?? values.origin ?? '', { runs, seed })
const seconds = ((performance.now() - started) / 1000).toFixed(1)
await service?.stop()

for (const [operation, own] of [...report.counts].sort()) {
  const shown = [...own].sort().map(([what, times]) => `${what}: ${times}`)
  console.log(`${operation.padEnd(24)} ${shown.join(', ')}`)
}
console.log(`\n${report.runs} requests, seed ${seed}, ${seconds} s, ${report.findings.length} findings`)
for (const { operation, fault, run, sent } of report.findings) {
  console.log(`\n${operation}, request ${run} (${sent.kind}): ${fault}`)
  console.log(`  ${sent.method} ${sent.target.slice(0, 300)} ${JSON.stringify(sent.headers)}`)
  if (sent.body !== null) console.log(`  ${sent.body.toString().slice(0, 2000)}`)
}
process.exitCode = report.findings.length === 0 ? 0 : 1
