import { globSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Prefix of the folders of `own-temp-folder.ts`, by the process of the run. */
export const ownFolders = (run: number): string => `veridict-test-${run}-`

/** Removes, at the end of a run, the folders of test files that failed to load and so never ran their `afterAll`. */
export const teardown = (): void => {
  for (const folder of globSync(join(tmpdir(), `${ownFolders(process.pid)}*`)))
    rmSync(folder, { recursive: true, force: true })
}
