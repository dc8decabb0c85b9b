import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { request } from 'undici'
import type { Batch } from '../src/schemas/batch.ts'
import { sendBatch, waitForEnd } from './batch-client.ts'
import { spawnProvider } from './played-provider.ts'
import { readAnonymousMb, startScript } from './servers.ts'
import { type ActName, createTraffic, KNOWN_REQUESTS } from './soak/traffic.ts'

/**
 * Plays the same storm twice against one service: the state after the second storm is compared with the state after the first, so that
 * growth shows and the first filling of caches and pools does not. Exits with 1 where a promise did not hold.
 */
const HELP = `npm run soak -- [--minutes 5]

A service and a played provider as processes of their own: calm, busy, an outage, a batch of up to 10,000 items, slow clients,
pages and reports, large bodies, and calm again; then all of it again. Prints the outcomes of every kind of request, and whether
the second storm left the service as the first did.`

/** Requests a second of each kind, sent on time, whether or not earlier ones were answered. */
type Rates = Partial<Readonly<Record<ActName, number>>>

interface Phase {
  readonly name: string
  /** Share of the time of a storm. */
  readonly share: number
  readonly rates: Rates
  readonly outage?: true
  /** A batch runs beside the rates, and the phase lasts until the batch has ended. */
  readonly batch?: true
}

const EVERYDAY: Rates = { hit: 20, miss: 4, lexical: 2, read: 4, page: 1, upload: 0.5 }
const PHASES: readonly Phase[] = [
  { name: 'calm', share: 0.12, rates: EVERYDAY },
  { name: 'busy', share: 0.14, rates: { hit: 80, miss: 25, lexical: 8, read: 10, page: 3, upload: 2, report: 0.2 } },
  { name: 'outage', share: 0.14, rates: EVERYDAY, outage: true },
  { name: 'recovery', share: 0.06, rates: EVERYDAY },
  { name: 'batch', share: 0.18, rates: { ...EVERYDAY, follow: 1 }, batch: true },
  { name: 'slow clients', share: 0.1, rates: { ...EVERYDAY, drip: 20, leave: 5 } },
  { name: 'pages', share: 0.07, rates: { ...EVERYDAY, page: 10, read: 20, report: 2 } },
  { name: 'large', share: 0.07, rates: { ...EVERYDAY, large: 0.3 } },
  { name: 'calm again', share: 0.12, rates: EVERYDAY },
]

interface Outcome {
  readonly kind: ActName
  /** Phases in which the request was sent and answered. */
  readonly phases: readonly [sent: string, answered: string]
  readonly outcome: string
  readonly ms: number
}

/** The state of a service at rest. */
interface Rest {
  readonly handles: number
  readonly wal_mb: number
  readonly heap_mb: number
  readonly anonymous_mb: number
  readonly body_mb: number
}

const STORMS = 2
/** The most requests of one kind in flight; further ones are left out. */
const MOST_OPEN = 400
const BATCH_BYTES = 8000
/** Longer than client and provider keep an idle connection. */
const REST_MS = 8000
const MB = 1024 * 1024

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const stormSeconds = (Number(values.minutes) * 60) / STORMS
const batchItems = Math.min(10_000, Math.round((2000 * Number(values.minutes)) / STORMS))

const folder = mkdtempSync(join(tmpdir(), 'veridict-soak-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const database = join(folder, 'soak.sqlite')
const config = join(folder, 'config.json')
// Short patience, so that an outage shows within the run.
const retry = { max_attempts: 3, deadline_ms: 8000, call_timeout_ms: 2000 }
writeFileSync(config, JSON.stringify({ retry, concurrency: { initial: 64, min: 4, max: 64 } }))
const provider = await spawnProvider(200)
const service = await startScript('src/server.ts', {
  VERIDICT_PORT: '0',
  VERIDICT_HOST: '127.0.0.1',
  VERIDICT_DATABASE: database,
  VERIDICT_CONFIG: config,
  ANTHROPIC_API_KEY: '',
  OPENAI_API_KEY: 'soak',
  OPENAI_BASE_URL: `${provider.origin}/v1`,
  NODE_OPTIONS: `--import=${new URL('soak/collect.mjs', import.meta.url)}`,
})

const traffic = createTraffic(service.origin)
const inFlight = new Map<ActName, Set<Promise<void>>>()
const outcomes: Outcome[] = []
const batches: Batch[] = []
let phase = 'start'

async function perform(kind: ActName): Promise<void> {
  const [sent, begun] = [phase, performance.now()]
  const outcome = await traffic.acts[kind]().catch(
    (error: unknown) => `broken ${(error as { code?: string }).code ?? ''}`,
  )
  outcomes.push({ kind, phases: [sent, phase], outcome, ms: performance.now() - begun })
}

function send(kind: ActName): void {
  const open = inFlight.get(kind) ?? new Set()
  inFlight.set(kind, open)
  if (open.size >= MOST_OPEN) return
  const work = perform(kind).finally(() => open.delete(work))
  open.add(work)
}

/** Sends requests for some seconds; requests in flight at the end stay in flight. */
async function drive(rates: Rates, seconds: number): Promise<void> {
  const begun = performance.now()
  const sent = new Map<ActName, number>()
  for (let passed = 0; passed < seconds; passed = (performance.now() - begun) / 1000) {
    for (const [kind, rate] of Object.entries(rates) as [ActName, number][]) {
      const due = Math.floor(passed * rate) + 1
      for (let count = sent.get(kind) ?? 0; count < due; count++) send(kind)
      sent.set(kind, due)
    }
    await delay(50)
  }
}

async function runBatch(): Promise<void> {
  const { id } = await sendBatch(service.origin, batchItems, BATCH_BYTES, Date.now().toString(36))
  batches.push(await waitForEnd(service.origin, id, 3600))
}

async function runPhase({ name, share, rates, outage, batch }: Phase): Promise<void> {
  phase = name
  const begun = performance.now()
  if (outage) await provider.set('outage')
  let running = batch === true
  const work = running && runBatch().finally(() => (running = false))
  await drive(rates, share * stormSeconds)
  while (running) await drive(rates, 1)
  await work
  if (outage) await provider.set('well')
  console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(0)} s`)
}

async function readMetrics(): Promise<ReadonlyMap<string, number>> {
  const answer = await request(`${service.origin}/metrics`)
  const lines = (await answer.body.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** Measures the service after the last request was answered, idle connections are closed and garbage is collected. */
async function rest(): Promise<Rest> {
  await Promise.all([...inFlight.values()].flatMap((open) => [...open]))
  await delay(REST_MS)
  process.kill(service.pid, 'SIGUSR2')
  await delay(2000)
  const metrics = await readMetrics()
  return {
    handles: readdirSync(`/proc/${service.pid}/fd`).length,
    wal_mb: (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) / MB,
    heap_mb: (metrics.get('veridict_nodejs_heap_size_used_bytes') ?? Number.NaN) / MB,
    anonymous_mb: readAnonymousMb(service.pid) ?? Number.NaN,
    body_mb: (metrics.get('veridict_admitted{of="body_bytes"}') ?? 0) / MB,
  }
}

/** Tells whether a client may see an outcome. Failures of the judge belong to an outage and its recovery alone. */
function isExplained({ kind, outcome, phases }: Outcome): boolean {
  const judgeFailed =
    /(judge_unreachable|rate_limited|timeout)$/.test(outcome) &&
    phases.some((name) => name === 'outage' || name === 'recovery')
  if (kind === 'hit' || kind === 'read' || kind === 'page') return outcome === '200'
  if (outcome.startsWith('2') || outcome === '503 overloaded') return true
  if (kind === 'leave') return outcome === 'left' || judgeFailed
  if (kind === 'drip') return outcome === 'left' || outcome === '408'
  if (kind === 'follow') return outcome === 'nothing to follow'
  if (kind === 'report') return outcome.startsWith('400 several_graders')
  return kind === 'miss' && judgeFailed
}

/** Prints a promise with its measurement. */
function check(name: string, measured: string, holds: boolean): void {
  console.log(`${holds ? 'holds' : 'FAILS'}  ${name}: ${measured}`)
  if (!holds) process.exitCode = 1
}

function checkRests([fresh, before, after]: readonly [Rest, Rest, Rest]): void {
  const most: Rest = {
    handles: before.handles + 4,
    wal_mb: Math.max(before.wal_mb, 16),
    heap_mb: before.heap_mb + 16,
    anonymous_mb: before.anonymous_mb * 1.15,
    body_mb: 0,
  }
  for (const name of Object.keys(most) as (keyof Rest)[]) {
    const [first, second, third] = [fresh, before, after].map((one) => one[name].toFixed(1))
    const measured = `${first} before the storms, ${second} after one, ${third} after two; at most ${most[name].toFixed(1)}`
    check(name, measured, after[name] <= most[name])
  }
}

async function checkAnswers(): Promise<void> {
  const metrics = await readMetrics()
  const sum = (name: string, label = '') =>
    [...metrics].reduce((n, [series, v]) => (series.startsWith(`${name}{`) && series.includes(label) ? n + v : n), 0)
  const strange = outcomes.filter((one) => !isExplained(one))
  const names = new Set(strange.map(({ kind, outcome, phases }) => `${kind} ${outcome} (${phases[0]})`))
  check(
    'answers that nothing explains',
    `${strange.length} of ${outcomes.length} ${[...names].join('; ')}`,
    !strange[0],
  )
  const errors = sum('veridict_http_request_seconds_count', 'status="500"')
  check('internal errors', `${errors}`, errors === 0)
  const ends = batches.map(({ counts }) => `${counts.graded} graded of ${counts.total}`).join(', ')
  check('batches', ends, batches.length === STORMS && batches.every(({ counts }) => counts.graded === counts.total))
  const graded = outcomes.filter(({ kind, outcome }) => GRADERS.has(kind) && outcome.startsWith('2')).length
  const leavers = outcomes.filter(({ kind }) => kind === 'leave').length
  const counted = sum('veridict_grades_total') - sum('veridict_grades_total', 'status="failed"')
  const items = batches.reduce((n, { counts }) => n + counts.graded, 0)
  const least = graded + KNOWN_REQUESTS + items
  const words = `${counted} counted, ${least} answered or in batches, ${leavers} left`
  check('grades, as many as clients received', words, counted >= least && counted <= least + leavers)
}

const GRADERS: ReadonlySet<ActName> = new Set(['miss', 'lexical', 'large', 'leave'])

function printOutcomes(): void {
  console.log(`\n${'phase'.padEnd(14)}${'kind'.padEnd(9)}${'good'.padStart(7)}   p50 ms   p99 ms  others`)
  for (const [name, mine] of Map.groupBy(outcomes, ({ kind, phases }) => `${phases[0].padEnd(14)}${kind.padEnd(9)}`)) {
    const [good = [], others = []] = [true, false].map((is) => mine.filter((one) => one.outcome.startsWith('2') === is))
    const times = good.map(({ ms }) => ms).sort((a, b) => a - b)
    const at = (share: number) => (times[Math.floor(times.length * share)]?.toFixed(1) ?? '–').padStart(9)
    const counts = [...Map.groupBy(others, ({ outcome }) => outcome)].map(([word, { length }]) => `${length} × ${word}`)
    console.log(`${name}${String(good.length).padStart(7)}${at(0.5)}${at(0.99)}  ${counts.join(', ')}`)
  }
}

try {
  console.log(`Node ${process.version}, ${cpus().length} cores, load of the machine ${loadavg()[0]?.toFixed(1)}`)
  await traffic.prepare()
  const rests: Rest[] = []
  for (let storm = 1; storm <= STORMS; storm++) {
    for (const one of PHASES) {
      await runPhase(one)
      if (rests.length === 0) rests.push(await rest())
    }
    rests.push(await rest())
  }
  printOutcomes()
  checkRests(rests as [Rest, Rest, Rest])
  await checkAnswers()
} finally {
  await traffic.close()
  await service.stop()
  await provider.stop()
}
