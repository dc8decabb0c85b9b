import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './bundle.ts'
import { plainType, type SchemaNode } from './plain-type.ts'

/**
 * Writes the declarations of modules and of what they name. Shapes of requests and answers are written out from their schemas, so that they
 * need no other package, and show what they are where an editor shows them. Throws where a declaration names a package.
 */
export async function declareInto(folder: string, entries: readonly string[]): Promise<void> {
  const emitted = join(ROOT, 'build/declarations')
  rmSync(emitted, { recursive: true, force: true })
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'tools/package'), '--outDir', emitted], {
    stdio: 'inherit',
  })
  const named = new Map<string, Set<string>>()
  const todo = [...entries]
  const done = new Set<string>()
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (done.has(file)) continue
    done.add(file)
    const emittedText = readFileSync(join(emitted, 'src', `${file}.d.ts`), 'utf8')
    const text = emittedText.replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'")
    for (const [, names = '', place = ''] of text.matchAll(/\{([^}]*)\} from '([^']+)'/g)) {
      if (!place.startsWith('.')) throw new Error(`${file}.d.ts names the package ${place}`)
      const other = normalize(join(dirname(file), place)).replace(/\.js$/, '')
      if (!other.startsWith('schemas/')) todo.push(other)
      else
        for (const name of names.split(','))
          setOf(named, other).add(
            name
              .replace('type ', '')
              .replace(/ as .*/, '')
              .trim(),
          )
    }
    write(folder, file, text)
  }
  for (const [file, names] of named) write(folder, file, await declareSchemas(file, names))
  rmSync(emitted, { recursive: true })
}

async function declareSchemas(file: string, names: ReadonlySet<string>): Promise<string> {
  const module = (await import(pathToFileURL(join(ROOT, 'src', `${file}.ts`)).href)) as Record<string, SchemaNode>
  return [...names]
    .sort()
    .map((name) => {
      const schema = module[`${name}Schema`] ?? module[name]
      if (schema === undefined) throw new Error(`${file} has no schema of ${name}`)
      return `export type ${name} = ${plainType(schema)}\n`
    })
    .join('\n')
}

function setOf(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set()
  map.set(key, found)
  return found
}

function write(folder: string, file: string, text: string): void {
  const path = join(folder, `${file}.d.ts`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
