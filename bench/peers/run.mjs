// Python peers beside Veridict, in one run: node bench/peers/run.mjs [LATENCY_MS] [CONCURRENCY] [ITEMS]. PEERS_PYTHON names a Python that has requirements.txt.
// Prints the whole command over the ideal, processor time an item and peak memory, and what each does with ten broken answers of a judge.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeRequest } from '../make-body.ts'
import { BROKEN } from './provider.mjs'

const [latency = 500, most = 16, items = 160] = process.argv.slice(2).map(Number)
const python = process.env['PEERS_PYTHON'] ?? 'build/peers/bin/python'
const NODE = process.execPath
const BYTES = 22_000
const NAMES = ['veridict', 'openevals', 'deepeval', 'scout']

const dir = mkdtempSync(join(tmpdir(), 'veridict-peers-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
const plain = ({ item_id, trajectory, ground_truth: { instruction, cue, distractor } }) => ({
  ...{ item_id, instruction, cue: cue.text, distractor: distractor.text },
  text: trajectory.steps
    .map((step) =>
      [
        step.message,
        ...(step.tool_calls ?? []).map((call) => call.arguments.command),
        ...(step.observation?.results ?? []).map(({ content }) => content),
      ].join('\n'),
    )
    .join('\n\n'),
})
/** Files of requests, for Veridict and for the peers. */
function write(name, of) {
  const lines = (read) =>
    of.map((request, n) => `${JSON.stringify(read({ item_id: `${n + 1}`, ...request }))}\n`).join('')
  writeFileSync(
    join(dir, `${name}.requests.ndjson`),
    lines((request) => request),
  )
  writeFileSync(join(dir, `${name}.items.ndjson`), lines(plain))
}
write(
  'all',
  Array.from({ length: items }, (_, n) => makeRequest(BYTES, `p-${n}`)),
)
// The salt stands in a command of the trajectory.
write(
  'broken',
  BROKEN.slice(1).map((_, n) => makeRequest(4000, `BROKEN-${n + 1}`)),
)

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(port))
  })
})
const provider = spawn(NODE, ['bench/peers/provider.mjs'], {
  env: { ...process.env, PORT: `${port}`, LATENCY: `${latency}` },
  stdio: 'inherit',
})
process.on('exit', () => provider.kill())
const ask = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json()
for (let n = 0; n < 100; n++) if (await ask('/counts').catch(() => delay(100))) break

const config = join(dir, 'veridict.json')
const judge = {
  provider: 'openai',
  api: 'chat',
  base_url: `http://127.0.0.1:${port}/v1`,
  key_env: 'PEERS_KEY',
  model: 'veridict',
  effort: null,
}
writeFileSync(
  config,
  JSON.stringify({
    judges: { played: judge },
    retry: { max_attempts: 1 },
    concurrency: { initial: most, min: 1, max: most },
  }),
)

function endsOfVeridict(out, byItem) {
  const ends = {}
  for (const line of out.split('\n').filter((line) => line.startsWith('{'))) {
    const { item_id, status, label, failure, error } = JSON.parse(line)
    const end =
      status === 'graded'
        ? `label ${label}`
        : status === 'unverified'
          ? 'no label: unverified'
          : `error ${(failure ?? error)?.code}`
    ends[byItem ? item_id : end] = byItem ? end : (ends[end] ?? 0) + 1
  }
  return ends
}

let runs = 0
/** Runs a grader over a file; its cost by /usr/bin/time. */
async function run(name, file, byItem = false) {
  const database = join(dir, `${++runs}.sqlite`)
  const argv =
    name === 'veridict'
      ? [NODE, 'src/cli.ts', 'batch', join(dir, `${file}.requests.ndjson`), '-j', 'played', '-o', 'ndjson']
      : [
          python,
          'bench/peers/run.py',
          name,
          join(dir, `${file}.items.ndjson`),
          `${most}`,
          ...(byItem ? ['by-item'] : []),
        ]
  const env = {
    ...process.env,
    ...{
      VERIDICT_CONFIG: config,
      VERIDICT_DATABASE: database,
      PEERS_KEY: 'k',
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    },
    ...{
      LANGSMITH_TRACING: 'false',
      DEEPEVAL_TELEMETRY_OPT_OUT: 'YES',
      DEEPEVAL_RETRY_MAX_ATTEMPTS: '1',
      PEERS_API_KEY: 'k',
      INSPECT_DISPLAY: 'none',
      HOME: dir,
    },
  }
  if (name === 'veridict') delete env.OPENAI_BASE_URL
  const begun = performance.now()
  const child = spawn('/usr/bin/time', ['-f', 'TIME %U %S %M', ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const cutShort = setTimeout(() => child.kill('SIGKILL'), 300_000)
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(cutShort)
  const wall = (performance.now() - begun) / 1000
  const [, user, system, kilobytes] = /TIME (\S+) (\S+) (\S+)/.exec(err) ?? []
  const ends = name === 'veridict' ? endsOfVeridict(out, byItem) : JSON.parse(/^ENDS (.*)$/m.exec(out)?.[1] ?? '{}')
  if (Object.keys(ends).length === 0)
    ends[
      `crash, exit ${code}: ${err
        .replace(/TIME .*/, '')
        .trim()
        .split('\n')
        .at(-1)
        ?.slice(0, 200)}`
    ] = 1
  return { wall, cpu: Number(user) + Number(system), mb: Number(kilobytes) / 1024, ends }
}

const ideal = (Math.ceil(items / most) * latency) / 1000
console.log(`${items} items of ${BYTES / 1000} KB, ${latency} ms a call, ${most} at once; ideal ${ideal} s`)
for (const name of NAMES) {
  await ask('/counts')
  const { wall, cpu, mb, ends } = await run(name, 'all')
  const { calls, window_ms } = await ask('/counts')
  console.log(
    `| ${name} | ${(wall / ideal).toFixed(2)} | ${(window_ms / 1000 / ideal).toFixed(2)} | ${((cpu / items) * 1000).toFixed(1)} ms | ${mb.toFixed(0)} MB | ${calls} | ${JSON.stringify(ends)} |`,
  )
}
const columns = []
for (const name of NAMES) columns.push((await run(name, 'broken', true)).ends)
console.log(`| broken answer | ${NAMES.join(' | ')} |`)
for (const [n, row] of BROKEN.entries())
  if (row !== null) console.log(`| ${row[0]} | ${columns.map((ends) => ends[n] ?? Object.keys(ends)[0]).join(' | ')} |`)
process.exit(0)
