import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { exportStore } from './export.ts'
import { configFor, GROUND_TRUTH, item, startScriptedProvider } from './scripted-provider.ts'

/**
 * Makes `store.sqlite.gz` and `export.json.gz` beside this file with the program of another checkout, its command line and its service:
 * `node test/storage/kept-store/make.ts FOLDER`, where FOLDER is a worktree of the release with its packages. The kept ones are of 08c604f.
 */

const [checkout = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'veridict-kept-'))
const database = join(folder, 'store.sqlite')
const provider = await startScriptedProvider()
const config = join(folder, 'config.yaml')
writeFileSync(config, configFor(provider.origin))
const env = {
  PATH: process.env['PATH'],
  SCRIPTED_KEY: 'only-here',
  VERIDICT_CONFIG: config,
  VERIDICT_DATABASE: database,
  VERIDICT_PORT: '0',
}

/** `veridict …` in that checkout. It ends with 2 or 3 where items are unverified or failed. */
async function veridict(...args: readonly string[]): Promise<string> {
  const child = execFile(process.execPath, [join(checkout, 'src/cli.ts'), ...args], { cwd: folder, env })
  const [stdout, stderr, code] = await Promise.all([
    child.stdout?.toArray(),
    child.stderr?.toArray(),
    new Promise((resolve) => child.once('exit', resolve)),
  ])
  if (code === null || code === 1) throw new Error(`${args.join(' ')}: ${stderr?.join('')}`)
  return stdout?.join('') ?? ''
}

const lines = (items: readonly object[]): string => items.map((one) => `${JSON.stringify(one)}\n`).join('')
const read = (name: string): unknown => JSON.parse(readFileSync(join(checkout, 'examples', name), 'utf8'))
const examples = ['aligned-terminus-2', 'compliant-codex', 'ignored-claude-code', 'not-observed-terminus-2'].map(
  (name) => ({
    item_id: name,
    trajectory: read(`${name}/trajectory.json`),
    ground_truth: read(`${name}/ground-truth.json`),
    metadata: { agent: name, task: name, run_index: 0, variant: 'naïve' },
  }),
)

// The command line: a finished batch of both judges, its grades again by the other judge, and checked again.
writeFileSync(join(folder, 'lexical.ndjson'), lines(examples))
const models = ['holds', 'fabricates', 'repairs', 'babbles', 'votes'].map((act) => item(act, `finished ${act}`))
writeFileSync(join(folder, 'model.ndjson'), lines(models))
await veridict('batch', 'lexical.ndjson', '-j', 'lexical')
await veridict('batch', 'model.ndjson', '-j', 'scripted', '--name', 'finished')
const newest = await veridict('status', '--limit', '1', '-o', 'ndjson')
const { id: finished } = JSON.parse(newest) as { id: string }
await veridict('regrade', '--batch', finished, '-j', 'lexical')
await veridict('regrade', '--batch', finished, '--recheck')

// The service: single requests, a batch that parks, one that is cancelled, reviews.
const service = spawn(process.execPath, [join(checkout, 'src/server.ts')], {
  cwd: folder,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
let log = ''
service.stdout.on('data', (text) => {
  log += text
})
const ready = async (): Promise<string> => {
  for (;;) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0]
    if (found !== undefined) return found
    await delay(20)
  }
}
const origin = await ready()

const get = async (path: string): Promise<string> => {
  const answer = await fetch(origin + path)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return text
}

async function post(path: string, body: object | string, headers: Record<string, string> = {}) {
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
  const answer = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: sent,
  })
  return { sent, status: answer.status, text: await answer.text() }
}

async function until(id: string, statuses: readonly string[]): Promise<void> {
  while (!statuses.includes((JSON.parse(await get(`/v1/batches/${id}`)) as { status: string }).status)) await delay(20)
}

const idOf = ({ text }: { text: string }): string => (JSON.parse(text) as { id: string }).id

const requests = [
  await post('/v1/grades', {
    trajectory: item('', 'single lexical').trajectory,
    ground_truth: GROUND_TRUTH,
    judge: 'lexical',
  }),
  await post('/v1/grades', { ...examples[0], item_id: undefined, judge: 'lexical', metadata: { task: 'cached' } }),
]
const once = await post(
  '/v1/grades',
  { ...item('holds', 'once'), item_id: undefined, judge: 'scripted' },
  { 'idempotency-key': 'once' },
)
await post('/v1/grades', { ...item('babbles', 'single failed'), item_id: undefined, judge: 'scripted' })
const uploaded = idOf(
  await post('/v1/trajectories', { steps: [{ actor: 'tool_output', text: 'uploaded, never graded: 中文 \0' }] }),
)

const slow = ['slow', 'slow', 'slow'].map((act, at) => item(act, `cancelled ${at}`))
const cancelled = idOf(await post('/v1/batches?judge=scripted&name=cancelled', lines(slow)))
await post(`/v1/batches/${cancelled}/cancel`, {})
await until(cancelled, ['cancelled'])
const broke = [item('holds', 'parked 0'), item('quota', 'parked 1'), item('holds', 'parked 2')]
const parked = idOf(await post('/v1/batches?judge=scripted&name=parked', lines(broke)))
await until(parked, ['parked'])

const { items } = JSON.parse(await get('/v1/grades?status=graded&limit=100')) as {
  items: { id: string; label: string }[]
}
for (const [at, { id, label }] of items.slice(0, 4).entries()) {
  const review = { rater: at < 2 ? 'ada' : 'bob l', label: at === 1 ? null : label, comment: `naïve ${at} \n 中文` }
  const { status, text } = await post(`/v1/grades/${id}/reviews`, review)
  if (status !== 201) throw new Error(text)
}

const exported = { ...(await exportStore(get, uploaded)), uploaded, requests, once }
const ended = new Promise((resolve) => service.once('exit', resolve))
service.kill('SIGTERM')
await ended
await provider.stop()
const db = new Database(database)
// The name of the machine that made it is nobody's.
db.exec("UPDATE processes SET host = 'kept'; VACUUM")
db.pragma('wal_checkpoint(TRUNCATE)')
db.pragma('journal_mode = DELETE')
db.close()
const beside = (name: string): string => join(import.meta.dirname, name)
const zipped = [
  gzipSync(readFileSync(database), { level: 9 }),
  gzipSync(JSON.stringify(exported), { level: 9 }),
] as const
writeFileSync(beside('store.sqlite.gz'), zipped[0])
writeFileSync(beside('export.json.gz'), zipped[1])
rmSync(folder, { recursive: true })
console.log(`${zipped[0].length} and ${zipped[1].length} bytes, ${provider.calls()} calls`)
