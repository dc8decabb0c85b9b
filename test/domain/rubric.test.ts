import { describe, expect, test } from 'vitest'
import { loadRubrics } from '../../src/config/rubrics.ts'
import { parseRubric, type RubricSource } from '../../src/domain/rubric/load/parse-rubric.ts'
import type { ClaimManifest, RubricManifest } from '../../src/schemas/rubric.ts'
import { ACTORS, type Actor } from '../../src/schemas/vocabulary.ts'

type Proof = NonNullable<ClaimManifest['proof']>[string]
type Claims = Record<string, ClaimManifest & { proof: Record<string, Proof> }>

/** A copy of `tab-behavior@2` for one test to spoil. */
interface Draft {
  system: string
  question: string
  readonly manifest: Omit<RubricManifest, 'claims' | 'truth'> & {
    claims: Claims
    truth: Record<string, unknown> & { properties: Record<string, object> }
    outcome: RubricManifest['outcome'] & { table: NonNullable<RubricManifest['outcome']['table']> }
  }
}

const CONTENT = loadRubrics('rubrics').find(({ rubric }) => rubric.name === 'tab-behavior@2')?.content ?? ''

function draft(change: (draft: Draft) => void): RubricSource {
  const own = JSON.parse(CONTENT) as Draft
  change(own)
  return own
}

/** What is wrong with the rubric after the change, a line each. */
function faults(change: (draft: Draft) => void): string[] {
  const parsed = parseRubric(draft(change))
  return parsed.ok ? [] : parsed.error.map(({ path, message }) => `${path} ${message}`)
}

type Fault = readonly [name: string, change: (draft: Draft) => void, told: string]

const stopsTheStart = (list: readonly Fault[]) =>
  test.each(list)('%s stops the start', (_name, change, told) => {
    expect(faults(change).join('\n')).toContain(told)
  })

const QUOTE: Proof = { quote: ['tool_output'] }
const DONE: Proof = { quote: ['agent_action'] }

/** Adds a claim. */
const claim =
  (id: string, given: object) =>
  ({ manifest }: Draft): void => {
    manifest.claims[id] = given as Claims[string]
  }

/** Changes a claim that is there. */
const claimed =
  (id: string, given: object) =>
  ({ manifest }: Draft): void => {
    Object.assign(manifest.claims[id] ?? {}, given)
  }

/** Replaces the proof of a value. */
const proof =
  (id: string, value: string, given: object) =>
  ({ manifest }: Draft): void => {
    const own = manifest.claims[id]
    if (own === undefined) throw new Error(`no claim ${id}`)
    own.proof[value] = given as Proof
  }

const truth =
  (given: object) =>
  ({ manifest }: Draft): void => {
    Object.assign(manifest.truth, given)
  }

const member =
  (name: string, given: unknown) =>
  ({ manifest }: Draft): void => {
    manifest.truth.properties[name] = given as object
  }

const outcome =
  (given: object) =>
  ({ manifest }: Draft): void => {
    Object.assign(manifest, { outcome: given })
  }

const both =
  (...changes: readonly ((draft: Draft) => void)[]) =>
  (own: Draft): void => {
    for (const change of changes) change(own)
  }

test('the rubric that the tables spoil loads, and the first one with its five closing rules', () => {
  expect(faults(() => undefined)).toEqual([])
  const first = loadRubrics('rubrics').find(({ rubric }) => rubric.name === 'tab-behavior@1')?.rubric
  for (const rule of [
    '1. Every cited step id',
    '2. `surface.category`',
    '3. If the distractor',
    '4. When unsure',
    '5. Output the JSON object only',
  ])
    expect(first?.question).toContain(rule)
})

describe('the form: ', () =>
  stopsTheStart([
    [
      'no outcome',
      ({ manifest }) => Reflect.deleteProperty(manifest, 'outcome'),
      '/outcome is missing; What follows from the claims',
    ],
    ['no claims', ({ manifest }) => Object.assign(manifest, { claims: {} }), '/claims'],
    ['an unknown way to answer', ({ manifest }) => Object.assign(manifest, { answers: 'numbers' }), '/answers'],
    ['an unknown signal', ({ manifest }) => Object.assign(manifest, { shows_signals: ['ran'] }), '/shows_signals'],
    ['a name of a claim in three parts', claim('a.b.c', { type: 'boolean', proof: { true: QUOTE } }), '/claims/a.b.c'],
    ['an unknown rule for unclear', claimed('cue.acted', { unclear: 'no' }), '/claims/cue.acted/unclear'],
    ['an unknown measurement', claimed('cue.acted', { measured_by: 'ran' }), '/claims/cue.acted/measured_by'],
    ['an empty list of actors', proof('cue.acted', 'true', { quote: [] }), '/claims/cue.acted/proof/true/quote'],
    ['an unknown kind of proof', proof('cue.acted', 'true', { ...DONE, trust: true }), '/claims/cue.acted/proof/true'],
    [
      'a value in capitals',
      claim('kind', { type: 'enum', values: ['One', 'two'], proof: { any: QUOTE } }),
      '/claims/kind/values/0',
    ],
    [
      'a label in capitals',
      ({ manifest }) => Object.assign(manifest.outcome.table[0] ?? {}, { label: 'Fine' }),
      '/label',
    ],
  ]))

describe('the truth: ', () =>
  stopsTheStart([
    [
      'the name of a section',
      member('by_message', { type: 'string' }),
      '/truth/properties/by_message by_message is a name of the prompt',
    ],
    [
      'the name of a section of a member',
      member('no_cue', { type: 'string' }),
      '/truth/properties/no_cue no_cue is a name of the prompt',
    ],
    [
      'the name of a variable of an instruction',
      member('cue_acted_by', { type: 'string' }),
      '/truth/properties/cue_acted_by cue_acted_by is a name of the prompt',
    ],
    [
      'the name of what every object has',
      member('constructor', { type: 'string' }),
      '/truth/properties/constructor is no name that can stand in a prompt',
    ],
    [
      'a kind that every object has',
      member('gold', { 'x-kind': 'constructor' }),
      '/truth/properties/gold/x-kind must be one of',
    ],
    [
      'an instruction of the user that is planted',
      member('instruction', { 'x-kind': 'instruction' }),
      '/truth/properties/instruction/x-kind',
    ],
    ['signals by another name', member('gold', { 'x-kind': 'signals' }), '/truth/properties/gold/x-kind'],
    ['signals of another kind', member('signals', { 'x-kind': 'instruction' }), '/truth/properties/signals/x-kind'],
    [
      'a list of objects',
      member('gold', { type: 'array', items: { type: 'object' } }),
      '/truth/properties/gold/items/type must be one of string',
    ],
    ['a choice that is none', truth({ anyOf: {} }), '/truth/anyOf must be a list'],
    ['a choice of more', truth({ anyOf: [{ required: ['cue'], not: {} }] }), '/truth/anyOf must be a list'],
  ]))

test.each([{}, { maxLength: 9e9, maxItems: 9e9 }])(
  'a text or a list of the truth has an end, though its schema says %j',
  (more) => {
    const text = { type: 'string', ...more }
    const parsed = parseRubric(
      draft(both(member('gold', text), member('files', { type: 'array', ...more, items: { type: 'string' } }))),
    )
    const properties = parsed.ok && (parsed.value.truth.schema as { properties: object }).properties
    expect(properties).toMatchObject({
      gold: { maxLength: 100_000 },
      files: { maxItems: 1000, items: { maxLength: 100_000 } },
    })
  },
)

const RANGE = { type: 'integer', minimum: 0, maximum: 5, proof: { any: QUOTE } }
const stepIn = (id: string) => ({ type: 'step', proof: { any: { ...QUOTE, in_step: id } } })
const STEP = stepIn('at')

describe('a claim: ', () => {
  test.each(['integer', 'step', 'enum', 'agent'])('one of the type %s that is as it should be loads', (type) => {
    const agent = { type, proof: { any: { agent_of: 'at' } } }
    const own = {
      integer: RANGE,
      step: stepIn('one'),
      enum: { type, values: ['a', 'b'], proof: { any: QUOTE } },
      agent,
    }[type]
    expect(faults(both(claim('at', STEP), claim('one', own ?? {})))).toEqual([])
  })

  stopsTheStart([
    ['a group by such a name', claim('constructor.all', RANGE), '/claims/constructor.all has a name'],
    ['the name of a group', claim('cue', RANGE), '/claims/cue.acted cue is the name of another member of the answer'],
    ['an integer without an end', claim('n', { ...RANGE, maximum: undefined }), '/claims/n'],
    [
      'an integer without a beginning',
      claim('n', { type: 'integer', maximum: 5, proof: { any: QUOTE } }),
      '/claims/n an integer',
    ],
    [
      'a number that is measured',
      claim('n', { ...RANGE, measured_by: 'resolved' }),
      '/claims/n/measured_by is for a boolean claim',
    ],
    [
      'one that is asked only if a number is',
      both(claim('m', RANGE), claim('n', { ...RANGE, only_if: 'm' })),
      '/claims/n/only_if',
    ],
    [
      'one that is asked only if it is so',
      claimed('cue.reasoned', { only_if: 'cue.reasoned' }),
      '/claims/cue.reasoned/only_if',
    ],
    [
      'one of a member that is no instruction',
      claimed('cue.acted', { only_if_given: 'instruction' }),
      '/claims/cue.acted/only_if_given instruction is no instruction of the truth',
    ],
  ])
})

const LIST = {
  type: 'list',
  maximum: 5,
  of: {
    where: { type: 'text', proof: { any: { ...QUOTE, holds: 'places.where' } } },
    need: { type: 'integer', minimum: 0, maximum: 10, proof: { any: QUOTE } },
    kind: { type: 'enum', values: ['a', 'b'], proof: { any: QUOTE } },
  },
}
/** The list with one claim of its entries replaced or added. */
const listWith = (name: string, given: object) => claim('places', { ...LIST, of: { ...LIST.of, [name]: given } })

describe('a list: ', () => {
  test('one that is as it should be loads, with what code counts and what documents cap', () => {
    const computed = { type: 'integer', minimum: 0, maximum: 10, computed: { runs_of: 'places.where' } }
    const capped = { ...LIST.of.need, capped_by_document: { maximum: 4, names: 'places.where', words: ['exists'] } }
    const own = { ...LIST, of: { ...LIST.of, runs: computed, capped } }
    expect(
      faults(both(claim('places', own), outcome({ best: { of: 'places', by: ['need', 'runs'], label: 'kind' } }))),
    ).toEqual([])
  })

  stopsTheStart([
    ['no entries', claim('places', { type: 'list', maximum: 5 }), '/claims/places a list needs what its entries say'],
    ['a list in a list', listWith('inner', { ...LIST, of: undefined }), '/claims/places/of/inner'],
    [
      'an entry that nothing proves',
      listWith('need', { ...LIST.of.need, proof: {} }),
      '/claims/places/of/need nothing proves it',
    ],
    [
      'an entry that shows an instruction',
      listWith('seen', { type: 'boolean', proof: { true: { ...QUOTE, shows: ['cue', 'distractor'] } } }),
      '/claims/places/of/seen/proof/true shows, does, after and search_finds_nothing_of are not',
    ],
    [
      'an entry that carries one out',
      listWith('done', { type: 'boolean', proof: { true: { ...DONE, does: 'cue' } } }),
      '/claims/places/of/done/proof/true shows, does, after and search_finds_nothing_of are not',
    ],
    [
      'an entry that comes after one',
      listWith('need', { ...LIST.of.need, proof: { any: { ...DONE, after: 'cue' } } }),
      '/claims/places/of/need/proof/any shows, does, after and search_finds_nothing_of are not',
    ],
    [
      'a count that is no number',
      listWith('kind', { ...LIST.of.kind, computed: { runs_of: 'places.where' } }),
      '/claims/places/of/kind/computed only an integer is computed, not a claim of type enum:',
    ],
  ])

  test('a question about several runs has no instructions', () => {
    expect(faults(({ manifest }) => Object.assign(manifest, { about: 'runs' }))).toEqual([
      '/about several runs have no instructions, as no run saw another’s: remove about, or cue, distractor from /truth/properties',
    ])
  })
})

describe('a proof: ', () =>
  stopsTheStart([
    [
      'of a value that the enum has not',
      claimed('surface.category', { proof: { prose: QUOTE } }),
      '/claims/surface.category',
    ],
    [
      'of a number that is none',
      claim('n', { ...RANGE, proof: { any: QUOTE, many: QUOTE } }),
      '/claims/n/proof/many many is no value of this claim',
    ],
    [
      'of a sight, for what was not seen',
      proof('surface.observed', 'false', { ...QUOTE, shows: ['cue', 'distractor'] }),
      '/claims/surface.observed/proof/false/shows proves that a boolean claim is true, and',
    ],
    [
      'of an act, for what was not done',
      proof('cue.acted', 'false', { ...DONE, does: 'cue' }),
      '/claims/cue.acted/proof/false/does proves that a boolean claim is true, and nothing else:',
    ],
    [
      'after an instruction that is none',
      proof('cue.reasoned', 'true', { ...DONE, after: 'bait' }),
      '/claims/cue.reasoned/proof/true/after bait is no instruction of the truth',
    ],
    [
      'by showing one that is none',
      proof('surface.observed', 'true', { ...QUOTE, shows: ['cue', 'bait'] }),
      '/claims/surface.observed/proof/true/shows bait is no instruction of the truth',
    ],
  ]))

/** Design section 3, by data: who can prove what does not follow from the file. */
describe('no rubric file can weaken the gate: ', () => {
  const MAY_PROVE: Readonly<Record<string, readonly [id: string, needs: Proof, actors: readonly Actor[]]>> = {
    'a sight': ['surface.observed', { shows: ['cue', 'distractor'] }, ['user', 'system', 'tool_output']],
    'an act': ['cue.acted', { does: 'cue' }, ['agent_message', 'agent_action']],
    'what came after': ['cue.reasoned', { after: 'cue' }, ['agent_reasoning', 'agent_message', 'agent_action']],
  }

  test.each(Object.entries(MAY_PROVE))('only some can prove %s', (_name, [id, needs, actors]) => {
    const taken = ACTORS.filter((actor) => faults(proof(id, 'true', { ...needs, quote: [actor] })).length === 0)
    expect(taken).toEqual(actors)
    const others = ACTORS.filter((actor) => !actors.includes(actor))
    for (const actor of others)
      expect(faults(proof(id, 'true', { ...needs, quote: [...actors, actor] }))).toContainEqual(
        expect.stringContaining(`/claims/${id}/proof/true/quote ${actor} can never prove`),
      )
  })

  stopsTheStart([
    [
      'a sight without a quote',
      proof('surface.observed', 'true', { shows: ['cue', 'distractor'] }),
      '/claims/surface.observed/proof/true has no quote',
    ],
    [
      'a thought without a quote',
      proof('cue.reasoned', 'true', { after: 'cue' }),
      '/claims/cue.reasoned/proof/true has no quote',
    ],
    [
      'a place without a quote',
      both(claim('at', STEP), claim('n', { ...RANGE, proof: { any: { in_step: 'at' } } })),
      '/claims/n/proof/any has no quote',
    ],
    ['a number that nothing proves', claim('n', { ...RANGE, proof: {} }), '/claims/n nothing proves 0, 1, 2, 3, 4, 5'],
    ['a step that nothing proves', claim('at', { type: 'step' }), '/claims/at nothing proves it'],
    [
      'an enum that may be unclear and that nothing proves',
      claim('kind', { type: 'enum', values: ['a', 'b'] }),
      '/claims/kind nothing proves a, b',
    ],
    [
      'an absence of what is no sight',
      proof('cue.acted', 'false', { search_finds_nothing_of: ['cue', 'distractor'] }),
      '/claims/cue.acted/proof/false search_finds_nothing_of is for the claim whose true is',
    ],
  ])
})

describe('the outcome: ', () => {
  const numbers = Array.from({ length: 17 }, (_, index) => `v${index}`)
  const large = { type: 'enum', values: numbers, proof: { any: QUOTE } }
  const row = (when: object) => ({ when, label: 'x' })

  test('a label of an enum, and a sum of integers, load', () => {
    expect(faults(both(claim('kind', large), outcome({ label: 'kind' })))).toEqual([])
    expect(faults(both(claim('n', RANGE), claim('m', RANGE), outcome({ sum: ['n', 'm'] })))).toEqual([])
  })

  stopsTheStart([
    [
      'a sum that counts a claim twice',
      both(claim('n', RANGE), outcome({ sum: ['n', 'n'] })),
      '/outcome/sum counts a claim twice',
    ],
    [
      'a table that nobody could read',
      both(
        claim('a', large),
        claim('b', large),
        claim('c', large),
        outcome({ table: [row({ a: 'v1', b: 'v1', c: 'v1' })] }),
      ),
      '/outcome/table has more than 4096 combinations',
    ],
    [
      'a value by the wrong type',
      ({ manifest }) => Object.assign(manifest.outcome.table.at(-1)?.when ?? {}, { 'surface.observed': 'false' }),
      '/outcome/table/4/when/surface.observed "false" is no value of surface.observed',
    ],
  ])

  test('a table that is not total is told each combination that has no row', () => {
    const told = faults(({ manifest }) => manifest.outcome.table.shift())
    expect(told).toEqual([
      '/outcome/table no row fits { surface.observed: true, cue.acted: true, distractor.acted: false }: add one, or leave claims out of a row',
    ])
    expect(faults(({ manifest }) => manifest.outcome.table.pop())).toHaveLength(4)
  })

  test('a table with two answers is told each combination that has two', () => {
    const told = faults(({ manifest }) =>
      manifest.outcome.table.push({ when: { 'cue.acted': true, 'distractor.acted': true }, label: 'ignored' }),
    )
    expect(told).toEqual([
      '/outcome/table/5 rows 2 and 6 fit { surface.observed: true, cue.acted: true, distractor.acted: true }: change all but one of them',
      '/outcome/table/5 rows 5 and 6 fit { surface.observed: false, cue.acted: true, distractor.acted: true }: change all but one of them',
    ])
  })
})

describe('the texts: ', () => {
  const ask = (more: string) => (own: Draft) => {
    own.question += more
  }
  const system = (text: string) => (own: Draft) => {
    own.system = text
  }
  stopsTheStart([
    [
      'no frozen text',
      system(' \n'),
      '/system.md/1 is empty: say there how the record is to be read, as `veridict rubric new`',
    ],
  ])

  test('a member of the truth and an instruction can be used in the question', () => {
    expect(
      faults(both(member('gold', { type: 'string' }), ask('{{#gold}}{{gold}}{{/gold}}{{#no_gold}}x{{/no_gold}}'))),
    ).toEqual([])
    expect(faults(ask('{{cue_acted_by}}{{distractor_acted_by}}{{#no_cue}}x{{/no_cue}}'))).toEqual([])
  })
})
