import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { ownFolders } from './left-temp-folders.ts'

/**
 * Sets a separate temporary folder for each test file, before the file runs. The files of the test and of all its processes are removed
 * after its own `afterAll`.
 */
const before = process.env['TMPDIR']
const folder = mkdtempSync(join(tmpdir(), ownFolders(process.ppid)))
// The PostgreSQL server of the tests runs as another user.
chmodSync(folder, 0o711)
process.env['TMPDIR'] = folder

afterAll(() => {
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
