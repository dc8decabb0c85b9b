import { join } from 'node:path'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import type { Provider } from './operation.ts'

/** A file that a sound service makes, at rest, for the runs of one test to start from. */
export const makeTemplate =
  (provide: () => Promise<Provider>, work: (origin: string) => Promise<unknown>) => async (): Promise<string> => {
    const database = join(tempFolder(), 'template.sqlite')
    const service = spawnService({ database, config: (await provide()).config })
    await work(await service.ready)
    const code = await service.stop()
    if (code !== 0) throw new Error(`the template’s service ended with ${code}`)
    return database
  }
