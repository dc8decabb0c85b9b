import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Batch } from '../src/schemas/batch.ts'
import { makeLines, sendBatch, waitForEnd } from './batch-client.ts'
import { type Seen, spawnProvider } from './played-provider.ts'
import { readCost, watchMemory } from './process-cost.ts'
import { type RunningServer, startScript } from './servers.ts'

export const AT_ONCE = 64
const ITEM_BYTES = 20_000
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
  readonly provider: (Seen & { readonly cpu_share: number }) | null
}

/** One batch through a service of its own: a fresh process with a fresh database. */
export async function runBatch(options: RunOptions): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-bench-batch-'))
  const provider = options.latency_ms === null ? null : await spawnProvider(options.latency_ms)
  try {
    const service = await startService(folder, provider?.origin ?? null, options.profile)
    try {
      const started = provider === null ? null : readCost(provider.pid)
      const run = await measure(service, options)
      if (provider === null) return { ...run, provider: null }
      const used = (readCost(provider.pid)?.cpu_s ?? Number.NaN) - (started?.cpu_s ?? Number.NaN)
      return { ...run, provider: { ...(await provider.seen()), cpu_share: used / run.grading_s } }
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
    const judge = latency_ms === null ? 'lexical' : 'openai'
    const { id, bytes } = await sendBatch(service.origin, items, ITEM_BYTES, 'batch', judge)
    const taken = Date.now()
    const cpuTaken = cpu()
    const patience = 60 + (PATIENCE * items * ((latency_ms ?? 0) / AT_ONCE + 1)) / 1000
    const batch = await waitForEnd(service.origin, id, patience)
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

/** The trials of every run. */
export const trialLines = (items: number): Generator<string> => makeLines(items, ITEM_BYTES, 'batch')
