import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Namespace, type PostgresServer, startPostgres } from '../../test/storage/postgres-server.ts'
import { type PlayedProvider, spawnProvider } from '../played-provider.ts'
import type { Place } from './network.ts'

export interface ClusterOptions {
  readonly services: number
  readonly workers: number
  /** Of the played provider. */
  readonly latency_ms: number
  /** Calls in flight over all processes. */
  readonly at_once: number
  /** Whether commits wait for the disk, as those of every real server do; the test server does not by itself. */
  readonly fsync?: boolean
  /** The network namespace of PostgreSQL. */
  readonly database?: Namespace
  /** Of the configuration file, beside what is above. */
  readonly settings?: object
}

/** Services and workers over one PostgreSQL and one played provider; all of them processes of their own. */
export interface Cluster {
  readonly postgres: PostgresServer
  readonly provider: PlayedProvider
  readonly services: readonly Member[]
  readonly workers: Member[]
  /** On loopback where no place is named. */
  addWorker(place?: Place): Promise<Member>
  /** Ends everything that was started, and removes its data. */
  end(): Promise<void>
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-cluster-'))
  const config = join(folder, 'config.json')
  const { at_once, settings = {} } = options
  const concurrency = { initial: at_once, min: 1, max: at_once }
  writeFileSync(config, JSON.stringify({ concurrency, ...settings }))
  const [postgres, provider] = await Promise.all([
    startPostgres({ fsync: options.fsync === true, namespace: options.database ?? null }),
    spawnProvider(options.latency_ms),
  ])
  const members: Member[] = []
  const workers: Member[] = []
  let started = 0
  const start = async (command: 'serve' | 'worker', place?: Place) => {
    const name = `${command}-${started++}`
    const env = environment(postgres.url, config, place?.provider ?? provider.origin, name)
    const member = await startMember(name, command, env, place?.namespace)
    members.push(member)
    return member
  }
  const addWorker = async (place?: Place) => {
    const worker = await start('worker', place)
    workers.push(worker)
    return worker
  }
  async function end(): Promise<void> {
    await Promise.all(members.map((one) => one.stop()))
    await Promise.all([provider.stop(), postgres.remove()])
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const services = await Promise.all(Array.from({ length: options.services }, () => start('serve')))
    for (let count = 0; count < options.workers; count++) await addWorker()
    return { postgres, provider, services, workers, addWorker, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** The API key names the process, so that the provider can tell whose calls are on their way. It is no part of a judge’s identity. */
const environment = (url: string, config: string, origin: string, name: string): NodeJS.ProcessEnv => ({
  VERIDICT_PORT: '0',
  VERIDICT_HOST: '127.0.0.1',
  VERIDICT_DATABASE_URL: url,
  VERIDICT_CONFIG: config,
  VERIDICT_WORKER: 'off',
  VERIDICT_LOG_LEVEL: 'info',
  ANTHROPIC_API_KEY: '',
  OPENAI_API_KEY: name,
  OPENAI_BASE_URL: `${origin}/v1`,
})

/** A `veridict serve` or `veridict worker` of its own. */
export interface Member {
  readonly name: string
  readonly pid: number
  /** Of a service; null: a worker. */
  readonly origin: string | null
  /** Null: it runs. */
  exit(): { readonly code: number | null; readonly signal: string | null } | null
  signal(signal: NodeJS.Signals): void
  /** SIGTERM, and resolves with how it ended. */
  stop(): Promise<number | null>
  /** The last lines that it logged as errors. */
  readonly errors: readonly string[]
}

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const MOST_ERRORS = 20

/** Starts one, in a network namespace where one is named, and waits until it says that it is ready. */
export async function startMember(
  name: string,
  command: 'serve' | 'worker',
  env: NodeJS.ProcessEnv,
  namespace?: string,
): Promise<Member> {
  const words = [process.execPath, CLI, command]
  // `ip netns exec` becomes the program: signals reach it.
  const [program = '', ...args] = namespace === undefined ? words : ['ip', 'netns', 'exec', namespace, ...words]
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const errors: string[] = []
  const note = (line: string) => {
    errors.push(line)
    if (errors.length > MOST_ERRORS) errors.shift()
  }
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', note)
  const origin = await ready(child, command, note).catch((error: unknown) => {
    throw new Error(`${name}: ${(error as Error).message}\n${errors.join('\n')}`)
  })
  return {
    name,
    pid: child.pid ?? 0,
    origin,
    errors,
    exit: () =>
      child.exitCode === null && child.signalCode === null ? null : { code: child.exitCode, signal: child.signalCode },
    signal: (signal) => void child.kill(signal),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGCONT')
        child.kill('SIGTERM')
        await ended
      }
      return child.exitCode
    },
  }
}

/** A service names its address; a worker says that it works. */
async function ready(child: ChildProcess, command: string, note: (line: string) => void): Promise<string | null> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('it ended before it was ready')))
  ended.catch(() => undefined)
  const found = new Promise<string | null>((resolve) => {
    if (child.stdout === null) return
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
      if (command === 'serve' && address !== undefined) resolve(address)
      if (command === 'worker' && line.includes('working')) resolve(null)
      if (/"level":[56]0/.test(line)) note(line)
    })
  })
  return Promise.race([found, ended])
}
