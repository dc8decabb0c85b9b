import { readFileSync } from 'node:fs'

/** The lock file, as far as the supply chain is about it. */

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
  readonly devDependencies?: Readonly<Record<string, string>>
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
