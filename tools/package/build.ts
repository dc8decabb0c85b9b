import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleInto, EXPORTS, exportName, LIBRARY, OLDEST, OUTSIDE, ROOT } from './bundle.ts'
import { declareInto } from './declarations.ts'
import { noticesOf } from './notices.ts'
import { KEPT, MADE, MANIFEST } from './restore.ts'

/**
 * Prepares `npm pack` in a clone: writes `dist`, `types` and the licences of what is bundled, and puts the manifest of
 * the package in the place of the clone's until it has packed (`restore.ts`). Everything else is packed as it lies in the clone.
 */

/** Files of the package beside `package.json`, README.md and LICENSE: the files that the documentation names, without pictures, tests and programs of the clone. */
const FILES = [
  ...MADE,
  'bin/veridict.cjs',
  'bin/compile-cache.cjs',
  'clients/python/*.{py,toml}',
  'docs/*.md',
  'examples',
  '!examples/**/*.ts',
  'integrations',
  '!integrations/**/{node_modules,test,__pycache__}',
  '!integrations/**/package-lock.json',
  'migrations',
  'openapi/openapi.json',
  'rubrics',
  'src/cli/{help.md,rubric/template/**}',
  'web/dist',
]

interface Manifest {
  readonly [member: string]: unknown
  readonly dependencies: Readonly<Record<string, string>>
}

/** Makes the `package.json` of the package. The package stays private: its publication is a decision, not an accident. */
function manifestOf({ name, version, license, description, dependencies }: Manifest): object {
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, dependencies[one]]))
  return {
    ...{ name, version, private: true, license, description },
    type: 'module',
    engines: { node: `>=${OLDEST}` },
    bin: { veridict: 'bin/veridict.cjs' },
    files: FILES,
    exports: {
      ...Object.fromEntries(
        Object.entries(EXPORTS).map(([path, file]) => [
          path,
          {
            types: `./types/${moduleOf(file)}.d.ts`,
            // A module that awaits at its top level cannot be required.
            ...(path === '.' && { require: `./dist/${LIBRARY}.js` }),
            default: `./dist/${exportName(path)}.js`,
          },
        ]),
      ),
      './openapi.json': './openapi/openapi.json',
      './package.json': './package.json',
    },
    dependencies: pick(OUTSIDE.needed),
    peerDependencies: pick(OUTSIDE.optional),
    peerDependenciesMeta: Object.fromEntries(OUTSIDE.optional.map((one) => [one, { optional: true }])),
  }
}

/** `./src/client/index.ts` is `client/index`. */
const moduleOf = (file: string): string => file.replace('./src/', '').replace('.ts', '')

const files = await bundleInto(join(ROOT, 'dist'))
writeFileSync(join(ROOT, 'THIRD-PARTY-LICENSES.txt'), noticesOf(files))
await declareInto(join(ROOT, 'types'), Object.values(EXPORTS).map(moduleOf))
const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
mkdirSync(join(ROOT, 'build'), { recursive: true })
copyFileSync(MANIFEST, KEPT)
writeFileSync(MANIFEST, `${JSON.stringify(manifestOf(manifest), null, 2)}\n`)
