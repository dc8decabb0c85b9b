import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A `veridict serve` or `veridict worker` of its own. */
export interface Member {
  readonly name: string
  readonly pid: number
  /** Of a service; null: a worker. */
  readonly origin: string | null
  /** Null: it runs. */
  exit(): { readonly code: number | null; readonly signal: string | null } | null
  signal(signal: NodeJS.Signals): void
  /** SIGTERM, and resolves with how it ended. */
  stop(): Promise<number | null>
  /** The last lines that it logged as errors. */
  readonly errors: readonly string[]
}

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const MOST_ERRORS = 20

/** Starts one, in a network namespace where one is named, and waits until it says that it is ready. */
export async function startMember(
  name: string,
  command: 'serve' | 'worker',
  env: NodeJS.ProcessEnv,
  namespace?: string,
): Promise<Member> {
  const words = [process.execPath, CLI, command]
  // `ip netns exec` becomes the program: signals reach it.
  const [program = '', ...args] = namespace === undefined ? words : ['ip', 'netns', 'exec', namespace, ...words]
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const errors: string[] = []
  const note = (line: string) => {
    errors.push(line)
    if (errors.length > MOST_ERRORS) errors.shift()
  }
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', note)
  const origin = await ready(child, command, note).catch((error: unknown) => {
    throw new Error(`${name}: ${(error as Error).message}\n${errors.join('\n')}`)
  })
  return {
    name,
    pid: child.pid ?? 0,
    origin,
    errors,
    exit: () =>
      child.exitCode === null && child.signalCode === null ? null : { code: child.exitCode, signal: child.signalCode },
    signal: (signal) => void child.kill(signal),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGCONT')
        child.kill('SIGTERM')
        await ended
      }
      return child.exitCode
    },
  }
}

/** A service names its address; a worker says that it works. */
async function ready(child: ChildProcess, command: string, note: (line: string) => void): Promise<string | null> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('it ended before it was ready')))
  ended.catch(() => undefined)
  const found = new Promise<string | null>((resolve) => {
    if (child.stdout === null) return
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
      if (command === 'serve' && address !== undefined) resolve(address)
      if (command === 'worker' && line.includes('working')) resolve(null)
      if (/"level":[56]0/.test(line)) note(line)
    })
  })
  return Promise.race([found, ended])
}
