import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleInto, EXPORTS, exportName, LIBRARY, OLDEST, OUTSIDE, ROOT } from './bundle.ts'
import { declareInto } from './declarations.ts'
import { KEPT, MADE, MANIFEST } from './restore.ts'

// Prepares `npm pack` in a clone: writes `dist`, `types` and the licences of what is bundled, and puts the manifest of
// the package in the place of the clone's until it has packed (`restore.ts`). Everything else is packed as it lies in the clone.

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

const INSIDE = '/node_modules/'

/** Lists the texts of the licences, as most licences ask for, of the packages of which some file went into the package. */
function noticesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => folderOf(file.split('?')[0] ?? '') ?? []))
  const packages = [...folders]
    .map(readPackage)
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
  const listed = packages.map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}`)
  const head = `Veridict's JavaScript holds code of these ${packages.length} packages, under their licences.`
  return [head, ...listed].join(`\n\n${'-'.repeat(80)}\n\n`)
}

/** The folder of the package that a file is of. */
function folderOf(file: string): string | null {
  const at = file.lastIndexOf(INSIDE)
  if (at === -1) return null
  const [first = '', second = ''] = file.slice(at + INSIDE.length).split('/')
  return file.slice(0, at + INSIDE.length) + (first.startsWith('@') ? `${first}/${second}` : first)
}

function readPackage(folder: string) {
  const manifest: Record<string, string> = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { name, version, license } = manifest
  const texts = readdirSync(folder).filter((one) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(one))
  const text = texts.map((one) => readFileSync(join(folder, one), 'utf8').trim()).join('\n\n')
  if (name === undefined || version === undefined) throw new Error(`${folder} is no package`)
  return { name, version, licence: license ?? 'none', text: text || 'It brings no text of its licence.' }
}

const files = await bundleInto(join(ROOT, 'dist'))
writeFileSync(join(ROOT, 'THIRD-PARTY-LICENSES.txt'), noticesOf(files))
declareInto(join(ROOT, 'types'), Object.values(EXPORTS).map(moduleOf))
const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
mkdirSync(join(ROOT, 'build'), { recursive: true })
copyFileSync(MANIFEST, KEPT)
writeFileSync(MANIFEST, `${JSON.stringify(manifestOf(manifest), null, 2)}\n`)
