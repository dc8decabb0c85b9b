import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { productionPackages, readLock } from './licences.ts'

/**
 * A CycloneDX bill of materials of what is installed in production, on stdout or in the given file; --check only makes sure that it
 * can be made. It is npm’s, cut to the production packages by the lock: `npm sbom --omit dev` leaves out those that a development
 * package needs too (`yaml`, `debug`). Without number and time of its making, so that the same lock gives the same bytes.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl?: string
  readonly hashes?: readonly unknown[]
  readonly licenses?: readonly unknown[]
}

interface Bom {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
  readonly metadata: Readonly<Record<string, unknown>> & { readonly component?: { readonly 'bom-ref': string } }
  readonly serialNumber?: string
}

function readBom(): Bom {
  const command = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const maxBuffer = 64 * 1024 * 1024
  const text = execFileSync('npm', command, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(text) as Bom
}

/** What of the bill is about the packages with these names, each `name@version`. */
function cut(bom: Bom, wanted: ReadonlySet<string>): Omit<Bom, 'serialNumber'> {
  const { serialNumber: _number, ...rest } = bom
  const { timestamp: _time, ...metadata } = rest.metadata
  const components = rest.components.filter(({ name, version }) => wanted.has(`${name}@${version}`))
  const refs = new Set([metadata.component?.['bom-ref'], ...components.map((one) => one['bom-ref'])])
  const dependencies = rest.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  return { ...rest, metadata, components, dependencies }
}

function findFaults({ components }: Pick<Bom, 'components'>, wanted: ReadonlySet<string>): string[] {
  const listed = new Map(components.map((one) => [`${one.name}@${one.version}`, one]))
  return [...wanted].flatMap((name) => {
    const component = listed.get(name)
    if (component === undefined) return [`${name} is not in the bill`]
    return component.purl && component.hashes?.length && component.licenses?.length
      ? []
      : [`${name} lacks digest or licence`]
  })
}

const packages = productionPackages(readLock(`${ROOT}package-lock.json`))
const wanted = new Set(packages.map(({ name, entry }) => `${name}@${entry.version ?? ''}`))
const bom = cut(readBom(), wanted)
const faults = findFaults(bom, wanted)
const text = `${JSON.stringify(bom, null, 2)}\n`
const target = process.argv.slice(2).find((word) => !word.startsWith('-'))
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exitCode = 1
} else if (process.argv.includes('--check')) {
  process.stdout.write(`bill of materials: ${wanted.size} components, each with digest and licence\n`)
} else if (target === undefined) process.stdout.write(text)
else writeFileSync(target, text)
