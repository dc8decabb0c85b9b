import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startScript } from '../../bench/servers.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export interface Service {
  readonly origin: string
  get<Answer>(path: string): Promise<Answer>
  post<Answer>(path: string, body: object): Promise<Answer>
  /** Runs a command of `veridict` against the service and answers its standard output. */
  veridict(...words: readonly string[]): Promise<string>
  stop(): Promise<void>
}

/** The real service on loopback, with a database in the folder, and beside `lexical` the judge `played`. */
export async function startService(folder: string, provider: string): Promise<Service> {
  const config = join(folder, 'config.yaml')
  const lines = [
    'judges:',
    '  played:',
    '    provider: openai',
    `    base_url: ${provider}/v1`,
    '    key_env: PLAYED_KEY',
    '    model: played-judge',
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  const env = {
    VERIDICT_HOST: '127.0.0.1',
    VERIDICT_PORT: '0',
    VERIDICT_DATABASE: join(folder, 'audit.sqlite'),
    VERIDICT_CONFIG: config,
    VERIDICT_LOG_LEVEL: 'info',
    PLAYED_KEY: 'played',
    OPENAI_API_KEY: '',
    ANTHROPIC_API_KEY: '',
  }
  const { origin, stop } = await startScript('src/server.ts', env)
  return {
    origin,
    stop,
    get: async <Answer>(path: string) => answerOf<Answer>(await fetch(origin + path), path),
    post: async <Answer>(path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return answerOf<Answer>(response, path)
    },
    veridict: (...words) => runCli(words, folder, { ...env, VERIDICT_SERVER: origin }),
  }
}

async function answerOf<Answer>(response: Response, path: string): Promise<Answer> {
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Exit code 2 says that some item is unverified: the story wants some. */
function runCli(words: readonly string[], folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...words], { cwd: folder, env: { ...process.env, ...env } })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0 || code === 2) resolve(output)
      else reject(new Error(`veridict ${words.join(' ')}: exit ${code}\n${errors}\n${output}`))
    })
  })
}
