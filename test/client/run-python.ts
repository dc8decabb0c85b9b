import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** Reason why this machine cannot test the Python client; null where it can. */
export const noPython = ((): string | null => {
  const { status, error } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'])
  if (error !== undefined) return 'there is no python3'
  return status === 0 ? null : 'python3 is older than 3.10'
})()

export interface PythonRun {
  readonly lines: readonly string[]
  readonly code: number | null
  readonly err: string
}

/**
 * Runs a Python program that has `client`, a client of the service at `origin`, and `show(value)`, which prints a value as a line of JSON.
 * `onLine` receives each line as it is printed. The environment passes other variables.
 */
export async function runPython(
  origin: string,
  program: string,
  { env = {}, onLine = () => undefined }: { env?: NodeJS.ProcessEnv; onLine?: (line: string) => void } = {},
): Promise<PythonRun> {
  const head = `import json, os, sys, veridict
def show(value): print(json.dumps(value), flush=True)
client = veridict.Client(${JSON.stringify(origin)}, os.environ.get("TOKEN"))
`
  const own = {
    PATH: process.env['PATH'],
    PYTHONPATH: 'clients/python',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONWARNINGS: 'error',
  }
  const child = spawn('python3', ['-c', head + program], { env: { ...own, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [lines, errors]: [string[], Buffer[]] = [[], []]
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    onLine(line)
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { lines, code, err: Buffer.concat(errors).toString() }
}

/** Runs a Python program and answers the values that it showed; throws its stderr where its exit code is not 0. */
export async function shown(...args: Parameters<typeof runPython>): Promise<unknown[]> {
  const { lines, code, err } = await runPython(...args)
  if (code !== 0) throw new Error(err)
  return lines.map((line) => JSON.parse(line) as unknown)
}
