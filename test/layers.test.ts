import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** The folders, and files, that each folder of src/ may import from, beside itself. A line that would have to point upwards belongs elsewhere. */
const LAYERS: Readonly<Record<string, string>> = {
  schemas: '',
  domain: 'schemas',
  formats: 'schemas domain',
  archives: 'schemas domain formats',
  config: 'schemas domain',
  access: '',
  db: 'schemas domain access judges/judge.ts',
  offload: 'schemas domain formats db',
  grading: 'schemas domain db judges/judge.ts',
  batches: 'schemas domain db grading judges/judge.ts',
  audit: 'schemas domain db batches',
  judges: 'schemas domain config',
  telemetry: 'schemas grading judges/judge.ts',
  // A package entry of its own, for browsers too.
  client: '',
  // Types alone: what it stops and what it logs.
  process: 'batches http',
  http: 'schemas domain db grading batches audit access config offload telemetry judges/judge.ts',
  boot: 'schemas domain formats db grading batches audit judges config access offload telemetry process http',
  // Grades in the caller’s process, or at a service by its client.
  library: 'schemas domain grading batches audit config process boot client http/context.ts judges/judge.ts',
  cli: 'schemas domain db grading archives config access process boot client library audit/csv.ts judges/judge.ts',
}
const ENTRIES = ['cli.ts', 'index.ts', 'server.ts']
const MOST_FILES = 20

/** The folders that use a package; a package that is not named here is used by nobody. */
const OWNERS: Readonly<Record<string, string>> = {
  '@anthropic-ai': 'judges',
  '@fastify/cookie': 'http',
  '@fastify/swagger': 'http',
  '@fastify/swagger-ui': 'http',
  '@fastify/type-provider-typebox': 'http',
  '@fastify/under-pressure': 'http',
  '@fastify/otel': 'telemetry',
  '@opentelemetry': 'telemetry',
  '@stdlib': 'domain',
  ajv: 'schemas',
  'better-sqlite3': 'db',
  commander: 'cli',
  'csv-parse': 'archives',
  // In `telemetry`: a type alone.
  fastify: 'http boot process telemetry',
  kysely: 'db',
  'lru-cache': 'boot db http',
  openai: 'judges',
  'openapi-fetch': 'client',
  'pure-rand': 'domain',
  'p-queue': 'batches grading offload audit client',
  pg: 'db',
  'pg-boss': 'batches',
  pino: 'process',
  piscina: 'offload',
  'prom-client': 'http',
  'tar-stream': 'archives',
  typebox: 'cli client config http library schemas',
  unbash: 'domain',
  undici: 'judges',
  yaml: 'config',
  yauzl: 'archives',
}

const IMPORT = /^(?:import|export)[^'"]*?from '([^'\n]+)'|^import '([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
const imports = new Map(
  files.map((file) => {
    const text = readFileSync(join('src', file), 'utf8')
    return [file, [...text.matchAll(IMPORT)].map((found) => found[1] ?? found[2] ?? found[3] ?? '')] as const
  }),
)
const inside = (file: string): string[] =>
  (imports.get(file) ?? []).flatMap((name) => (name.startsWith('.') ? [normalize(join(dirname(file), name))] : []))
const folderOf = (file: string): string => file.split('/')[0] ?? ''
const isIn = (list: string | undefined, one: string): boolean => list?.split(' ').includes(one) === true

test('what is imported is found', () => expect([...imports.values()].flat().length).toBeGreaterThan(2000))

test('data flows one way: no folder imports from one above it', () => {
  const wrong = files.flatMap((file) => {
    const own = folderOf(file)
    if (ENTRIES.includes(file)) return []
    return inside(file).flatMap((other) => {
      const theirs = folderOf(other)
      return theirs === own || theirs === '..' || isIn(LAYERS[own], theirs) || isIn(LAYERS[own], other)
        ? []
        : [`${file} imports ${other}`]
    })
  })
  expect(wrong).toEqual([])
  expect([...new Set(files.map(folderOf))].sort()).toEqual([...Object.keys(LAYERS), ...ENTRIES].sort())
})

test('no imports in a circle, types included', () => {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (done.has(file) || way.includes(file)) return
    for (const other of inside(file)) visit(other, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(circles).toEqual([])
})

test('the folders of the domain import from each other in one direction', () => {
  const ways = new Set(
    files.flatMap((file) => {
      const [layer, own, ...rest] = file.split('/')
      if (layer !== 'domain' || own === undefined || rest.length === 0) return []
      return inside(file).flatMap((other) => {
        const [theirLayer, theirs, ...more] = other.split('/')
        return theirLayer === 'domain' && theirs !== own && more.length > 0 ? [`${own} ${theirs}`] : []
      })
    }),
  )
  const reaches = (from: string, to: string, way: readonly string[] = []): boolean =>
    [...ways].some((one) => {
      const [own = '', theirs = ''] = one.split(' ')
      return own === from && !way.includes(theirs) && (theirs === to || reaches(theirs, to, [...way, theirs]))
    })
  expect(ways.size).toBeGreaterThan(10)
  expect([...new Set([...ways].map((one) => one.split(' ')[0] ?? ''))].filter((own) => reaches(own, own))).toEqual([])
})

test('each outside package has its owning folders, and the core is pure', () => {
  const wrong = files.flatMap((file) =>
    (imports.get(file) ?? []).flatMap((name) => {
      if (name.startsWith('.')) return []
      const own = folderOf(file)
      if (name.startsWith('node:'))
        return isIn('schemas domain formats', own) && name !== 'node:crypto' ? [`${file} imports ${name}`] : []
      const parts = name.split('/')
      const found = [parts.slice(0, 2).join('/'), parts[0] ?? ''].find((one) => one in OWNERS) ?? ''
      return isIn(OWNERS[found], own) || ENTRIES.includes(file) ? [] : [`${file} imports ${name}`]
    }),
  )
  expect(wrong).toEqual([])
})

test('folders stay small, and nothing lies loose', () => {
  const sizes = Map.groupBy(files, dirname)
  expect([...sizes].filter(([, some]) => some.length > MOST_FILES).map(([folder]) => folder)).toEqual([])
  expect(sizes.get('.')?.sort()).toEqual(ENTRIES)
})
