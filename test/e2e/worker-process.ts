import { join } from 'node:path'
import { userOf } from './scene.ts'
import { spawnProgram, spawnService, tempFolder } from './service-process.ts'

/** Services and workers on one PostgreSQL database, as processes of their own, all with the same configuration. */
export function createFleet(url: string, config: object) {
  const database = join(tempFolder(), 'unused.sqlite')
  const shared = { VERIDICT_DATABASE_URL: url }
  return {
    /** Starts a service that runs no batches. */
    async service() {
      const service = spawnService({ database, config, env: { ...shared, VERIDICT_WORKER: 'off' } })
      return { ...service, ...userOf(await service.ready) }
    },
    /** Starts a real `veridict worker`. */
    async worker(env: NodeJS.ProcessEnv = {}) {
      const file = join(tempFolder(), 'config.json')
      const worker = spawnProgram(['src/cli.ts', 'worker'], { file, config }, { ...shared, ...env }, (printed) =>
        printed.includes('working on batches') ? true : undefined,
      )
      await worker.ready
      return worker
    },
  }
}
