import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { corpusOf, read, textAt } from './make.ts'

/** Every act of the real files of these formats has a meaning. They are too many to keep in this repository. */
const CORPORA = ['atif', 'atif-trimmed', 'mini-swe-agent', 'swe-agent', 'openai-chat'].map((name) => ({
  name,
  ...corpusOf(name),
}))

/** The share of actions of which no table knows what they are: tools of servers and of benchmarks, and what a corpus cut. */
const MOST_UNKNOWN: Readonly<Record<string, number>> = {
  ...{ atif: 0.12, 'atif-trimmed': 0.35, 'mini-swe-agent': 0, 'swe-agent': 0.02, 'openai-chat': 1 },
}

describe.skipIf(!CORPORA.every(({ isThere }) => isThere))('the acts of real runs', () => {
  test.each(CORPORA)('$name', ({ name, folder, files }) => {
    const counts = new Map<string, number>()
    for (const file of files) {
      const opened = openDocuments(readFileSync(`${folder}${file}`, 'utf8'))
      if (!opened.ok) continue
      for (const { document } of opened.value) count(document, counts)
    }
    const all = [...counts.values()].reduce((sum, one) => sum + one, 0)
    console.log(`${name}: ${[...counts].map(([role, some]) => `${role} ${some}`).join(', ')}; ${all} in all`)
    expect(all).toBeGreaterThan(10)
    expect((counts.get('unknown') ?? 0) / all).toBeLessThanOrEqual(MOST_UNKNOWN[name] ?? 0)
  })
})

function count(document: unknown, counts: Map<string, number>): void {
  const steps = readOrNone(document)
  for (const { actor, act, text, path } of steps.flatMap(({ parts }) => parts)) {
    if (actor !== 'agent_action') continue
    if (act === null) expect.unreachable(`no act: ${path}`)
    if (textAt(document, path) !== text) expect.unreachable(path)
    counts.set(act.role, (counts.get(act.role) ?? 0) + 1)
  }
}

/** Files of two trajectories and of other formats are refused, as `corpus.test.ts` says. */
function readOrNone(document: unknown): ReturnType<typeof read>['steps'] {
  try {
    return read(document).steps
  } catch {
    return []
  }
}
