import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-line.ts'
import { tempFolder } from '../temp-folder.ts'

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

async function loadedBy(args: readonly string[], env: NodeJS.ProcessEnv, until?: RegExp): Promise<Loaded> {
  const folder = tempFolder()
  const [look, out] = [join(folder, 'look.mjs'), join(folder, 'loaded.txt')]
  writeFileSync(look, LOOK)
  const child = spawn(process.execPath, ['--import', look, ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, VERIDICT_DATABASE: join(folder, 'v.sqlite'), LOADED: out, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString()
    if (until?.test(said)) child.kill('SIGTERM')
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
  const urls = readFileSync(out, 'utf8').split('\n')
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])
  const own = urls.flatMap((url) => /^(?!.*node_modules).*\/src\/(.*)$/.exec(url)?.[1] ?? [])
  return { packages: [...new Set(packages)].sort(), own: [...new Set(own)].sort() }
}

test.each(['src/cli.ts', 'bin/veridict.cjs'])('%s --version loads nothing but itself', async (file) => {
  const { packages, own } = await loadedBy([file, '--version'], {})
  expect(packages).toEqual([])
  expect(own).toEqual(file.startsWith('src') ? ['cli.ts', 'grading/software.ts'] : [])
})

test('the help of a command loads no service and no other command', async () => {
  const { packages, own } = await loadedBy(['bin/veridict.cjs', 'status', '--help'], {})
  expect(packages).toContain('commander')
  expect(packages.filter((name) => SERVICE.some((one) => one.test(name)))).toEqual([])
  expect(own.filter((file) => /-commands?\.ts$/.test(file))).toEqual(['cli/commands/look-commands.ts'])
  expect(own.filter((file) => /^(?:boot|db|http|formats|judges)\//.test(file))).toEqual([])
})

/** What only a service needs. */
const SERVICE = [/^(?:better-sqlite3|fastify|openai|pg|pino|prom-client|undici|yaml)$/, /^@/]

/** What a service on SQLite with the built-in judge can do without until something asks for it. */
const LATER = [
  /^@anthropic-ai\//,
  /^@aws-sdk\//,
  /^@opentelemetry\/(?!api$)/,
  /^@stdlib\//,
  /^(?:commander|csv-parse|log-update|openai|pg|tar-stream|undici|yauzl)$/,
]

test('a service on SQLite without keys loads no provider, no other store and nothing that only some requests need', async () => {
  const { packages, own } = await loadedBy(['bin/serve.cjs'], { VERIDICT_PORT: '0' }, /audit pages at/)
  expect(packages).toContain('fastify')
  expect(packages.filter((name) => LATER.some((later) => later.test(name)))).toEqual([])
  expect(own.filter((file) => /^(?:archives\/|db\/open\/postgres|batches\/boss)/.test(file))).toEqual([])
})

test('every command is found under its own name', async () => {
  const named = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => [name, (await load())({ env: {} } as never).name()]),
  )
  expect(named.map(([, name]) => name)).toEqual(Object.keys(COMMANDS))
})
