import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { typed } from '../cli/test-shell.ts'

/** Runs `veridict export` or `veridict import` in this process. */
export const transfer = (env: NodeJS.ProcessEnv, name: 'export' | 'import', ...words: readonly string[]) =>
  typed({ env }, name, ...words)

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
