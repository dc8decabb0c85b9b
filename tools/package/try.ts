import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { NATIVE, startPostgres } from '../../test/storage/postgres-server.ts'
import { ROOT } from './bundle.ts'

/**
 * Packs the package by `npm pack`, and uses it as somebody who has npm and nothing else: from empty folders outside of the tree, it is run by npx, installed, its
 * commands and its service grade, and the examples of docs/clients.md are type-checked and run. TRY_NODE names another
 * Node.js to do that with, such as the oldest. Exit 1 names what failed.
 */

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const work = mkdtempSync(join(tmpdir(), 'veridict-package-'))
const PACKED = join(work, `veridict-${version}.tgz`)

/** Nothing of the npm script that runs this, its silence included, and no setting of Veridict; npm as it is configured. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:npm_(?!config_)|npm_config_(?:\w*prefix|loglevel)$|VERIDICT_|NODE_OPTIONS$|INIT_CWD$)/i.test(name),
    ),
  ),
  PATH: `${dirname(process.env['TRY_NODE'] ?? process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
  NO_COLOR: '1',
}

function folder(name: string): string {
  const path = join(work, name)
  mkdirSync(path)
  return path
}

/** Runs a command and returns its output. Throws for another exit code, and for an output without `wanted`. */
function run(cwd: string, [command = '', ...args]: readonly string[], wanted: RegExp, code = 0): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  const typed = [command, ...args].join(' ').replaceAll(ROOT, '')
  if (status !== code) throw new Error(`${typed} ended with ${status}:\n${stdout}${stderr}`)
  if (!wanted.test(stdout)) throw new Error(`${typed} did not print ${wanted}:\n${stdout}${stderr}`)
  return stdout
}

function timed(what: string, work: () => void): void {
  const start = performance.now()
  work()
  console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

const megabytes = (path: string): string => {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return `${(files.reduce((sum, one) => sum + statSync(join(one.parentPath, one.name)).size, 0) / 1e6).toFixed(1)} MB`
}

function tryCommands(cwd: string): void {
  const example = 'node_modules/veridict/examples/aligned-terminus-2'
  run(cwd, ['npx', 'veridict', '--version'], new RegExp(`^${version.replaceAll('.', '\\.')}\n$`))
  run(cwd, ['npx', 'veridict', '--help'], /npx veridict/)
  run(
    cwd,
    ['npx', 'veridict', 'grade', `${example}/trajectory.json`, '-g', `${example}/ground-truth.json`],
    /^aligned +medium/,
  )
  // One of the examples is unverified.
  run(cwd, ['npx', 'veridict', 'batch', 'node_modules/veridict/examples'], /8 items · graded 7 · unverified 1/, 2)
  run(cwd, ['npx', 'veridict', 'rubric', 'new', 'my-rubric'], /my-rubric/)
  run(cwd, ['npx', 'veridict', 'doctor'], /./)
}

/** The examples of a page: `<!-- example: name -->` before a block of TypeScript. Throws where a block of TypeScript has no name. */
function examplesIn(page: string): ReadonlyMap<string, string> {
  const found = [...page.matchAll(/^<!-- example: ([a-z-]+) -->\n```ts\n([\s\S]*?)^```$/gm)]
  const blocks = page.split('\n```ts\n').length - 1
  if (found.length === 0 || found.length !== blocks)
    throw new Error(`${found.length} of ${blocks} examples have a name`)
  return new Map(found.map(([, name = '', code = '']) => [name, code]))
}

/** Without the types of Node.js: a declaration that needs another package is found. */
function tryLibrary(cwd: string): void {
  const examples = examplesIn(readFileSync(join(ROOT, 'docs/clients.md'), 'utf8').split('\n## In process\n')[1] ?? '')
  for (const [name, code] of examples) writeFileSync(join(cwd, `${name}.mts`), code)
  const compilerOptions = {
    ...{ target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: false, noEmit: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: [], lib: ['es2024', 'dom'] },
  }
  const files = [...examples.keys()].map((name) => `${name}.mts`)
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  run(cwd, [join(ROOT, 'node_modules/.bin/tsc'), '-p', '.'], /^$/)
  const printed: Readonly<Record<string, RegExp>> = {
    grade: /^aligned high\n/,
    many: /2 graded aligned/,
    errors: /^400 unknown_judge/,
  }
  for (const name of examples.keys())
    run(cwd, ['node', '--experimental-strip-types', '--no-warnings', `${name}.mts`], printed[name] ?? /^$a/)
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
  const use = `import('veridict').catch(({ message }) => console.log(message))`
  run(cwd, ['node', '--eval', `${old}; ${use}`], /^veridict needs Node\.js 22\.19 or newer; this is v/)
  run(cwd, ['node', '--no-warnings', '--eval', `console.log(typeof require('veridict').grade)`], /^function\n$/)
}

interface Service {
  post(path: string, body: unknown): Promise<Response>
  get(path: string): Promise<Response>
}

/** Starts the installed service, uses it, and stops it by SIGTERM; throws where one of these goes wrong. */
async function withService(
  cwd: string,
  env: NodeJS.ProcessEnv,
  use: (service: Service) => Promise<void>,
): Promise<void> {
  const service = spawn(join(cwd, 'node_modules/.bin/veridict'), ['serve'], {
    cwd,
    env: { ...env, VERIDICT_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => service.once('exit', resolve))
  try {
    let origin = ''
    for await (const line of createInterface({ input: service.stdout })) {
      origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ''
      if (origin !== '') break
    }
    if (origin === '') throw new Error('the service ended before it listened')
    const headers = { 'content-type': 'application/json' }
    await use({
      post: (path, body) => fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) }),
      get: (path) => fetch(origin + path),
    })
  } finally {
    service.stdout.resume()
    service.kill('SIGTERM')
  }
  const code = await ended
  if (code !== 0) throw new Error(`SIGTERM ended the service with ${code}`)
}

function exampleIn(cwd: string, name: string): { trajectory: { steps: object[] }; ground_truth: object } {
  const read = (file: string) =>
    JSON.parse(readFileSync(join(cwd, 'node_modules/veridict/examples', name, file), 'utf8'))
  return { trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') }
}

async function tryService(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  await withService(cwd, { ...env, VERIDICT_DATABASE: ':memory:' }, async ({ post, get }) => {
    const graded = await post('/v1/grades', exampleIn(cwd, 'compliant-codex'))
    const { label } = (await graded.json()) as { label: string }
    const pages = await Promise.all(
      ['/readyz', '/audit/', '/openapi.json', '/docs'].map(async (path) => (await get(path)).status),
    )
    // The package of /docs is not installed.
    expectSame([graded.status, label, ...pages], [201, 'compliant', 200, 200, 200, 404])
  })
}

/** Text that does not pack, the same in every run; larger than what is read in the main thread, and than what stays in the database. */
const LARGE = createHash('shake256', { outputLength: 2_250_000 }).digest('base64')

/** Tries rare settings and work beside the main thread: a PostgreSQL, a collector of traces, models, a thread, statistics. */
async function tryRareParts(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  let traced = 0
  const others = createServer((request, response) => {
    if (request.url === '/v1/traces') request.on('data', (chunk: Buffer) => (traced += chunk.length))
    request.resume().on('end', () => {
      if (request.url === '/v1/traces') response.end()
      else response.writeHead(401).end('{"error":{"message":"no"}}')
    })
  })
  await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(others.address() as AddressInfo).port}`
  const postgres = NATIVE === null ? null : await startPostgres()
  const settings = {
    ...env,
    ...{ VERIDICT_DATABASE: 'rare.sqlite', ...(postgres !== null && { VERIDICT_DATABASE_URL: postgres.url }) },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '20' },
    ...{ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url },
  }
  try {
    await withService(cwd, settings, async ({ post, get }) => {
      const { trajectory, ground_truth } = exampleIn(cwd, 'compliant-codex')
      const note = { step_id: trajectory.steps.length + 1, source: 'agent', message: LARGE }
      const large = { trajectory: { ...trajectory, steps: [...trajectory.steps, note] }, ground_truth }
      const answer = await post('/v1/grades', large)
      const { label } = (await answer.json()) as { label: string }
      const failed = await Promise.all(
        ['openai', 'anthropic'].map(async (judge) => {
          const response = await post('/v1/grades', { trajectory, ground_truth, judge })
          return ((await response.json()) as { code: string }).code
        }),
      )
      const report = await get('/v1/reports?rubric=tab-behavior@2&judge=lexical')
      expectSame(
        [answer.status, label, ...failed, report.status],
        [201, 'compliant', 'authentication', 'authentication', 200],
      )
    })
    if (traced === 0) throw new Error('no trace was sent')
    return postgres === null ? 'no PostgreSQL for this platform: not tried' : 'PostgreSQL'
  } finally {
    others.close()
    await postgres?.remove()
  }
}

function expectSame(found: readonly unknown[], wanted: readonly unknown[]): void {
  if (found.join() !== wanted.join())
    throw new Error(`the service answered ${found.join(' ')} instead of ${wanted.join(' ')}`)
}

try {
  run(ROOT, ['npm', 'pack', '--pack-destination', work], /\.tgz/)
  const empty = folder('empty')
  timed(`npx of the packed file grades the examples, from an empty folder`, () => {
    run(empty, ['npx', '--yes', '--package', PACKED, 'veridict', 'demo'], /8 of 8 examples graded as expected/)
  })
  const installed = folder('installed')
  timed('npm install of the packed file', () => {
    // Otherwise npm installs into the nearest folder above that has a node_modules, even into / itself.
    run(installed, ['npm', 'install', '--prefix', '.', '--no-audit', '--no-fund', PACKED], /^/)
  })
  const packages = join(installed, 'node_modules')
  console.log(
    `packed ${(statSync(PACKED).size / 1e6).toFixed(2)} MB, installed ${megabytes(packages)}, of which veridict ${megabytes(join(packages, 'veridict'))}`,
  )
  timed('commands', () => tryCommands(installed))
  await tryService(installed, env)
  console.log(`service, with rare settings: traces, both model judges, a thread, ${await tryRareParts(installed, env)}`)
  timed('library, with its types', () => tryLibrary(installed))
  console.log('package: run by npx, installed, graded by command, batch, service and library')
} finally {
  rmSync(work, { recursive: true, force: true })
}
