import { globSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How the folders of `own-temp-folder.ts` begin, by the process of the run. */
export const ownFolders = (run: number): string => `veridict-test-${run}-`

/** Run when a run ends: a test file that could not be loaded had no `afterAll`, and has left its folder. */
export const teardown = (): void => {
  for (const folder of globSync(join(tmpdir(), `${ownFolders(process.pid)}*`)))
    rmSync(folder, { recursive: true, force: true })
}
