import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runNode } from '../run-to-end.ts'
import { tempFolder } from '../temp-folder.ts'

/** Runs the command in real processes on one database, in a folder that is removed after the test file. */
export function realCommand(more: NodeJS.ProcessEnv = {}) {
  const folder = tempFolder()
  const database = join(folder, 'v.sqlite')
  const own = { NO_COLOR: '1', VERIDICT_DATABASE: database, VERIDICT_CONFIG: '', VERIDICT_SERVER: '', ...more }
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
    run: (...args: string[]) =>
      runNode(['src/cli.ts', ...args], { ...process.env, OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', ...own }),
  }
}

export const ndjson = (lines: readonly unknown[]): string => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
