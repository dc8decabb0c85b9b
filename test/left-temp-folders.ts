import { existsSync, globSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Prefix of the folders of `own-temp-folder.ts`, by the process of the run. */
export const ownFolders = (run: number): string => `veridict-test-${run}-`

const MEMORY = '/dev/shm'
const MEMORY_BYTES = 4 * 1024 ** 3

/**
 * Puts the temporary folders of a run into memory, where the machine has a file system with room there and the user names no folder: the databases
 * of the tests commit thousands of times, and each commit waits for the disk.
 */
export const setup = (): void => {
  if (!existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize >= MEMORY_BYTES) process.env['TMPDIR'] ??= MEMORY
}

/** Removes, at the end of a run, the folders of test files that failed to load and so never ran their `afterAll`. */
export const teardown = (): void => {
  for (const folder of globSync(join(tmpdir(), `${ownFolders(process.pid)}*`)))
    rmSync(folder, { recursive: true, force: true })
}
