import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import type { Batch } from '../src/schemas/batch.ts'
import { makeRequest } from './make-body.ts'
import { readCost, watchMemory } from './process-cost.ts'
import { type RunningServer, startScript } from './servers.ts'
import { type Counts, spawnSlowProvider } from './slow-provider.ts'

export const AT_ONCE = 64
const ITEM_BYTES = 20_000
const LOOK_MS = 200
/** A run that takes longer than this many times its ideal, and a minute, is given up. */
const PATIENCE = 20

export interface RunOptions {
  readonly items: number
  /** Of the provider; null: the lexical judge, which needs none. */
  readonly latency_ms: number | null
  /** Where the service leaves its CPU profile. */
  readonly profile?: string
}

export interface Run {
  readonly bytes: number
  readonly intake_s: number
  readonly grading_s: number
  readonly intake_cpu_ms: number
  readonly grading_cpu_ms: number
  readonly peak_mb: number
  readonly anonymous_mb: number
  readonly counts: Batch['counts']
  readonly provider: (Counts & { readonly cpu_share: number }) | null
}

/** One batch through a service of its own: a fresh process with a fresh database. */
export async function runBatch(options: RunOptions): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-bench-batch-'))
  const provider = options.latency_ms === null ? null : await spawnSlowProvider(options.latency_ms)
  try {
    const service = await startService(folder, provider?.origin ?? null, options.profile)
    try {
      const started = provider === null ? null : readCost(provider.pid)
      const run = await measure(service, options)
      if (provider === null) return { ...run, provider: null }
      const used = (readCost(provider.pid)?.cpu_s ?? Number.NaN) - (started?.cpu_s ?? Number.NaN)
      return { ...run, provider: { ...(await provider.counts()), cpu_share: used / run.grading_s } }
    } finally {
      await service.stop()
    }
  } finally {
    await provider?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function startService(folder: string, origin: string | null, profile?: string): Promise<RunningServer> {
  const config = join(folder, 'config.yaml')
  writeFileSync(config, `concurrency: { initial: ${AT_ONCE}, min: ${AT_ONCE}, max: ${AT_ONCE} }\n`)
  return startScript('src/server.ts', {
    VERIDICT_PORT: '0',
    VERIDICT_HOST: '127.0.0.1',
    VERIDICT_DATABASE: join(folder, 'bench.sqlite'),
    VERIDICT_CONFIG: config,
    VERIDICT_LOG_LEVEL: 'info',
    ANTHROPIC_API_KEY: '',
    OPENAI_API_KEY: origin === null ? '' : 'bench',
    OPENAI_BASE_URL: origin === null ? '' : `${origin}/v1`,
    ...(profile !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
  })
}

async function measure(service: RunningServer, { items, latency_ms }: RunOptions): Promise<Omit<Run, 'provider'>> {
  const cpu = () => (readCost(service.pid)?.cpu_s ?? Number.NaN) * 1000
  const endWatch = watchMemory(service.pid)
  try {
    const cpuBefore = cpu()
    const begun = Date.now()
    const { id, bytes } = await send(service.origin, items, latency_ms === null ? 'lexical' : 'openai')
    const taken = Date.now()
    const cpuTaken = cpu()
    const patience = 60_000 + PATIENCE * items * ((latency_ms ?? 0) / AT_ONCE + 1)
    const batch = await waitForEnd(service.origin, id, taken + patience)
    return {
      bytes,
      intake_s: (taken - begun) / 1000,
      grading_s: (Date.parse(batch.finished_at ?? '') - taken) / 1000,
      intake_cpu_ms: (cpuTaken - cpuBefore) / items,
      grading_cpu_ms: (cpu() - cpuTaken) / items,
      peak_mb: readCost(service.pid)?.peak_mb ?? Number.NaN,
      anonymous_mb: endWatch(),
      counts: batch.counts,
    }
  } finally {
    endWatch()
  }
}

/** One NDJSON line per trial: the same trials at every run. */
export function* makeLines(items: number): Generator<string> {
  for (let index = 0; index < items; index++) yield `${JSON.stringify(makeRequest(ITEM_BYTES, `batch-${index}`))}\n`
}

async function send(origin: string, items: number, judge: string): Promise<{ id: string; bytes: number }> {
  let bytes = 0
  const chunks = function* () {
    for (const line of makeLines(items)) {
      const chunk = Buffer.from(line)
      bytes += chunk.length
      yield chunk
    }
  }
  const answer = await request(`${origin}/v1/batches?judge=${judge}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Readable.from(chunks(), { highWaterMark: 16 }),
    headersTimeout: 600_000,
  })
  if (answer.statusCode !== 202) throw new Error(`HTTP ${answer.statusCode}: ${await answer.body.text()}`)
  return { id: ((await answer.body.json()) as Batch).id, bytes }
}

async function waitForEnd(origin: string, id: string, until: number): Promise<Batch> {
  for (;;) {
    const answer = await request(`${origin}/v1/batches/${id}`)
    const batch = (await answer.body.json()) as Batch
    if (batch.finished_at !== null) return batch
    if (batch.status === 'parked') throw new Error(`the batch parked: ${batch.parked_reason}`)
    if (Date.now() > until) throw new Error(`given up at ${JSON.stringify(batch.counts)}`)
    await delay(LOOK_MS)
  }
}
