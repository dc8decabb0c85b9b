import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A path for a database in a new folder, which goes with the test. */
export function tempDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-storage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'made', 'veridict.sqlite')
}
