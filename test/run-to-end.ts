import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs Node.js to its end, in this environment and the PATH alone; kills it at the end of the test. */
export const runNode = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  runToEnd(process.execPath, args, env)

/** Runs a command to its end, in this environment and the PATH alone; kills it at the end of the test. */
export function runToEnd(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const own = { PATH: process.env['PATH'], ...env }
  const child = spawn(command, args, { env: own, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const heard = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...heard })))
}
