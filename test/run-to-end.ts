import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface RunOptions {
  readonly cwd?: string
  /** Standard input; none by default. */
  readonly input?: string
}

/** Runs Node.js to its end, in this environment and the PATH alone; kills it at the end of the test. */
export const runNode = (
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  options: RunOptions = {},
): Promise<Ended> => runToEnd(process.execPath, args, env, options)

/** Runs a command to its end, in this environment and the PATH alone; kills it at the end of the test. */
export function runToEnd(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { cwd, input }: RunOptions = {},
): Promise<Ended> {
  const own = { PATH: process.env['PATH'], ...env }
  const child = spawn(command, args, {
    env: own,
    cwd,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  onTestFinished(() => void child.kill('SIGKILL'))
  const heard = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...heard })))
}
