import { join } from 'node:path'
import { load, median } from './load.ts'
import { makeRequest } from './make-body.ts'
import { type RunningServer, startScript } from './servers.ts'

interface Size {
  readonly name: string
  readonly bytes: number
  readonly connections: number
  readonly hits: number
  readonly misses: number
}

const SIZES: readonly Size[] = [
  { name: '5 KB', bytes: 5_000, connections: 32, hits: 4000, misses: 400 },
  { name: '50 KB', bytes: 50_000, connections: 32, hits: 2000, misses: 200 },
  { name: '500 KB', bytes: 500_000, connections: 8, hits: 300, misses: 40 },
  { name: '5 MB', bytes: 5_000_000, connections: 4, hits: 60, misses: 8 },
]

/** Cache hit and full miss (lexical judge) against a bare route that only parses the same body. */
export async function measureHttp(folder: string, rounds: number, quick: boolean): Promise<void> {
  const service = await startScript('src/server.ts', {
    VERIDICT_PORT: '0',
    VERIDICT_HOST: '127.0.0.1',
    VERIDICT_DATABASE: join(folder, 'bench.sqlite'),
    VERIDICT_CONFIG: '',
    VERIDICT_LOG_LEVEL: 'info',
  })
  const bare = await startScript('bench/bare-server.ts')
  try {
    console.log('POST /v1/grades, requests per second, and the ratio to a bare Fastify route that parses the same body')
    console.log('body      bare route      cache hit              full miss (lexical)     hit p99    miss p50')
    for (const size of SIZES) console.log(await measureSize(service, bare, size, rounds, quick ? 0.25 : 1))
  } finally {
    await Promise.all([service.stop(), bare.stop()])
  }
}

async function measureSize(
  service: RunningServer,
  bare: RunningServer,
  size: Size,
  rounds: number,
  share: number,
): Promise<string> {
  const hits = Math.ceil(size.hits * share)
  const misses = Math.ceil(size.misses * share)
  const same = Array.from({ length: 4 }, (_, index) => encode(size.bytes, `same-${size.name}-${index}`))
  await load(service.origin, '/v1/grades', same, { connections: 1, total: 4, status: [200, 201] })
  const figures = {
    bare: [] as number[],
    hit: [] as number[],
    miss: [] as number[],
    p99: [] as number[],
    p50: [] as number[],
  }
  for (let round = 0; round < rounds; round++) {
    const fresh = Array.from({ length: misses }, (_, index) => encode(size.bytes, `miss-${round}-${index}`))
    const { connections } = size
    figures.bare.push((await load(bare.origin, '/', same, { connections, total: hits, status: [200] })).requests_per_s)
    const hit = await load(service.origin, '/v1/grades', same, { connections, total: hits, status: [200] })
    const miss = await load(service.origin, '/v1/grades', fresh, { connections, total: misses, status: [201] })
    figures.hit.push(hit.requests_per_s)
    figures.p99.push(hit.p99_ms)
    figures.miss.push(miss.requests_per_s)
    figures.p50.push(miss.p50_ms)
  }
  const [base, hit, miss] = [median(figures.bare), median(figures.hit), median(figures.miss)]
  const cell = (value: number) => `${value.toFixed(0).padStart(7)} (${(value / base).toFixed(2)}x)`
  return `${size.name.padEnd(8)} ${base.toFixed(0).padStart(8)} ${cell(hit).padStart(20)} ${cell(miss).padStart(22)} ${median(figures.p99).toFixed(1).padStart(12)} ms ${median(figures.p50).toFixed(1).padStart(8)} ms`
}

const encode = (bytes: number, salt: string): Buffer => Buffer.from(JSON.stringify(makeRequest(bytes, salt)))
