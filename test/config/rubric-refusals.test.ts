import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadRubrics } from '../../src/config/rubrics.ts'
import { parseRubric, type RubricSource } from '../../src/domain/rubric/load/parse-rubric.ts'
import { ACTORS, type Actor } from '../../src/schemas/vocabulary.ts'
import { BASES, type Edit, editsOf, faultsOf, RUBRIC_EDITS } from './broken-rubric.ts'

type Base = keyof typeof BASES

describe.each(Object.entries(RUBRIC_EDITS.refused))('%s', (base, rows) => {
  test.each(editsOf(rows))('%s', (heading, edits) => {
    const [, told = ''] = heading.split(' → ')
    expect(faultsOf(base as Base, edits).join('\n')).toContain(told)
  })
})

test.each(editsOf(RUBRIC_EDITS.loaded))('%s loads', (_name, edits) => {
  expect(faultsOf('tab', edits)).toEqual([])
})

test('a sum of integers loads, and a member of the truth with its sections in the question', () => {
  const claim = 'claims:\n  n: { type: integer, minimum: 0, maximum: 5, proof: { any: { quote: [tool_output] } } }\n'
  const sum: Edit[] = [
    ['rubric.yaml', 'claims:\n', claim],
    ['rubric.yaml', 'label: failure.category', 'sum: [n]'],
  ]
  expect(faultsOf('failure', sum)).toEqual([])
  const member: Edit[] = [
    ['rubric.yaml', 'properties:\n', 'properties:\n    gold: { type: string }\n'],
    ['question.md', 'Rules', '{{#gold}}{{gold}}{{/gold}}{{#no_gold}}x{{/no_gold}} Rules'],
  ]
  expect(faultsOf('tab', member)).toEqual([])
})

test('a table of more than 4096 combinations is refused', () => {
  const values = Array.from({ length: 17 }, (_, index) => `v${index}`).join(', ')
  const claims = ['a', 'b', 'c'].map(
    (name) => `  ${name}: { type: enum, values: [${values}], proof: { any: { quote: [tool_output] } } }\n`,
  )
  const table: Edit[] = [
    ['rubric.yaml', 'claims:\n', `claims:\n${claims.join('')}`],
    ['rubric.yaml', 'label: failure.category', 'table: [{ when: { a: v1, b: v1, c: v1 }, label: x }]'],
  ]
  expect(faultsOf('failure', table).join('\n')).toContain('/outcome/table  has more than 4096 combinations')
})

const LAST_ROW = '    - { when: { surface.observed: false }, label: not_observed }\n'

test('a table that is not total is told each combination that has no row, one with two answers each that has two', () => {
  expect(faultsOf('tab', [['rubric.yaml', LAST_ROW, '']])).toHaveLength(4)
  const row = '    - { when: { cue.acted: true, distractor.acted: true }, label: ignored }\n'
  const told = faultsOf('tab', [['rubric.yaml', LAST_ROW, LAST_ROW + row]])
  const of = (seen: boolean) => `fit { surface.observed: ${seen}, cue.acted: true, distractor.acted: true }`
  expect(told.map((fault) => fault.replace(/^\S+ /, ''))).toEqual([
    `/outcome/table/5  rows 2 and 6 ${of(true)}: change all but one of them`,
    `/outcome/table/5  rows 5 and 6 ${of(false)}: change all but one of them`,
  ])
})

test('a rubric needs a text for all runs; the first rubric keeps its five closing rules', () => {
  const system = readFileSync(`${BASES.tab}/system.md`, 'utf8')
  expect(faultsOf('tab', [['system.md', system, ' \n']]).join()).toContain(
    'system.md:1  is empty: say there how the record is to be read, as `veridict rubric new`',
  )
  const first = loadRubrics('rubrics').find(({ rubric }) => rubric.name === 'tab-behavior@1')?.rubric
  const rules = [
    '1. Every cited',
    '2. `surface.category`',
    '3. If the distractor',
    '4. When unsure',
    '5. Output the JSON',
  ]
  for (const rule of rules) expect(first?.question).toContain(rule)
})

test.each([{}, { maxLength: 9e9, maxItems: 9e9 }])(
  'a text or a list of the truth has an end, though its schema says %j',
  (more) => {
    const source = JSON.parse(
      loadRubrics('rubrics').find(({ rubric }) => rubric.name === 'tab-behavior@2')?.content ?? '',
    ) as RubricSource & { manifest: { truth: { properties: object } } }
    const text = { type: 'string', ...more }
    Object.assign(source.manifest.truth.properties, { gold: text, files: { type: 'array', ...more, items: text } })
    const parsed = parseRubric(source)
    expect(parsed.ok && (parsed.value.truth.schema as { properties: object }).properties).toMatchObject({
      gold: { maxLength: 100_000 },
      files: { maxItems: 1000, items: { maxLength: 100_000 } },
    })
  },
)

/** Proofs of `tab` with their actors (design, section 3): no rubric file gives them others. */
const MAY_PROVE: readonly (readonly [name: string, claim: string, proof: string, actors: readonly Actor[]])[] = [
  ['a sight', 'surface.observed', 'shows: [cue, distractor]', ['user', 'system', 'tool_output']],
  ['an act', 'cue.acted', 'does: cue', ['agent_message', 'agent_action']],
  ['what came after', 'cue.reasoned', 'after: cue', ['agent_reasoning', 'agent_message', 'agent_action']],
]

test.each(MAY_PROVE)('only some can prove %s', (_name, claim, proof, actors) => {
  const manifest = readFileSync(`${BASES.tab}/rubric.yaml`, 'utf8')
  const now = /\{ quote: \[[a-z_, ]+\], $/.exec(manifest.slice(0, manifest.indexOf(proof)))?.[0] ?? ''
  const faults = (quote: readonly Actor[]) =>
    faultsOf('tab', [['rubric.yaml', now + proof, `{ quote: [${quote.join(', ')}], ${proof}`]])
  expect(ACTORS.filter((actor) => faults([actor]).length === 0)).toEqual(actors)
  for (const actor of ACTORS.filter((other) => !actors.includes(other)))
    expect(faults([...actors, actor]).join('\n')).toContain(
      `/claims/${claim}/proof/true/quote  ${actor} can never prove`,
    )
})
