import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { printGrade } from '../src/cli/output/print-grade.ts'
import type { Grade } from '../src/schemas/grade.ts'

/** Starts the real service on a free port, grades every example over HTTP, and says whether each label is the expected one. */
const EXAMPLES = fileURLToPath(new URL('.', import.meta.url))
const SERVER = fileURLToPath(new URL('../src/server.ts', import.meta.url))

interface Expected {
  readonly label: Grade['label']
  readonly status: Grade['status']
  readonly why: string
}

const folder = mkdtempSync(join(tmpdir(), 'veridict-demo-'))
const server = spawn(process.execPath, [SERVER], {
  env: {
    ...process.env,
    VERIDICT_PORT: '0',
    VERIDICT_HOST: '127.0.0.1',
    VERIDICT_DATABASE: join(folder, 'demo.sqlite'),
    VERIDICT_CONFIG: '',
    VERIDICT_LOG_LEVEL: 'info',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
try {
  const origin = await listening()
  console.log(`The service listens on ${origin}; grading the examples with the built-in lexical judge.\n`)
  const names = readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  let right = 0
  for (const name of names) if (await gradeExample(origin, name)) right++
  console.log(`${right} of ${names.length} examples graded as expected.`)
  if (right !== names.length || names.length === 0) process.exitCode = 1
} finally {
  server.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

async function gradeExample(origin: string, name: string): Promise<boolean> {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(EXAMPLES, name, file), 'utf8'))
  const expected = read('expected.json') as Expected
  const response = await fetch(`${origin}/v1/grades`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      trajectory: read('trajectory.json'),
      ground_truth: read('ground-truth.json'),
      judge: 'lexical',
      metadata: { task: name },
    }),
  })
  const body = (await response.json()) as Grade
  if (response.status !== 201) {
    console.log(`✗ ${name}: HTTP ${response.status} ${JSON.stringify(body)}\n`)
    return false
  }
  const same = body.label === expected.label && body.status === expected.status
  process.stdout.write(printGrade(`examples/${name}`, body).trimEnd())
  console.log(`\n  ${same ? 'as expected' : `EXPECTED ${expected.label ?? expected.status}`}: ${expected.why}\n`)
  return same
}

/** The address in the service’s own log line. */
async function listening(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const address = line.indexOf('http://127.0.0.1:')
    if (address === -1) continue
    server.stdout.resume()
    return /http:\/\/127\.0\.0\.1:\d+/.exec(line.slice(address))?.[0] ?? ''
  }
  throw new Error('the service ended before it listened')
}
