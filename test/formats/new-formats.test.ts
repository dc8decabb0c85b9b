import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { read } from './make.ts'

const WHO_AND_WHEN = '../shared/labelled/who-and-when'

describe.skipIf(!existsSync(WHO_AND_WHEN))('Who&When as published', () => {
  test.each(['Algorithm-Generated', 'Hand-Crafted'])('%s: each entry is read, and terminals answer', (group) => {
    for (const file of readdirSync(`${WHO_AND_WHEN}/${group}`)) {
      const run = JSON.parse(readFileSync(`${WHO_AND_WHEN}/${group}/${file}`, 'utf8')) as {
        history: Record<string, string>[]
      }
      const parts = read(run).steps.flatMap((step) => step.parts)
      const entries = new Set(parts.map(({ path }) => /^\/history\/\d+/u.exec(path)?.[0]))
      const full = run.history.flatMap(({ content }, index) => (content?.trim() ? [`/history/${index}`] : []))
      expect(
        full.filter((path) => !entries.has(path)),
        file,
      ).toEqual([])
      const terminals = run.history.filter(({ role, name }) => /^computer_?terminal$/iu.test(name ?? role ?? ''))
      expect(
        parts.filter(({ actor }) => actor === 'tool_output'),
        file,
      ).toHaveLength(terminals.length)
      expect(
        parts.some(({ actor }) => actor === 'user'),
        file,
      ).toBe(true)
    }
  })
})
