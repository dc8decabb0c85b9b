import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-line.ts'
import { tempFolder } from '../temp-folder.ts'

interface Until {
  /** The process is ended once its output matches. */
  readonly until?: RegExp
  readonly end?: 'SIGTERM' | 'SIGKILL'
}

/** Runs Node.js with a module before the program, in an empty home, and waits until no process is left that could say more. */
async function runWith(
  option: string,
  module: string,
  args: readonly string[],
  { until, end = 'SIGTERM' }: Until = {},
) {
  const folder = tempFolder()
  const [file, LOADED] = [join(folder, option === '--require' ? 'first.cjs' : 'first.mjs'), join(folder, 'loaded.txt')]
  writeFileSync(file, module)
  const own = { HOME: folder, VERIDICT_DATABASE: join(folder, 'v.sqlite'), VERIDICT_PORT: '0', LOADED }
  const child = spawn(process.execPath, [option, file, ...args], {
    env: { PATH: process.env['PATH'], ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      said += data.toString()
      if (until?.test(said)) child.kill(end)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said, loaded: LOADED }
}

/** Writes which modules a process has loaded when it ends. */
const LOOK = `
import { createRequire, registerHooks } from 'node:module'
import { writeFileSync } from 'node:fs'
const seen = new Set()
registerHooks({ load(url, context, next) { seen.add(url); return next(url, context) } })
const { cache } = createRequire(import.meta.url)
process.on('exit', () => writeFileSync(process.env.LOADED, [...seen, ...Object.keys(cache)].join('\\n')))
`

interface Loaded {
  /** Outside packages, by name. */
  readonly packages: readonly string[]
  /** Of `src`. */
  readonly own: readonly string[]
}

async function loadedBy(args: readonly string[], until: Until = {}): Promise<Loaded> {
  const { code, said, loaded } = await runWith('--import', LOOK, args, until)
  expect(code, said).toBe(0)
  const urls = readFileSync(loaded, 'utf8').split('\n')
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])
  const own = urls.flatMap((url) => /^(?!.*node_modules).*\/src\/(.*)$/.exec(url)?.[1] ?? [])
  return { packages: [...new Set(packages)].sort(), own: [...new Set(own)].sort() }
}

test('--version loads nothing', async () => {
  const { packages, own } = await loadedBy(['bin/veridict.cjs', '--version'])
  expect(packages).toEqual([])
  expect(own).toEqual([])
})

test('the help of a command loads no service and no other command', async () => {
  const { packages, own } = await loadedBy(['bin/veridict.cjs', 'status', '--help'])
  expect(packages).toContain('commander')
  expect(packages.filter((name) => SERVICE.some((one) => one.test(name)))).toEqual([])
  expect(own.filter((file) => /-commands?\.ts$/.test(file))).toEqual(['cli/commands/batch-commands.ts'])
  expect(own.filter((file) => /^(?:boot|db(?!\/errors)|http|formats|judges)\//.test(file))).toEqual([])
})

const LISTENING: Until = { until: /audit pages at/ }

/** What only a service needs. */
const SERVICE = [/^(?:better-sqlite3|fastify|openai|pg|pino|prom-client|undici|yaml)$/, /^@/]

/** What a service on SQLite with the built-in judge can do without until something asks for it. */
const LATER = [
  /^@anthropic-ai\//,
  /^@aws-sdk\//,
  /^@opentelemetry\/(?!api$)/,
  /^@stdlib\//,
  /^(?:commander|csv-parse|openai|pg|tar-stream|undici|yauzl)$/,
]

test('a service on SQLite without keys loads no provider, no other store and nothing that only some requests need', async () => {
  const { packages, own } = await loadedBy(['bin/serve.cjs'], LISTENING)
  expect(packages).toContain('fastify')
  expect(packages.filter((name) => LATER.some((later) => later.test(name)))).toEqual([])
  expect(own.filter((file) => /^(?:archives\/|db\/open\/postgres|batches\/boss)/.test(file))).toEqual([])
})

test('every command is found under its own name', async () => {
  const named = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => [name, (await load())({ env: {}, args: [] } as never).name()]),
  )
  expect(named.map(([, name]) => name)).toEqual(Object.keys(COMMANDS))
})

/** What Node.js 20 says of itself, and lacks. */
const OLD = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
Object.defineProperty(process, 'version', { value: 'v20.20.2' })
delete require('node:module').enableCompileCache
`

const onOldNode = (args: readonly string[], until?: Until) => runWith('--require', OLD, args, until)

test('the service starts on the newer Node.js beside it, and ends as told', async () => {
  const { code, said } = await onOldNode(['bin/serve.cjs'], LISTENING)
  expect(said).toContain('audit pages at')
  expect(code).toBe(0)
})

test('the service ends by itself where what started it is killed', async () => {
  const { said } = await onOldNode(['bin/serve.cjs'], { ...LISTENING, end: 'SIGKILL' })
  expect(said).toContain('"msg":"stopped"')
})

test('a command runs on the newer Node.js beside it, with its arguments', async () => {
  const { code, said } = await onOldNode(['bin/veridict.cjs', 'rubrics', '--help'])
  expect(said).toContain('Usage:')
  expect(code).toBe(0)
})

test.each(['serve.cjs', 'veridict.cjs'])('%s says what it needs where there is no newer one', async (program) => {
  const alone = tempFolder()
  cpSync(resolve('bin'), join(alone, 'bin'), { recursive: true })
  const { code, said } = await onOldNode([join(alone, 'bin', program), 'judges'])
  expect(said).toBe(
    'veridict needs Node.js 24, and this is v20.20.2: run "npm ci" without --omit=optional, which installs it beside the code.\n',
  )
  expect(code).toBe(1)
})
