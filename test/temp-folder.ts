import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder that is removed after the test file (own-temp-folder.ts). */
export const tempFolder = (): string => mkdtempSync(join(tmpdir(), 'veridict-'))
