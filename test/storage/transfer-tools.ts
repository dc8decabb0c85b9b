import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { testShell, type } from '../cli/test-shell.ts'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs `veridict export` or `veridict import` in this process. */
export async function transfer(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ended> {
  const shell = testShell({ args, env })
  const [name = '', ...words] = args
  await type(shell, name, ...words)
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

/** The records of a database as the lines of its export, sorted: equal lines are equal bytes and digests. */
export async function recordsOf(env: NodeJS.ProcessEnv): Promise<string[]> {
  const { code, out, err } = await transfer(env, 'export')
  expect(code, err).toBe(0)
  return out.trimEnd().split('\n').slice(1).sort()
}

/** Writes lines into a file beside a database. Answers its path. */
export function fileOf(database: string, name: string, lines: readonly string[]): string {
  const path = join(dirname(database), name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
