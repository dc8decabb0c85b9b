import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Cleans up after `npm pack`: puts the manifest of the clone back, and removes the files that were built for the package. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const MANIFEST = join(ROOT, 'package.json')
/** The manifest of the clone, while that of the package is in its place. */
export const KEPT = join(ROOT, 'build/package.json')
export const MADE = ['dist', 'types', 'THIRD-PARTY-LICENSES.txt']

if (existsSync(KEPT)) renameSync(KEPT, MANIFEST)
for (const path of MADE) rmSync(join(ROOT, path), { recursive: true, force: true })
