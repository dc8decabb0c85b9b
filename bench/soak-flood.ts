import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { makeRequest } from './make-body.ts'
import { readCost, watchMemory } from './process-cost.ts'
import { runBatch } from './soak/driver.ts'
import { createRecorder, figuresOf, type Outcome } from './soak/recorder.ts'
import { type SoakService, startSoakService } from './soak/service.ts'

/** Far above capacity, one flood after the other, each against a service of its own: what is answered, how soon, at what memory. */
const { values } = parseArgs({
  options: { many: { type: 'string', default: '5000' }, only: { type: 'string' } },
})
const MANY = Number(values.many)
const MB = 1_000_000
const GIVE_UP_MS = 60_000

type Flood = (service: SoakService, send: Send) => Promise<void>
type Send = (path: string, body?: Buffer) => Promise<void>

const encode = (value: object): Buffer => Buffer.from(JSON.stringify(value))
const bodyOf = (bytes: number, salt: string, judge: string) => encode(makeRequest(bytes, salt, { judge }))
const times = (count: number, work: (index: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index))).then(() => undefined)

const FLOODS: Readonly<Record<string, Flood>> = {
  'grades at once, no model': (_service, send) =>
    times(MANY, (index) => send('/v1/grades', bodyOf(8000, `flood-${index}`, 'lexical'))),
  'grades at once, a judge of 200 ms': (_service, send) =>
    times(MANY, (index) => send('/v1/grades', bodyOf(8000, `flood-${index}`, 'openai'))),
  'bodies of 20 MB, 40 at once': async (_service, send) => {
    const text = JSON.stringify(makeRequest(20 * MB, 'salt-00', { judge: 'lexical' }))
    const bodies = Array.from({ length: 40 }, (_, index) =>
      Buffer.from(text.replaceAll('salt-00', `salt-${10 + index}`)),
    )
    await times(40, (index) => send('/v1/grades', bodies[index]))
  },
  'idle and slow connections': async ({ origin }, send) => {
    const sockets = await Promise.all(Array.from({ length: 2000 }, (_, index) => dawdle(origin, index)))
    await times(20, () => send('/v1/judges'))
    for (const socket of sockets) socket.destroy()
  },
  'followers of a batch': async ({ origin }, send) => {
    const batch = runBatch(origin, 1000, 4000)
    await delay(1500)
    const { items } = (await (await fetch(`${origin}/v1/batches`)).json()) as { items: { id: string }[] }
    await times(1000, () => send(`/v1/batches/${items[0]?.id}/events`))
    await batch
  },
  'reports at once': async ({ origin }, send) => {
    await runBatch(origin, 1000, 4000, 'lexical')
    await times(200, (index) => send(`/v1/reports?draws=1000&seed=${index}`))
  },
}

async function dawdle(origin: string, index: number): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  const head = 'POST /v1/grades HTTP/1.1\r\nhost: localhost\r\n'
  if (index % 3 === 1) socket.write(head)
  if (index % 3 === 2) socket.write(`${head}content-type: application/json\r\ncontent-length: 9000\r\n\r\n{`)
  return socket
}

async function measure(name: string, flood: Flood): Promise<void> {
  const service = await startSoakService()
  const agent = new Agent({ connections: MANY, headersTimeout: GIVE_UP_MS, bodyTimeout: GIVE_UP_MS })
  const probing = new Agent({ connections: 8, headersTimeout: GIVE_UP_MS })
  const recorder = createRecorder()
  const send = (path: string, body?: Buffer) =>
    recorder.time('flood', async () => {
      const post = body === undefined ? {} : { method: 'POST' as const, headers: JSON_TYPE, body }
      const answer = await request(service.origin + path, { dispatcher: agent, ...post })
      await answer.body.dump({ limit: 100 * MB })
      return `${answer.statusCode}`
    })
  const known = bodyOf(8000, 'known', 'lexical')
  const hit = async () => {
    const answer = await request(`${service.origin}/v1/grades`, {
      dispatcher: probing,
      method: 'POST',
      headers: JSON_TYPE,
      body: known,
    })
    await answer.body.dump()
    return `${answer.statusCode}`
  }
  await hit()
  const probe = setInterval(() => void recorder.time('hit', hit), 100)
  const memory = watchMemory(service.pid)
  const before = readCost(service.pid)?.anonymous_mb ?? Number.NaN
  const begun = performance.now()
  await flood(service, send)
  const seconds = (performance.now() - begun) / 1000
  clearInterval(probe)
  const of = (kind: string) => recorder.outcomes.filter((one) => one.kind === kind)
  console.log(`${name}: all answered after ${seconds.toFixed(1)} s`)
  for (const [outcome, all] of Map.groupBy(of('flood'), (one) => one.outcome)) console.log(`  ${line(outcome, all)}`)
  for (const [outcome, all] of Map.groupBy(of('hit'), (one) => one.outcome)) console.log(`  hits ${line(outcome, all)}`)
  console.log(`  anonymous memory ${before.toFixed(0)} MB before, ${memory().toFixed(0)} MB at the most`)
  await Promise.all([agent.destroy(), probing.destroy()])
  await service.stop()
}

const JSON_TYPE = { 'content-type': 'application/json' }

function line(outcome: string, all: readonly Outcome[]): string {
  const { count, p50_ms, p99_ms } = figuresOf(all)
  return `${outcome}: ${count}, p50 ${p50_ms.toFixed(0)} ms, p99 ${p99_ms.toFixed(0)} ms`
}

for (const [name, flood] of Object.entries(FLOODS))
  if (values.only === undefined || name.includes(values.only)) await measure(name, flood)
