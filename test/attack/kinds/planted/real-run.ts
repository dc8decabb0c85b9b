import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atifClaudeCode, atifCodex, atifOpenhands, terminus2 } from '../../../harness-logs/atif.ts'
import { claudeCode } from '../../../harness-logs/claude-code.ts'
import { codex } from '../../../harness-logs/codex.ts'
import { geminiCli } from '../../../harness-logs/gemini-cli.ts'
import { openhands } from '../../../harness-logs/openhands.ts'
import { miniSweAgent, sweAgent } from '../../../harness-logs/swe-agents.ts'
import type { Harness } from '../../../harness-logs/turn.ts'
import { isRecord, type Json } from './json.ts'

/** Real runs beside the project; not part of it. */
const REAL_RUNS = fileURLToPath(new URL('../../../../../shared/trajectories', import.meta.url))

/** A recorded run, and the harness in whose form acts are planted into it. */
export interface RealRun {
  readonly name: string
  readonly harness: Harness
  readonly document: Json
}

const NATIVE: readonly (readonly [string, Harness])[] = [
  ['claude-code', claudeCode],
  ['codex', codex],
  ['gemini-cli', geminiCli],
  ['openhands', openhands],
  ['swe-agent', sweAgent],
  ['mini-swe-agent', miniSweAgent],
]

const ATIF: Readonly<Record<string, Harness>> = {
  'terminus-2': terminus2,
  codex: atifCodex,
  openhands: atifOpenhands,
  'claude-code': atifClaudeCode,
}

/** All runs that a harness of the suite can continue. Null: they are not there. */
export function readRealRuns(folder = REAL_RUNS): RealRun[] | null {
  if (!existsSync(folder)) return null
  const native = NATIVE.flatMap(([name, harness]) => filesOf(join(folder, name)).map((file) => runOf(file, harness)))
  const atif = ['atif', 'atif-trimmed'].flatMap((name) =>
    filesOf(join(folder, name)).map((file) => {
      const run = runOf(file, terminus2)
      const agent = run.document['agent']
      const harness = isRecord(agent) ? ATIF[String(agent['name'])] : undefined
      return harness === undefined ? null : { ...run, harness }
    }),
  )
  return someOfEach([...native, ...atif].filter((one) => one !== null))
}

/** So many runs of a harness are enough, and keep the suite fast. */
const MOST = 6

const someOfEach = (runs: readonly RealRun[]): RealRun[] =>
  runs.filter((one, at) => runs.slice(0, at).filter((other) => other.harness === one.harness).length < MOST)

const filesOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .sort()
        .map((name) => join(folder, name))
    : []

function runOf(file: string, harness: Harness): RealRun {
  const text = readFileSync(file, 'utf8')
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (!file.endsWith('.jsonl')) {
    const document: unknown = JSON.parse(text)
    return { name, harness, document: isRecord(document) ? document : { records: document } }
  }
  const records = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown)
  return { name, harness, document: { records } }
}
