import { join } from 'node:path'
import { type RunningProcess, type ServiceProcess, spawnProgram, spawnService, tempFolder } from './service-process.ts'

/** A real `veridict worker` as a process of its own. */
export interface WorkerProcess extends RunningProcess<true> {
  /** Sends SIGSTOP. */
  pause(): void
  /** Sends SIGCONT. */
  goOn(): void
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
  const worker = spawnProgram(['src/worker.ts'], { file, config }, env, (printed) =>
    printed.includes('working on batches') ? true : undefined,
  )
  const { child } = worker
  return { ...worker, pause: () => void child.kill('SIGSTOP'), goOn: () => void child.kill('SIGCONT') }
}
