import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A program of the repository as a process of its own. */
export interface RunningProcess<Ready> {
  readonly child: ChildProcess
  /** Resolves once the process is ready, of a service with its origin; rejects where the process ends before. */
  readonly ready: Promise<Ready>
  /** The exit code; null where a signal ended the process. */
  readonly exited: Promise<number | null>
  /** Printed chunks, the newest last. */
  readonly output: readonly string[]
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>
  /** Sends SIGTERM and answers the exit code. */
  stop(): Promise<number | null>
}
export type ServiceProcess = RunningProcess<string>

export interface ServiceSettings {
  readonly database: string
  /** The content of VERIDICT_CONFIG. */
  readonly config: object
  readonly env?: NodeJS.ProcessEnv
}

/** Makes a folder that goes with the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-e2e-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const spawnService = ({ database, config, env = {} }: ServiceSettings): ServiceProcess =>
  spawnProgram(
    ['src/server.ts'],
    { file: `${database}.config.json`, config },
    { VERIDICT_PORT: '0', VERIDICT_DATABASE: database, ...env },
    (printed) => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0],
  )

const KEPT_CHUNKS = 400

/** Starts a program with a configuration; `readyBy` answers a value once a printed chunk says that the program is ready. */
export function spawnProgram<Ready>(
  program: readonly string[],
  { file, config }: { readonly file: string; readonly config: object },
  env: NodeJS.ProcessEnv,
  readyBy: (printed: string) => Ready | undefined,
): RunningProcess<Ready> {
  writeFileSync(file, JSON.stringify(config))
  const keys = { OPENAI_API_KEY: 'test-key', ANTHROPIC_API_KEY: 'test-key' }
  const child = spawn(process.execPath, program, {
    env: { PATH: process.env['PATH'], VERIDICT_CONFIG: file, ...keys, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output: string[] = []
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const ready = new Promise<Ready>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output.push(chunk.toString())
      if (output.length > KEPT_CHUNKS) output.shift()
      const found = readyBy(chunk.toString())
      if (found !== undefined) resolve(found)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    void exited.then(() => reject(new Error(`${program.join(' ')} ended before it was ready: ${output.join('')}`)))
  })
  // A test that kills the process while it starts does not wait for `ready`.
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
