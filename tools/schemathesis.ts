import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startScript } from '../bench/servers.ts'
import { runScript } from './command-line.ts'

/**
 * Sends generated requests to every operation of the OpenAPI document and checks each answer against the document, by Schemathesis
 * (a Python package, `tools/schemathesis/install.sh`). Further options are handed to Schemathesis: `npm run fuzz:http -- --max-examples 200`.
 */
const PROGRAM = fileURLToPath(new URL('../build/schemathesis/bin/schemathesis', import.meta.url))

/** Streams: OpenAPI 3.1 describes a stream as one string, and Schemathesis reads that schema as the schema of an event. */
const STREAM = '/v1/batches/{id}/events'
const EXAMPLE = fileURLToPath(new URL('../examples/aligned-terminus-2', import.meta.url))

/** Tells whether Schemathesis is installed. */
export const hasSchemathesis = (): boolean => existsSync(PROGRAM)

/**
 * Checks of an answer. Three others do not fit: access is off on loopback (`ignored_auth`), ids, rubrics and pairs of members mean more
 * than a schema says (`positive_data_acceptance`), and Node.js refuses methods that it does not know (`unsupported_method`).
 */
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_headers_conformance'],
  ...['response_schema_conformance', 'negative_data_rejection', 'missing_required_header', 'allow_header_conformance'],
  ...['use_after_free', 'ensure_resource_availability'],
]

/** Stores a batch of one trial, and returns the configuration by which half of the requests name the batch. */
async function nameBatch(origin: string, folder: string): Promise<string> {
  const read = (file: string): unknown => JSON.parse(readFileSync(`${EXAMPLE}/${file}`, 'utf8'))
  const item = { trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ items: [item] })
  const answer = await fetch(`${origin}/v1/batches`, { method: 'POST', headers, body })
  const { id } = (await answer.json()) as { id: string }
  const file = join(folder, 'schemathesis.toml')
  writeFileSync(
    file,
    `[[operations]]
include-path-regex = "^/v1/batches/.*"
parameters = { "path.id" = "${id}" }

[[operations]]
include-path = "/v1/comparisons"
parameters = { "query.base" = "${id}", "query.head" = "${id}" }
`,
  )
  return file
}

/** Runs Schemathesis against a service, and resolves with its exit code and its report. */
export async function runSchemathesis(
  origin: string,
  options: readonly string[],
): Promise<[code: number, report: string]> {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-schemathesis-'))
  const config = ['--config-file', await nameBatch(origin, folder)]
  const args = ['run', `${origin}/openapi.json`, '--checks', CHECKS.join(','), '--no-color']
  const limits = ['--request-timeout', '20', '--exclude-path', STREAM]
  const child = spawn(PROGRAM, [...config, ...args, ...limits, ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let report = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) report += chunk
  const code = child.exitCode ?? (await new Promise<number>((resolve) => child.once('exit', (n) => resolve(n ?? 1))))
  rmSync(folder, { recursive: true })
  return [code, report]
}

async function main(): Promise<number> {
  if (!hasSchemathesis()) throw new Error('Schemathesis is not installed: run tools/schemathesis/install.sh')
  const env = { VERIDICT_DATABASE: ':memory:', VERIDICT_PORT: '0', VERIDICT_HOST: '127.0.0.1' }
  const service = await startScript('src/server.ts', env)
  const [code, report] = await runSchemathesis(service.origin, process.argv.slice(2))
  await service.stop()
  console.log(report)
  return code
}

if (import.meta.main) await runScript(main)
