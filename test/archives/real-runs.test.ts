import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import type { Part } from '../../src/domain/trajectory/trajectory.ts'
import { ACTORS } from '../../src/schemas/vocabulary.ts'
import { beyondTools, expectPlaces, read } from '../formats/make.ts'
import { CORPUS, hasCorpus, outline, readAll } from './make.ts'

/**
 * Real runs that other projects published, which are too many to keep in this repository. `real-runs.json` holds of each run: its format, its steps,
 * the parts of each actor, its acts of no known tool, its records and actions that are not read, its warnings, and a digest of its agent, metadata,
 * ground truth and texts with their actors, names and places. Oracles that counted the raw files by hand agreed with these numbers when they were
 * written down. `REAL_RUNS=write` writes them anew: read the difference.
 */
const FILE = new URL('real-runs.json', import.meta.url)
const KNOWN = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Record<string, readonly unknown[]>>
const FOLDERS = [
  ...[
    'asciinema',
    'atif',
    'atif-trimmed',
    'claude-code',
    'codex',
    'gemini-cli',
    'harbor-trial',
    'inspect',
    'mini-swe-agent',
  ],
  ...['openai-chat', 'openhands', 'swe-agent'],
]

function summaryOf(trajectory: object, about: object): unknown[] {
  const run = read(trajectory)
  expectPlaces(trajectory, run)
  expect(run.steps.map(({ id }) => id)).toEqual([...new Set(run.steps.map(({ id }) => id))])
  const parts = run.steps.flatMap((step) => step.parts)
  const count = (fits: (part: Part) => boolean) => parts.filter(fits).length
  const texts = run.steps.map((step) => [step.name, step.copied, step.parts.map((part) => toldOf(part))])
  return [
    ...[run.format, run.steps.length, ...ACTORS.map((actor) => count((part) => part.actor === actor))],
    ...[count(({ act }) => act?.role === 'unknown'), run.unread.records, run.unread.actions],
    ...[beyondTools(run.warnings).length, digestValue({ about, agent: run.agent, texts }).slice(7, 23)],
  ]
}

/** An act of a run has a meaning. */
function toldOf({ actor, name, path, text, act }: Part): unknown[] {
  expect(act === null && actor === 'agent_action' ? path : null).toBeNull()
  return [actor, name, path, text]
}

describe.skipIf(!hasCorpus)('real runs are read as they were', () => {
  it.each(FOLDERS)('%s', async (folder) => {
    const items = await readAll(join(CORPUS, folder))
    const rows = items.map((item): [string, readonly unknown[]] => {
      if (item.kind === 'skipped') return [item.name, [item.reason]]
      const { trajectory, metadata, ground_truth } = item.request
      return [item.name, summaryOf(trajectory, { metadata, ground_truth, warnings: item.warnings })]
    })
    expect(new Set(outline(items)).size).toBe(items.length)
    if (process.env['REAL_RUNS'] === 'write') KNOWN[folder] = Object.fromEntries(rows)
    expect(Object.fromEntries(rows)).toEqual(KNOWN[folder])
  })

  it.runIf(process.env['REAL_RUNS'] === 'write')('are written down', () => {
    const lines = Object.entries(KNOWN).map(([folder, runs]) => {
      const rows = Object.entries(runs).map(([name, row]) => `    ${JSON.stringify(name)}: ${JSON.stringify(row)}`)
      return `  ${JSON.stringify(folder)}: {\n${rows.join(',\n')}\n  }`
    })
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
  })
})
