import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { makeRequest } from './make-body.ts'
import { answered, type Beside, batchOf, besideText } from './soak/beside-text.ts'
import { runBatch } from './soak/driver.ts'
import { createRecorder, type Figures, figuresOf, isGood } from './soak/recorder.ts'
import { type SoakService, startSoakService } from './soak/service.ts'

/** Single requests beside heavy neighbours: p50, p99 and the longest of hits and small misses, as ratios to the same run without any. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    items: { type: 'string', default: '2000' },
    only: { type: 'string' },
  },
})
const SECONDS = Number(values.seconds)
const MB = 1_000_000
const JSON_TYPE = { 'content-type': 'application/json' }
const agent = new Agent({ connections: 128, headersTimeout: 300_000, bodyTimeout: 300_000 })
const heavy = new Agent({ connections: 16, headersTimeout: 300_000, bodyTimeout: 300_000 })
const run = Date.now().toString(36)
let serial = 0

const encode = (value: object): Buffer => Buffer.from(JSON.stringify(value))
const fresh = (bytes: number, judge: string) => encode(makeRequest(bytes, `${run}-${serial++}`, { judge }))
const KNOWN = fresh(20_000, 'lexical')

/** What runs beside; asked again and again while the single requests are measured. */
type Neighbour = (service: SoakService) => Promise<Beside>

const send = async (origin: string, body: Buffer, dispatcher: Agent): Promise<number> => {
  const answer = await request(`${origin}/v1/grades`, { method: 'POST', headers: JSON_TYPE, body, dispatcher })
  await answer.body.dump({ limit: MB })
  return answer.statusCode
}
/** Recorded by its status, as everything is that a recorder times. */
const post = async (origin: string, body: Buffer, dispatcher: Agent): Promise<string> =>
  `${await send(origin, body, dispatcher)}`

/** Of 50 MB in all, refused by its name of a judge only at the end: it is read, and nothing is graded. */
async function uploadLines({ origin }: SoakService): Promise<Beside> {
  const lines = function* () {
    for (let sent = 0; sent < 50 * MB; sent += 20_000)
      yield Buffer.concat([fresh(20_000, 'lexical'), Buffer.from('\n')])
  }
  const answer = await request(`${origin}/v1/batches?dry_run=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Readable.from(lines()),
    dispatcher: heavy,
  })
  await answer.body.dump({ limit: MB })
  return answered(answer.statusCode)
}

async function batchBeside({ origin }: SoakService): Promise<Beside> {
  const { counts } = await runBatch(origin, Number(values.items), 8000)
  return batchOf(counts.total, counts.graded)
}

/** Made before the clock runs: what it takes the client to make 50 MB would be measured too. */
const prepared: Buffer[] = []
const AHEAD = 8

const gradeLarge: Neighbour = async ({ origin }) => {
  const body = prepared.pop()
  if (body === undefined) return delay(100, { kind: 'answer', text: 'none left' })
  return answered(await send(origin, body, heavy))
}
const refuseLarge: Neighbour = async ({ origin }) => answered(await send(origin, prepared[0] ?? KNOWN, heavy))

const CASES: Readonly<Record<string, { readonly neighbour: Neighbour | null; readonly bytes?: number }>> = {
  alone: { neighbour: null },
  'batch (200 ms judge)': { neighbour: batchBeside },
  'bodies of 30 MB, graded': { neighbour: gradeLarge, bytes: 30 * MB },
  'bodies of 50 MB, refused': { neighbour: refuseLarge, bytes: 50 * MB },
  'NDJSON of 50 MB': { neighbour: uploadLines },
  'bodies of 50 MB, graded': { neighbour: gradeLarge, bytes: 50 * MB },
}

interface Measured {
  readonly hits: Figures & { readonly longest_ms: number }
  readonly misses: Figures & { readonly longest_ms: number }
  /** As printed, each once. */
  readonly beside: readonly string[]
}

async function measure(service: SoakService, neighbour: Neighbour | null): Promise<Measured> {
  const recorder = createRecorder()
  const beside = new Map<string, { readonly one: Beside; readonly count: number }>()
  const until = performance.now() + SECONDS * 1000
  const busy = () => performance.now() < until
  const repeat = async () => {
    while (neighbour !== null && busy()) {
      const one = await neighbour(service)
      const known = beside.get(one.text)
      beside.set(one.text, { one, count: (known?.count ?? 0) + 1 })
    }
  }
  const working = repeat()
  const open: Promise<void>[] = []
  // On time, whatever becomes of the ones before: a stall is seen by all that come into it.
  for (let tick = 0; busy(); tick++) {
    open.push(recorder.time('hit', () => post(service.origin, KNOWN, agent)))
    if (tick % 4 === 0) open.push(recorder.time('miss', () => post(service.origin, fresh(20_000, 'lexical'), agent)))
    await delay(25)
  }
  await Promise.all(open)
  await working
  const of = (kind: string) => {
    const good = recorder.outcomes.filter((one) => one.kind === kind && isGood(one))
    return { ...figuresOf(good), longest_ms: Math.max(...good.map(({ ms }) => ms)) }
  }
  return {
    hits: of('hit'),
    misses: of('miss'),
    beside: [...beside.values()].map(({ one, count }) => besideText(one, count)),
  }
}

let alone: Measured | null = null
console.log(`${'beside'.padEnd(26)}${'hits'.padStart(6)}     p50     p99  longest   misses   p50     p99  longest`)
for (const [name, { neighbour, bytes }] of Object.entries(CASES)) {
  if (values.only !== undefined && neighbour !== null && !name.includes(values.only)) continue
  const service = await startSoakService(name === 'bodies of 50 MB, graded' ? { body_bytes: 64 * MB } : {})
  await post(service.origin, KNOWN, agent)
  for (let warm = 0; warm < 30; warm++) await post(service.origin, fresh(20_000, 'lexical'), agent)
  prepared.length = 0
  for (let ahead = 0; bytes !== undefined && ahead < AHEAD; ahead++) prepared.push(fresh(bytes, 'lexical'))
  const measured = await measure(service, neighbour)
  alone ??= measured
  console.log(row(name, measured, alone))
  await service.stop()
}
await Promise.all([agent.destroy(), heavy.destroy()])

function row(name: string, { hits, misses, beside }: Measured, base: Measured): string {
  const of = (mine: Measured['hits'], than: Figures) =>
    `${String(mine.count).padStart(6)}${ratio(mine.p50_ms, than.p50_ms)}${ratio(mine.p99_ms, than.p50_ms)}${`${mine.longest_ms.toFixed(0)} ms`.padStart(9)}`
  return `${name.padEnd(26)}${of(hits, base.hits)}   ${of(misses, base.misses)}   ${beside.join(', ')}`
}

function ratio(value: number, base: number): string {
  return `${(value / base).toFixed(1)}×`.padStart(8)
}
