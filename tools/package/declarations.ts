import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { ROOT } from './bundle.ts'

/** Writes the declarations of modules and of all that they name. Throws where a declaration names a package. */
export function declareInto(folder: string, entries: readonly string[]): void {
  const emitted = join(ROOT, 'build/declarations')
  rmSync(emitted, { recursive: true, force: true })
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'tools/package'), '--outDir', emitted], {
    stdio: 'inherit',
  })
  const todo = new Set(entries)
  for (const file of todo) {
    const text = readFileSync(join(emitted, 'src', `${file}.d.ts`), 'utf8')
    for (const [, place = ''] of text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
      if (!place.startsWith('.')) throw new Error(`${file}.d.ts names the package ${place}`)
      todo.add(normalize(join(dirname(file), place)).replace(/\.[jt]s$/, ''))
    }
    const path = join(folder, `${file}.d.ts`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text.replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"))
  }
  rmSync(emitted, { recursive: true })
}
