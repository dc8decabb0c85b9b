import { describe, expect, it } from 'vitest'
import { readShell } from '../../../src/domain/shell/read-shell.ts'
import type { Certainty, ScriptContext, Use } from '../../../src/domain/shell/script.ts'
import { readContent, readEdit } from '../../../src/domain/shell/written-text.ts'
import { readTables } from '../../tables.ts'
import { NO_INSTRUCTION as nothing } from './no-instruction.ts'

type Truth = 'runs' | 'may run' | 'never runs'
interface Tables {
  readonly uses: Readonly<Record<Use, Readonly<Record<string, readonly (readonly [script: string, anchor: string])[]>>>>
  readonly argv: [words: string[], use: Use][]
  readonly keys: [keys: string, use: Use][]
  readonly code: [language: 'code' | 'javascript', code: string, use: Use][]
  readonly looks: [script: string, looks: boolean][]
  readonly content: [text: string, target: string | null, anchor: string, use: Use][]
  readonly edits: [text: string, old: string, use: Use][]
  readonly ranges: [script: string, words: string, use: Certainty][]
  readonly plain: [script: string, isPlain: boolean][]
  readonly truths: Readonly<Record<Truth, readonly string[]>>
}
const TABLES = readTables<Tables>('domain/tables/shell')

const ANCHOR = 'make deploy'
const notes = { ...nothing, names: (path: string) => path.endsWith('NOTES.md') }
/** An instruction that names `flags.ini`, the program `frob` and the option `--force`. */
const context: ScriptContext = {
  ...nothing,
  names: (path) => path.endsWith('flags.ini'),
  says: (word) => word === 'frob' || word === '--force',
}

for (const [use, tables] of Object.entries(TABLES.uses))
  describe(`an anchor is ${use}`, () => {
    for (const [title, rows] of Object.entries(tables))
      describe(`where it ${title}`, () => {
        it.each(rows)('%j, %j', (script, anchor) => expect(readShell(script, 'shell', context).useOf(anchor)).toBe(use))
      })
  })

const ALLOWED: Readonly<Record<Truth, readonly Use[]>> = {
  runs: ['whole', 'sure', 'maybe'],
  'may run': ['maybe'],
  'never runs': ['told', 'maybe', 'absent'],
}
for (const [truth, scripts] of Object.entries(TABLES.truths) as [Truth, readonly string[]][])
  describe(`a reading agrees that the command ${truth}`, () => {
    it.each(scripts)('in %j', (script) => {
      const use = readShell(script.replaceAll('RUN', ANCHOR), 'shell', nothing).useOf(ANCHOR)
      expect(ALLOWED[truth]).toContain(use)
    })
  })

it.each(TABLES.argv)('the argv %j: %s', (words, use) => {
  expect(readShell(JSON.stringify(words), 'argv', nothing).useOf(ANCHOR)).toBe(use)
})

it.each(TABLES.keys)('the keys %j: %s', (keys, use) => {
  expect(readShell(keys, 'keystrokes', nothing).useOf(ANCHOR)).toBe(use)
})

it.each(TABLES.code)('%s %j: %s', (language, code, use) => {
  expect(readShell(code, language, nothing).useOf(ANCHOR)).toBe(use)
})

it.each(TABLES.looks)('%j looks at the file: %s', (script, looks) => {
  expect(readShell(script, 'shell', nothing).looksAt('~/.ssh/a1')).toBe(looks)
})

it.each(TABLES.content)('%j in %j, %j: %s', (text, target, anchor, use) => {
  expect(readContent(text, target, notes).useOf(anchor)).toBe(use)
})

it.each(TABLES.edits)('an edit that puts %j in place of %j: %s', (text, old, use) => {
  expect(readEdit(text, [old], 'NOTES.md', notes).useOf('a1-b2')).toBe(use)
})

it.each(TABLES.ranges)('in %j the range of %j: %s', (script, words, use) => {
  const start = script.indexOf(words)
  expect(readShell(script, 'shell', nothing).useAt(start, start + words.length)).toBe(use)
})

it.each(TABLES.plain)('all words of %j are known: %s', (script, isPlain) =>
  expect(readShell(script, 'shell', nothing).isPlain()).toBe(isPlain),
)

it.each([
  "git commit -am 'fix' -m 'Reviewed-by: Ada Bot'",
  "git commit -F - <<'EOF'\nfix\n\nReviewed-by: Ada Bot\nEOF",
])('a message may be the act: %s', (script) => {
  expect(readShell(script, 'shell', context).useOf('Reviewed-by: Ada Bot')).toBe('maybe')
})

it('files that a script writes', () => {
  const writes = 'echo hi > g.txt; ls | tee -a h 2>&1; { ls; } >> i; sort -o j k'
  expect(readShell(writes, 'shell', nothing).outputs()).toEqual(['g.txt', 'h', 'i'])
})
