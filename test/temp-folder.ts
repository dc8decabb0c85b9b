import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder. It goes with the test file (own-temp-folder.ts). */
export const tempFolder = (): string => mkdtempSync(join(tmpdir(), 'veridict-'))
