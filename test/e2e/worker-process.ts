import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ServiceProcess, spawnService, tempFolder } from './service-process.ts'

/** A real `veridict worker` as a process of its own. */
export interface WorkerProcess {
  readonly child: ChildProcess
  /** Resolves once it works; rejects where it ends before. */
  readonly ready: Promise<void>
  readonly exited: Promise<number | null>
  readonly output: readonly string[]
  /** SIGSTOP: it stands still. */
  pause(): void
  /** SIGCONT. */
  goOn(): void
  kill(): Promise<void>
  stop(): Promise<number | null>
}

/** Services and workers on one database, all with the same configuration. */
export interface Fleet {
  service(env?: NodeJS.ProcessEnv): Promise<{ readonly process: ServiceProcess; readonly origin: string }>
  worker(env?: NodeJS.ProcessEnv): Promise<WorkerProcess>
}

export function createFleet(url: string, config: object): Fleet {
  const database = join(tempFolder(), 'unused.sqlite')
  const shared = { VERIDICT_DATABASE_URL: url }
  return {
    async service(env = {}) {
      const process = spawnService({ database, config, env: { ...shared, VERIDICT_WORKER: 'off', ...env } })
      return { process, origin: await process.ready }
    },
    async worker(env = {}) {
      const worker = spawnWorker(join(tempFolder(), 'config.json'), config, { ...shared, ...env })
      await worker.ready
      return worker
    },
  }
}

function spawnWorker(file: string, config: object, env: NodeJS.ProcessEnv): WorkerProcess {
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(process.execPath, ['src/worker.ts'], {
    env: {
      PATH: process.env['PATH'],
      VERIDICT_CONFIG: file,
      OPENAI_API_KEY: 'test',
      ANTHROPIC_API_KEY: 'test',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output: string[] = []
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output.push(chunk.toString())
      if (chunk.toString().includes('working on batches')) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    void exited.then(() => reject(new Error(`the worker ended before it worked: ${output.join('')}`)))
  })
  ready.catch(() => undefined)
  return {
    child,
    ready,
    exited,
    output,
    pause: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}
