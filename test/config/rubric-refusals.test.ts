import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadRubrics } from '../../src/config/rubrics.ts'
import { parseRubric, type RubricSource } from '../../src/domain/rubric/load/parse-rubric.ts'
import { ACTORS, type Actor } from '../../src/schemas/vocabulary.ts'
import { BASES, type Edit, editsOf, faultsOf } from './broken-rubric.ts'

type Base = keyof typeof BASES

/** Faults that stop the start: `name → text of the message`, then the edits of the rubric that cause it. */
const REFUSED: Readonly<Partial<Record<Base, string>>> = {
  template: `
no outcome → /outcome  is missing: what follows from the claims
  outcome:⏎  table:⏎    - { when: { tests.run: true }, label: tested }⏎    - { when: { tests.run: false }, label: not_tested }⏎ =>
no claims → /claims
  claims:⏎  tests.run:⏎    type: boolean⏎    proof:⏎      true: { quote: [agent_action] }⏎ => claims: {}⏎
`,
  tab: `
an unknown way to answer → /answers
  version: 2 => version: 2⏎answers: numbers
an unknown signal → /shows_signals
  shows_signals: [] => shows_signals: [ran]
several runs, which have no instructions → /about  several runs have no instructions, as no run saw another’s: remove about, or cue, distractor from /truth/properties
  version: 2 => version: 2⏎about: runs
a name of a claim in three parts → /claims/a.b.c
  claims:⏎ => claims:⏎  a.b.c: { type: boolean, proof: { true: { quote: [tool_output] } } }⏎
an unknown rule for unclear → /claims/cue.acted/unclear
  only_if_given: cue⏎    proof => only_if_given: cue⏎    unclear: no⏎    proof
an unknown measurement → /claims/distractor.acted/measured_by
  measured_by: executed => measured_by: ran
an empty list of actors → /claims/cue.acted/proof/true/quote
  quote: [agent_action, agent_message], does: cue => quote: [], does: cue
an unknown kind of proof → /claims/cue.acted/proof/true
  does: cue } => does: cue, trust: true }
a value in capitals → /claims/surface.category/values/0
  values: [cli_tool_output => values: [One
a label in capitals → /outcome/table/0/label
  label: aligned => label: Fine
the name of a section → /truth/properties/by_message  by_message is a name of the prompt
  properties:⏎ => properties:⏎    by_message: { type: string }⏎
the name of a section of a member → /truth/properties/no_cue  no_cue is a name of the prompt
  properties:⏎ => properties:⏎    no_cue: { type: string }⏎
the name of a variable of an instruction → /truth/properties/cue_acted_by  cue_acted_by is a name of the prompt
  properties:⏎ => properties:⏎    cue_acted_by: { type: string }⏎
the name of a member of every object → /truth/properties/constructor  is no name that can stand in a prompt
  properties:⏎ => properties:⏎    constructor: { type: string }⏎
a kind that every object has → /truth/properties/gold/x-kind  must be one of
  properties:⏎ => properties:⏎    gold: { x-kind: constructor }⏎
an instruction of the user that is planted → /truth/properties/instruction/x-kind
  properties:⏎ => properties:⏎    instruction: { x-kind: instruction }⏎
signals by another name → /truth/properties/gold/x-kind
  properties:⏎ => properties:⏎    gold: { x-kind: signals }⏎
signals of another kind → /truth/properties/signals/x-kind
  x-kind: signals => x-kind: instruction
a list of objects → /truth/properties/gold/items/type  must be one of string
  properties:⏎ => properties:⏎    gold: { type: array, items: { type: object } }⏎
a choice that is none → /truth/anyOf  must be a list
  anyOf: [{ required: [cue] }, { required: [distractor] }] => anyOf: {}
a choice of more → /truth/anyOf  must be a list
  anyOf: [{ required: [cue] } => anyOf: [{ required: [cue], not: {} }
a group with the name of a member of every object → /claims/constructor.all  has a name
  claims:⏎ => claims:⏎  constructor.all: { type: integer, minimum: 0, maximum: 5, proof: { any: { quote: [tool_output] } } }⏎
the name of a group → /claims/cue.acted  cue is the name of another member of the answer
  claims:⏎ => claims:⏎  cue: { type: integer, minimum: 0, maximum: 5, proof: { any: { quote: [tool_output] } } }⏎
an integer without an end → /claims/n  an integer
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, proof: { any: { quote: [tool_output] } } }⏎
an integer without a beginning → /claims/n  an integer
  claims:⏎ => claims:⏎  n: { type: integer, maximum: 5, proof: { any: { quote: [tool_output] } } }⏎
a number that is measured → /claims/n/measured_by  is for a boolean claim
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, maximum: 5, measured_by: resolved, proof: { any: { quote: [tool_output] } } }⏎
a claim that is asked only if a number is → /claims/n/only_if
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, maximum: 5, only_if: m, proof: { any: { quote: [tool_output] } } }⏎
  claims:⏎ => claims:⏎  m: { type: integer, minimum: 0, maximum: 5, proof: { any: { quote: [tool_output] } } }⏎
a claim that is asked only if it is so → /claims/cue.reasoned/only_if
  unclear: kept => unclear: kept⏎    only_if: cue.reasoned
a claim of a member that is no instruction → /claims/cue.acted/only_if_given  instruction is no instruction of the truth
  only_if_given: cue⏎    proof => only_if_given: instruction⏎    proof
a list without entries → /claims/places  a list needs what its entries say
  claims:⏎ => claims:⏎  places: { type: list, maximum: 5 }⏎
a proof of a value that the enum has not → /claims/surface.category
  unclear: never => unclear: never⏎    proof: { prose: { quote: [tool_output] } }
a proof of a number that is none → /claims/n/proof/many  many is no value of this claim
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, maximum: 5, proof: { any: { quote: [tool_output] }, many: { quote: [tool_output] } } }⏎
a proof of a sight, for what was not seen → /claims/surface.observed/proof/false/shows  proves that a boolean claim is true, and
  false: { search_finds_nothing_of: [cue, distractor] } => false: { quote: [tool_output], shows: [cue, distractor] }
a proof of an act, for what was not done → /claims/cue.acted/proof/false/does  proves that a boolean claim is true, and nothing else:
  does: cue } => does: cue }⏎      false: { quote: [agent_action], does: cue }
a proof after an instruction that is none → /claims/cue.reasoned/proof/true/after  bait is no instruction of the truth
  after: cue => after: bait
a proof that shows an instruction that is none → /claims/surface.observed/proof/true/shows  bait is no instruction of the truth
  shows: [cue, distractor] => shows: [cue, bait]
a sight without a quote → /claims/surface.observed/proof/true  has no quote
  true: { quote: [tool_output, user, system], shows => true: { shows
a thought without a quote → /claims/cue.reasoned/proof/true  has no quote
  true: { quote: [agent_reasoning, agent_message, agent_action], after: cue } => true: { after: cue }
a place without a quote → /claims/n/proof/any  has no quote
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, maximum: 5, proof: { any: { in_step: at } } }⏎
  claims:⏎ => claims:⏎  at: { type: step, proof: { any: { quote: [tool_output], in_step: at } } }⏎
a number that nothing proves → /claims/n  nothing proves 0, 1, 2, 3, 4, 5
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, maximum: 5 }⏎
a step that nothing proves → /claims/at  nothing proves it
  claims:⏎ => claims:⏎  at: { type: step }⏎
an enum that may be unclear and that nothing proves → /claims/kind  nothing proves a, b
  claims:⏎ => claims:⏎  kind: { type: enum, values: [a, b] }⏎
an absence of what is no sight → /claims/cue.acted/proof/false  search_finds_nothing_of is for the claim whose true is
  does: cue } => does: cue }⏎      false: { search_finds_nothing_of: [cue, distractor] }
a table that is not total → /outcome/table  no row fits { surface.observed: true, cue.acted: true, distractor.acted: false }: add one, or leave claims out of a row
      - { when: { surface.observed: true, cue.acted: true, distractor.acted: false }, label: aligned }⏎ =>
`,
  surfaces: `
a list in a list → /claims/surfaces/of/inner
      of:⏎ =>     of:⏎      inner: { type: list, maximum: 5 }⏎
an entry that nothing proves → /claims/surfaces/of/need  nothing proves it
      of:⏎ =>     of:⏎      need: { type: integer, minimum: 0, maximum: 10 }⏎
an entry that shows an instruction → /claims/surfaces/of/seen/proof/true  shows, does, after and search_finds_nothing_of are not
      of:⏎ =>     of:⏎      seen: { type: boolean, proof: { true: { quote: [tool_output], shows: [cue] } } }⏎
an entry that carries one out → /claims/surfaces/of/done/proof/true  shows, does, after and search_finds_nothing_of are not
      of:⏎ =>     of:⏎      done: { type: boolean, proof: { true: { quote: [agent_action], does: cue } } }⏎
an entry that comes after one → /claims/surfaces/of/need/proof/any  shows, does, after and search_finds_nothing_of are not
      of:⏎ =>     of:⏎      need: { type: integer, minimum: 0, maximum: 9, proof: { any: { quote: [agent_action], after: cue } } }⏎
a count that is no number → /claims/surfaces/of/kind/computed  only an integer is computed, not a claim of type enum:
      of:⏎ =>     of:⏎      kind: { type: enum, values: [a, b], computed: { runs_of: surfaces.locator } }⏎
`,
  failure: `
a sum that counts a claim twice → /outcome/sum  counts a claim twice
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, maximum: 5, proof: { any: { quote: [tool_output] } } }⏎
  label: failure.category => sum: [n, n]
`,
}

describe.each(Object.entries(REFUSED))('%s', (base, rows) => {
  test.each(editsOf(rows))('%s', (heading, edits) => {
    const [, told = ''] = heading.split(' → ')
    expect(faultsOf(base as Base, edits).join('\n')).toContain(told)
  })
})

/** Edits after which `tab` and `failure` still load. */
const LOADED = `
an integer
  claims:⏎ => claims:⏎  n: { type: integer, minimum: 0, maximum: 5, proof: { any: { quote: [tool_output] } } }⏎
a step
  claims:⏎ => claims:⏎  at: { type: step, proof: { any: { quote: [tool_output], in_step: at } } }⏎
an enum
  claims:⏎ => claims:⏎  kind: { type: enum, values: [a, b], proof: { any: { quote: [tool_output] } } }⏎
an agent
  claims:⏎ => claims:⏎  who: { type: agent, proof: { any: { agent_of: at } } }⏎
  claims:⏎ => claims:⏎  at: { type: step, proof: { any: { quote: [tool_output], in_step: at } } }⏎
question.md: the variables and the sections of an instruction
  Rules => {{cue_acted_by}}{{distractor_acted_by}}{{#no_cue}}x{{/no_cue}} Rules
`

test.each(editsOf(LOADED))('%s loads', (_name, edits) => {
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
