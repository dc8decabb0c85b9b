import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { vi } from 'vitest'
import { runCommand } from '../../src/cli/command-line.ts'
import { type Ended, runNode } from '../run-to-end.ts'
import { tempFolder } from '../temp-folder.ts'

/** End of a program that runs in the process of a test. */
class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/**
 * Runs a whole command line in this process as `src/cli.ts` does, with its usage errors and warnings: a process of its own takes half a second.
 * The environment adds variables.
 */
export async function typedLine(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const heard = { out: '', err: '' }
  const hear = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    heard[stream] += String(text)
    return true
  }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const { argv, exitCode } = process
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(hear('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(hear('err')),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exit(Number(code ?? 0))
    }),
  ]
  const listeners = [process.stdout, process.stderr].map((stream) => [stream, stream.listeners('error')] as const)
  process.argv = [process.execPath, resolve('src/cli.ts'), ...args]
  process.exitCode = undefined
  try {
    await runCommand(args)
    return { code: Number(process.exitCode ?? 0), ...heard }
  } catch (error) {
    if (error instanceof Exit) return { code: error.code, ...heard }
    throw error
  } finally {
    Object.assign(process, { argv, exitCode })
    for (const spy of spies) spy.mockRestore()
    for (const [stream, before] of listeners)
      for (const listener of stream.listeners('error'))
        if (!before.includes(listener)) stream.off('error', listener as () => void)
  }
}

/** Runs commands on one database, in a folder that is removed after the test file. */
export function realCommand(more: NodeJS.ProcessEnv = {}) {
  const folder = tempFolder()
  const database = join(folder, 'v.sqlite')
  const keys = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }
  const own = { ...keys, NO_COLOR: '1', VERIDICT_DATABASE: database, VERIDICT_CONFIG: '', VERIDICT_SERVER: '', ...more }
  return {
    folder,
    database,
    /** Writes a text unchanged, or another value as JSON. Answers the path. */
    file(name: string, content: unknown): string {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
      return path
    },
    run: (...args: string[]) => typedLine(args, own),
    /** Runs the command as a process of its own. */
    runAlone: (...args: string[]) => runNode(['src/cli.ts', ...args], { ...process.env, ...own }),
  }
}

export const ndjson = (lines: readonly unknown[]): string => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
