import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The real service as a process of its own. */
export interface ServiceProcess {
  readonly child: ChildProcess
  /** Its origin once it listens; rejects where it ends before. */
  readonly ready: Promise<string>
  /** Its exit code; null: a signal ended it. */
  readonly exited: Promise<number | null>
  /** What it printed, the newest last. */
  readonly output: readonly string[]
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>
}

export interface ServiceSettings {
  readonly database: string
  /** The content of VERIDICT_CONFIG. */
  readonly config: object
  readonly env?: NodeJS.ProcessEnv
}

/** A folder that goes with the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-e2e-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const KEPT_CHUNKS = 400

export function spawnService({ database, config, env = {} }: ServiceSettings): ServiceProcess {
  const file = `${database}.config.json`
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(process.execPath, ['src/server.ts'], {
    env: {
      PATH: process.env['PATH'],
      VERIDICT_PORT: '0',
      VERIDICT_DATABASE: database,
      VERIDICT_CONFIG: file,
      OPENAI_API_KEY: 'test-key',
      ANTHROPIC_API_KEY: 'test-key',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output: string[] = []
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const ready = new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output.push(chunk.toString())
      if (output.length > KEPT_CHUNKS) output.shift()
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())?.[0]
      if (origin !== undefined) resolve(origin)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    void exited.then(() => reject(new Error(`the service ended before it listened: ${output.join('')}`)))
  })
  // Whoever kills it while it starts does not ask for its origin.
  ready.catch(() => undefined)
  return {
    child,
    ready,
    exited,
    output,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}
