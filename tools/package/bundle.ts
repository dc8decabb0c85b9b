import { readFileSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Modules by the name of their import: `exports` of package.json. */
export const EXPORTS = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: Readonly<Record<string, string>> }
).exports

/** Names the file of an export in `dist`: `index`, `client`. */
export const exportName = (path: string): string => (path === '.' ? 'index' : path.slice(2))

/** The module of the library, which the entry of the package imports. */
export const LIBRARY = 'library'

/** Modules that are loaded by name or by address. All others are in shared chunks, which are loaded when they are needed. */
const ENTRIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(EXPORTS).map(([path, file]) => [path === '.' ? LIBRARY : exportName(path), file.slice(2)]),
  ),
  cli: 'src/cli.ts',
  'statistics-process': 'src/audit/statistics-process.ts',
  'large-body-thread': 'src/offload/large-body-thread.ts',
}

/** Oldest Node.js of the package, which the bundled undici asks for. */
export const OLDEST = '22.19'

/** Packages outside of the bundle: a binary, a program of its own for each thread, and files for browsers. */
export const OUTSIDE: Readonly<Record<'needed' | 'optional', readonly string[]>> = {
  needed: ['better-sqlite3', 'piscina'],
  optional: ['@fastify/swagger-ui'],
}

/**
 * Writes the modules of `ENTRIES`, and of the packages that they use, into one flat folder, `dist` beside `rubrics` and `migrations`. Names
 * are kept and lines are not: a stack trace still says which function. Throws where a module or a package is left that would not be found.
 *
 * @returns the paths of all files that went in
 */
export async function bundleInto(folder: string): Promise<readonly string[]> {
  const outside = [...OUTSIDE.needed, ...OUTSIDE.optional]
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...ENTRIES },
    platform: 'node',
    transform: { target: `node${OLDEST}` },
    external: (id) => id.startsWith('node:') || outside.includes(id) || id === LAUNCHER,
    plugins: [placed],
    onLog(level, log) {
      if (level === 'warn' && !EXPECTED.has(log.code ?? '')) throw new Error(`${log.code}: ${log.message}`)
    },
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  })
  const chunks = output.filter((one): one is OutputChunk => one.type === 'chunk')
  const library = chunks.find(({ fileName }) => fileName === `${LIBRARY}.js`)
  writeFileSync(join(folder, 'index.js'), entryText(library?.exports ?? []))
  const there = new Set([...chunks.map((one) => one.fileName), ...builtinModules, ...outside])
  for (const { fileName, code, imports, dynamicImports } of chunks) {
    const lost = [...imports, ...dynamicImports].filter((name) => !there.has(name.replace(/^node:/, '')))
    const left = /new URL\(['"`][^'"`]*\.ts['"`]/.exec(code)?.[0]
    if (lost.length > 0 || left !== undefined) throw new Error(`${fileName} needs ${[...lost, left].join(', ')}`)
  }
  return [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds))]
}

/** Renders the entry of the package. An older Node.js would refuse the library while it links the modules, with an error that names no version. */
const entryText = (names: readonly string[]): string => {
  const [major, minor] = OLDEST.split('.')
  return `const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${major} || (major === ${major} && minor < ${minor}))
  throw new Error(\`veridict needs Node.js ${OLDEST} or newer; this is \${process.version}\`)
export const { ${names.join(', ')} } = await import('./${LIBRARY}.js')
`
}

const LAUNCHER = '../bin/compile-cache.cjs'

/** Harmless warnings about packages of others. */
const EXPECTED = new Set(['EVAL', 'CIRCULAR_DEPENDENCY', 'COMMONJS_VARIABLE_IN_ESM', 'MISSING_EXPORT'])

/** Finds `createRequire` where it exists: browsers run chunks of the client, and have no module of Node.js. */
const REQUIRE = `const { createRequire } = globalThis.process?.getBuiltinModule('node:module') ?? { createRequire() {} };`

/** Rewrites the places of files beside the code, which are one folder up from a chunk in `dist`, and bundles modules that are required by name. */
const placed: Plugin = {
  name: 'placed',
  renderChunk: (code) => (code.includes('__require = ') ? code.replace(/import .* "node:module";/, REQUIRE) : null),
  transform(code, id) {
    if (!id.startsWith(`${ROOT}src/`)) return null
    const changed = code
      .replaceAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url\)/g, (_all, place: string) => {
        const target = relative(ROOT, join(dirname(id), place))
        const entry = Object.entries(ENTRIES).find(([, file]) => file === target)
        const inPackage = entry === undefined ? `../${target}${place.endsWith('/') ? '/' : ''}` : `./${entry[0]}.js`
        return `new URL('${inPackage}', import.meta.url)`
      })
      .replaceAll(
        /(?:process\s*\.getBuiltinModule\('node:module'\)\s*\.)?createRequire\(import\.meta\.url\)\(\s*'([^'.][^']*)',?\s*\)/g,
        (_all, name: string) => `require('${name}')`,
      )
    return changed === code ? null : changed
  },
}
