import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeRequest } from '../bench/make-body.ts'
import { spawnProvider } from '../bench/played-provider.ts'
import { type RunningServer, startScript } from '../bench/servers.ts'
import { runScript } from './command-line.ts'

/**
 * How many files and named functions of src/ one request runs through: `npm run path`; `--list` names them. A function is on the path of a request
 * if it is called in each of three windows around one such request to a warm service; on that of a batch item, if each item more in a batch
 * calls it at least once more: what is done once a batch or once a commit is left out.
 */

const SRC = new URL('../src/', import.meta.url).href
const PROBE = new URL('path-probe.ts', import.meta.url).href
const BYTES = 20_000
const ROUNDS = 3
/** What a request leaves to be done after its answer. */
const SETTLE_MS = 150
const [FEW, MANY] = [8, 40] as const

/** Calls of each named function, by its file below src/, its name and where it begins. */
type Calls = ReadonlyMap<string, number>

const HELP = `npm run path             the files and named functions of src/ on the path of a miss, a hit and a batch’s item
  -- --list              with their names, by file
  -- --json              as JSON
Takes about 15 s; judges are played on loopback.`

const folder = mkdtempSync(join(tmpdir(), 'veridict-path-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const NAMES = Object.keys(process.env)
const counted = join(folder, 'counts.json')

/** Nothing that the caller configured: what is undefined is not handed on. */
const environment = (provider: string, database: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(NAMES.filter((name) => name.startsWith('VERIDICT_')).map((name) => [name, undefined])),
  NODE_OPTIONS: `--import ${PROBE}`,
  PATH_COUNTS: counted,
  VERIDICT_PORT: '0',
  VERIDICT_DATABASE: join(folder, database),
  ANTHROPIC_API_KEY: '',
  OPENAI_API_KEY: 'path',
  OPENAI_BASE_URL: `${provider}/v1`,
})

/** What the probe has written. */
function readCalls(): Calls {
  const { result } = JSON.parse(readFileSync(counted, 'utf8')) as Profiler.TakePreciseCoverageReturnType
  rmSync(counted)
  const calls = new Map<string, number>()
  for (const { url, functions } of result.filter((script) => script.url.startsWith(SRC)))
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset } = { count: 0, startOffset: 0 }] = ranges
      if (functionName !== '' && count > 0) calls.set(`${url.slice(SRC.length)} ${functionName} ${startOffset}`, count)
    }
  return calls
}

async function takeCalls({ pid }: RunningServer): Promise<Calls> {
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(counted)) await delay(5)
  return readCalls()
}

/** What each of the requests called; the first one only warms up. */
async function measureRequest(service: RunningServer, judge: string, salt: (round: number) => string) {
  const windows: Calls[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const body = JSON.stringify(makeRequest(BYTES, salt(round), { judge }))
    await takeCalls(service)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${service.origin}/v1/grades`, { method: 'POST', headers, body })
    const text = await answer.text()
    if (!text.includes('"status":"graded"')) throw new Error(`HTTP ${answer.status}: ${text}`)
    await delay(SETTLE_MS)
    windows.push(await takeCalls(service))
  }
  const [, first, ...others] = windows
  return [...(first?.keys() ?? [])].filter((place) => others.every((calls) => calls.has(place)))
}

function runBatch(provider: string, judge: string, items: number): Calls {
  const file = join(folder, `${judge}-${items}.ndjson`)
  const lines = Array.from({ length: items }, (_, index) => JSON.stringify(makeRequest(BYTES, `item-${index}`)))
  writeFileSync(file, lines.join('\n'))
  const args = ['src/cli.ts', 'batch', file, '-j', judge, '-o', 'ndjson', '--out', `${file}.out`]
  const env = { ...process.env, ...environment(provider, `${judge}-${items}.sqlite`) }
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return readCalls()
}

function measureItem(provider: string, judge: string): string[] {
  const few = runBatch(provider, judge, FEW)
  const many = [...runBatch(provider, judge, MANY)]
  return many.filter(([place, count]) => count - (few.get(place) ?? 0) >= MANY - FEW).map(([place]) => place)
}

async function measureAll(): Promise<Readonly<Record<string, readonly string[]>>> {
  const provider = await spawnProvider(0)
  const service = await startScript('src/server.ts', environment(provider.origin, 'service.sqlite'))
  try {
    return {
      'miss, lexical': await measureRequest(service, 'lexical', String),
      'miss, model': await measureRequest(service, 'openai', String),
      'hit, same bytes': await measureRequest(service, 'lexical', () => '0'),
      'batch item, lexical': measureItem(provider.origin, 'lexical'),
      'batch item, model': measureItem(provider.origin, 'openai'),
    }
  } finally {
    await service.stop()
    await provider.stop()
  }
}

/** The names of functions by file, in the order of the folders. */
function byFile(places: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const words = places.toSorted().map((place) => place.split(' '))
  const files = [...Map.groupBy(words, ([file = '']) => file)]
  return Object.fromEntries(files.map(([file, some]) => [file, some.map(([, name = '']) => name)]))
}

interface Row {
  readonly path: string
  readonly files: number
  readonly functions: number
  readonly names?: ReturnType<typeof byFile>
}

async function main(): Promise<number> {
  const option = { type: 'boolean' } as const
  const { values } = parseArgs({ options: { json: option, list: option, help: option } })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const rows = Object.entries(await measureAll()).map(([path, places]): Row => {
    const names = byFile(places)
    return { path, files: Object.keys(names).length, functions: places.length, ...(values.list && { names }) }
  })
  if (values.json) console.log(JSON.stringify(rows, null, 2))
  else for (const row of rows) console.log(textOf(row))
  return 0
}

function textOf({ path, files, functions, names = {} }: Row): string {
  const row = `${path.padEnd(20)} ${`${files}`.padStart(4)} files ${`${functions}`.padStart(5)} functions`
  return [row, ...Object.entries(names).map(([file, some]) => `  ${file}: ${some.join(', ')}`)].join('\n')
}

await runScript(main)
