import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Batch } from '../src/schemas/batch.ts'
import { checkRun } from './soak/checks.ts'
import { createDriver, runBatch } from './soak/driver.ts'
import { PHASES, type Phase } from './soak/phases.ts'
import { createRecorder } from './soak/recorder.ts'
import { renderRun, type SoakRun, summarize } from './soak/run.ts'
import { readMetrics, type Sample, takeSample, watchService } from './soak/sampler.ts'
import { startSoakService } from './soak/service.ts'
import { createTraffic } from './soak/traffic.ts'

/**
 * An hour-shaped load in minutes, twice over one process: what the second storm leaves is held against what the first has left, so that
 * growth shows and the first filling of caches and pools does not. Exits with 1 where something that is promised did not hold.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(
    [
      'npm run soak -- [--minutes 5] [--out FILE.json]',
      '',
      'A service and a played provider as processes of their own: calm, busy, an outage, a batch of up to 10,000 items, slow clients,',
      'pages and reports, large bodies, and calm again; then all of it once more. Prints what became of every kind of request, and whether',
      'the second storm left the service as the first did.',
    ].join('\n'),
  )
  process.exit(0)
}

const minutes = Number(values.minutes)
/** The same storm twice. */
const ROUNDS = 2
const batchItems = Math.min(10_000, Math.round((2000 * minutes) / ROUNDS))
const BATCH_BYTES = 8000
/** Longer than client and provider keep a connection that nothing asks for. */
const REST_MS = 8000

const service = await startSoakService()
const recorder = createRecorder()
const traffic = createTraffic(service.origin, recorder)
const driver = createDriver(traffic)
const batches: Batch[] = []
const spans: { name: string; from: number; to: number }[] = []

/** Once nothing is on its way, idle connections are gone, and garbage is collected: what is left is what is held. */
async function atRest(): Promise<Sample> {
  await driver.settled()
  await delay(REST_MS)
  process.kill(service.pid, 'SIGUSR2')
  await delay(2000)
  return takeSample(service, recorder.seconds)
}

async function runPhase({ name, share, rates, provider, batch }: Phase): Promise<void> {
  recorder.enter(name)
  const from = recorder.seconds()
  if (provider === 'outage') await service.provider.set('outage')
  let running = batch === true
  const work = running
    ? runBatch(service.origin, batchItems, BATCH_BYTES).then((ended) => {
        running = false
        batches.push(ended)
      })
    : undefined
  await driver.drive(rates, (share * minutes * 60) / ROUNDS)
  while (running) await driver.drive(rates, 1)
  await work
  if (provider === 'outage') await service.provider.set('well')
  const to = recorder.seconds()
  spans.push({ name, from, to })
  console.log(`${name}: ${from.toFixed(0)} to ${to.toFixed(0)} s`)
}

try {
  const load = loadavg()[0] ?? 0
  console.log(`Node ${process.version}, ${cpus().length} cores, load of the machine at the start ${load.toFixed(1)}`)
  await traffic.prepare()
  const watch = watchService(service, recorder.seconds)
  const rests: Sample[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    for (const phase of PHASES) {
      await runPhase(phase)
      if (rests.length === 0) rests.push(await atRest())
    }
    rests.push(await atRest())
  }
  watch.end()
  const metrics = await readMetrics(service.origin)
  const run: SoakRun = {
    minutes,
    node: process.version,
    cores: cpus().length,
    load,
    batch_items: batchItems,
    held_back: driver.heldBack,
    phases: spans,
    samples: watch.samples,
    ...summarize(recorder.outcomes, spans),
    checks: checkRun({
      outcomes: recorder.outcomes,
      rests,
      batches,
      metrics,
    }),
  }
  console.log(renderRun(run))
  if (values.out !== undefined) {
    mkdirSync(dirname(values.out), { recursive: true })
    writeFileSync(values.out, `${JSON.stringify(run, null, 1)}\n`)
  }
  if (run.checks.some(({ holds }) => !holds)) process.exitCode = 1
} finally {
  await traffic.close()
  await service.stop()
}
