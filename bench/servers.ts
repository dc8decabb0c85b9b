import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface RunningServer {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a server script of this repository and waits for the log line that names its address. */
export async function startScript(script: string, env: NodeJS.ProcessEnv = {}): Promise<RunningServer> {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url))
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A script that ends early leaves no server behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const origin = await addressOf(child)
  return {
    origin,
    pid: child.pid ?? 0,
    async stop() {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)
    if (found === null) continue
    child.stdout.resume()
    return found[0]
  }
  throw new Error('the server ended before it listened')
}
