import { describe, expect, test } from 'vitest'
import { BASES, editsOf, faultsOf } from './broken-rubric.ts'

type Base = keyof typeof BASES

test.each(Object.keys(BASES) as Base[])('%s is whole before it is broken', (base) => {
  expect(faultsOf(base, [])).toEqual([])
})

/** What a newcomer is told: the file, the line, the place, and what to do; below it, what is edited so that it is told. */
const FAULTS: Readonly<Record<Exclude<Base, 'tab'>, string>> = {
  template: `
rubric.yaml:4  is no YAML: Nested mappings are not allowed in compact mappings; a text that holds ": " or begins with a mark is written in quotes
  title: Whether => title: a: Whether
rubric.yaml:4  is no YAML: Map keys must be unique: remove one of the two, or rename it
  version: 1 => version: 1⏎version: 2
rubric.yaml:1 /title  is missing: what it asks, in a few words.
  title: Whether the agent ran the tests⏎ =>
rubric.yaml:4 /titel  is not a known property; there are: id, version, title, description, answers, shows_signals, about, truth, claims, outcome
  title: => titel: x⏎title:
rubric.yaml:18 /claims/tests.run/prof  is not a known property; there are: type, description, values, minimum, maximum, only_if, only_if_given, unclear, measured_by, computed, capped_by_document, proof, of
  type: boolean => type: boolean⏎    prof: {}
rubric.yaml:16 /claims/tests.run/type  is missing: the kind of its answer, such as boolean.
      type: boolean⏎ =>
rubric.yaml:17 /claims/tests.run/type  must be one of boolean, enum, integer, step, agent, text, list: the kind of its answer, such as boolean.
  type: boolean => type: bool
rubric.yaml:19 /claims/tests.run/proof/true/quote/0  must be one of user, system, agent_reasoning, agent_message, agent_action, tool_output: who wrote the text.
  [agent_action] => [agent]
rubric.yaml:2 /id  must match pattern "^[a-z][a-z0-9-]*$": small letters, digits and -.
  id: tests-run => id: Tests Run
rubric.yaml:1  says id and version tests-run@2: name the folder so, or change them here
  version: 1 => version: 2
rubric.yaml:16 /claims/Tests.Run  is not a known property; there are: What is asked, 1 to 40 claims by their names: \`name\` or \`group.name\`, in small letters, digits and _.
    tests.run:⏎ =>   Tests.Run:⏎
rubric.yaml:16 /claims/notes.run  notes is the name of another member of the answer: choose another name for this claim
    tests.run:⏎ =>   notes.run:⏎
  { tests.run: true => { notes.run: true
  { tests.run: false => { notes.run: false
rubric.yaml:16 /claims/tests.constructor  has a name that every object of JavaScript has: choose another name for it
    tests.run:⏎ =>   tests.constructor:⏎
rubric.yaml:18 /claims/tests.run/values  only an enum has values, not a claim of type boolean: remove it
  type: boolean => type: boolean⏎    values: [a, b]
rubric.yaml:16 /claims/tests.run  an integer needs a minimum and a maximum that is not below it: add minimum: 0, maximum: 3
  type: boolean => type: integer
rubric.yaml:18 /claims/tests.run/minimum  only an integer has one, not a claim of type boolean: remove it
  type: boolean => type: boolean⏎    minimum: 0⏎    maximum: 3
rubric.yaml:18 /claims/tests.run/of  only a list has entries, not a claim of type boolean: remove it
  type: boolean => type: boolean⏎    of: { name: { type: boolean } }
rubric.yaml:19 /claims/tests.run/proof/yes  yes is no value of this claim; there are: true, false, any
  true: { quote => yes: { quote
rubric.yaml:10 /truth/type  must be object: remove it, or write type: object
  truth:⏎ => truth:⏎  type: array⏎
rubric.yaml:10 /truth/oneOf  is not known here; there are: type, required, properties, anyOf, description. What is known of a run goes below properties
    required: [instruction] =>   oneOf: []
rubric.yaml:11 /truth/properties  must hold members by their names: expected: { type: string }
    properties:⏎    test_command: { type: string, maxLength: 500, description: "How the project's tests are run, where it is known." } =>   properties: [test_command]
rubric.yaml:10 /truth/required  must be a list of members; there are: instruction, test_command, signals, expected_in
  required: [instruction] => required: [task]
rubric.yaml:10 /truth/anyOf  must be a list of { required: [member] }; members: instruction, test_command, signals, expected_in
  required: [instruction] => anyOf: [task]
rubric.yaml:12 /truth/properties/Test-Command  is no name that can stand in a prompt: write small letters, digits and _
  test_command: { => Test-Command: {
rubric.yaml:12 /truth/properties/nonce  nonce is a name of the prompt: choose another; taken are: nonce, signals, steps, agents, claims, answer_schema, both, by_message, written_form, acted_by, instruction, expected_in
  test_command: { => nonce: {
rubric.yaml:12 /truth/properties/signals  are what the harness measured: write { x-kind: signals }
  test_command: { type: string => signals: { type: string
rubric.yaml:12 /truth/properties/instruction  is what the user asked, a plain text: write { type: string }, or remove it
  test_command: { type: string => instruction: { type: integer
rubric.yaml:12 /truth/properties/test_command/pattern  is not a known property; there are: x-kind, type, items, default, description, enum, minLength, maxLength, minItems, maxItems, minimum, maximum, uniqueItems
  maxLength: 500 => pattern: "(a+)+$"
rubric.yaml:12 /truth/properties/test_command/maxLength  must be integer, not string
  maxLength: 500 => maxLength: long
rubric.yaml:12 /truth/properties/test_command/type  must be one of string, integer, number, boolean, array: the kind of its value, such as string.
  { type: string, maxLength => { type: text, maxLength
rubric.yaml:12 /truth/properties/test_command/items  is missing: add items: { type: string }
  { type: string, maxLength: 500 => { type: array
rubric.yaml:23 /outcome/table  follows from no claim: name at least one in when, as in when: { claim: true }
  { tests.run: true } => {}
      - { when: { tests.run: false }, label: not_tested }⏎ =>
question.md:2  there is no {{step}}; there are: nonce, signals, steps, agents, claims, answer_schema, instruction, test_command, acted_by
  {{steps}} => {{step}}
question.md:10  there is no {{#test}}; there are: both, by_message, signals, written_form, instruction, test_command, no_instruction, no_test_command
  {{#test_command}} => {{#test}}
question.md:30  {{#written_form}} is not closed: write {{/written_form}} where it ends
  {{/written_form}} =>
question.md:13  {{#signals}} stands in {{#test_command}}: close that one first, sections do not nest
  {{test_command}} => {{#signals}}{{/signals}}
question.md:39  {{ is not closed: write }} behind the name
  Rules => Rules {{
system.md:1  is the same for every run and holds no {{variable}}: move what needs one to question.md
  You audit => You audit {{steps}}
`,
  failure: `
rubric.yaml:28 /claims/failure.category  an enum needs its values: add values: [one, other]
      values:⏎      - instruction_adherence⏎      - invention_of_information⏎      - invalid_invocation⏎      - misinterpretation_of_output⏎      - intent_plan_misalignment⏎      - underspecified_intent⏎      - intent_not_supported⏎      - guardrails_triggered⏎      - system_failure⏎ =>
rubric.yaml:30 /claims/failure.category/values  unclear is a value of every claim: leave it out
  - system_failure => - system_failure⏎      - unclear
rubric.yaml:30 /claims/failure.category/values  any is the name of the proof of all values: name this value otherwise
  - system_failure => - system_failure⏎      - any
rubric.yaml:30 /claims/failure.category/only_if_given  x is no instruction of the truth; there are: none. Name one of these, or add x: { x-kind: instruction } to /truth/properties
  type: enum => type: enum⏎    only_if_given: x
rubric.yaml:20 /claims/failure.step/proof/any/agent_of  is for a claim of type agent, and this one is of type step: remove it
  in_step: failure.step } => agent_of: failure.step }
rubric.yaml:26 /claims/failure.agent/proof/any/agent_of  failure.category is no claim of type step; there are: failure.step. Name one of these, or add it to /claims
  agent_of: failure.step => agent_of: failure.category
rubric.yaml:20 /claims/failure.step/proof/any/in_step  failure.steps is no claim of type step; there are: failure.step. Name one of these, or add it to /claims
  in_step: failure.step => in_step: failure.steps
rubric.yaml:44 /outcome  has none of table, label, sum and best: write exactly one of them
    label: failure.category =>   scale: nominal
rubric.yaml:44 /outcome  has label and sum of table, label, sum and best: write exactly one of them
    label: failure.category =>   label: failure.category⏎  sum: [failure.step]
rubric.yaml:45 /outcome/label  failure.kind is no claim of this rubric; there are: failure.step, failure.agent, failure.category
  label: failure.category => label: failure.kind
rubric.yaml:45 /outcome/label  a label needs a claim of type enum, and failure.step is of type step: name another
  label: failure.category => label: failure.step
rubric.yaml:45 /outcome/sum/0  a sum needs a claim of type integer, and failure.category is of type enum: name another
  label: failure.category => sum: [failure.category]
rubric.yaml:45 /outcome/table/0/when/failure.step  a row of a table needs a claim of type boolean or enum, and failure.step is of type step: name another
  label: failure.category => table: [{ when: { failure.step: 3 }, label: three }]
`,
  surfaces: `
rubric.yaml:16 /claims/surfaces  a list needs a maximum of 1 to 50 entries: add maximum: 20
      maximum: 20⏎ =>
rubric.yaml:19 /claims/surfaces/proof  belongs to the claims of the entries: move it below of
      maximum: 20⏎ =>     maximum: 20⏎    proof: { any: { quote: [agent_action] } }⏎
rubric.yaml:16 /claims/all.surfaces  is a list, whose name has no dot, as its entries have their own claims: rename it
    surfaces:⏎    type =>   all.surfaces:⏎    type
rubric.yaml:34 /claims/surfaces/of/coverage/computed  surfaces.place is no claim: there are: surfaces, surfaces.locator, surfaces.category, surfaces.coverage, surfaces.necessity, surfaces.detectability, surfaces.injectability. Name one of these, or add it to /claims
  runs_of: surfaces.locator => runs_of: surfaces.place
rubric.yaml:56 /claims/surfaces/of/injectability/capped_by_document  surfaces.category is no claim of type text; there are: surfaces.locator. Name one of these, or add it to /claims
  names: surfaces.locator => names: surfaces.category
rubric.yaml:50 /claims/surfaces/of/detectability/proof/4  4 is no value of this claim; there are: 0 to 3, any
            3: { =>           4: {
rubric.yaml:24 /claims/surfaces/of/locator/proof/any/holds  surfaces.category is no claim of type text; there are: surfaces.locator. Name one of these, or add it to /claims
  holds: surfaces.locator => holds: surfaces.category
rubric.yaml:62 /outcome/best/of  surface is no list; there are: surfaces
  of: surfaces, by => of: surface, by
rubric.yaml:62 /outcome/best/by/0  the sum of an entry needs a claim of type integer, and surfaces.category is of type enum: name another
  by: [coverage => by: [category
rubric.yaml:62 /outcome/best/label  the label of an entry needs a claim of type enum, and surfaces.locator is of type text: name another
  label: category => label: locator
rubric.yaml:62 /outcome/best/label  none is the label where the list is empty: name this value of surfaces.category otherwise
  binary_media] => binary_media, none]
`,
  injection: `
rubric.yaml:24 /claims/injection.considered/only_if  injection.sen is no other claim of type boolean; there are: injection.seen, injection.followed, injection.reported. Name one of these, or add it to /claims
  unclear: kept => unclear: kept⏎    only_if: injection.sen
rubric.yaml:24 /claims/injection.considered/only_if_given  cue is no instruction of the truth; there are: planted. Name one of these, or add cue: { x-kind: instruction } to /truth/properties
  unclear: kept => unclear: kept⏎    only_if_given: cue
rubric.yaml:19 /claims/injection.seen/proof/any/shows  proves that a boolean claim is true, and nothing else: move it to proof: { true: … } of a boolean claim
  true: { quote: [tool_output, user, system] => any: { quote: [tool_output, user, system]
rubric.yaml:30 /claims/injection.followed/proof/true/does  cue is no instruction of the truth; there are: planted. Name one of these, or add cue: { x-kind: instruction } to /truth/properties
  does: planted => does: cue
rubric.yaml:20 /claims/injection.seen/proof/any/search_finds_nothing_of  proves that a boolean claim is false, and nothing else: move it to proof: { false: … }
  false: { search_finds_nothing_of: [planted] } => any: { search_finds_nothing_of: [planted] }
rubric.yaml:12 /truth/properties/planted  must say what it is: { x-kind: instruction }, or { type: string }
      planted: { x-kind: instruction } =>     planted: instruction
rubric.yaml:12 /truth/properties/planted/x-kind  must be one of instruction, signals; the member signals is of the kind signals, and no other one; instruction is a plain text. Leave x-kind out for a plain text or number
  x-kind: instruction => x-kind: instructions
rubric.yaml:40 /outcome/table/2/when/injection.told  injection.told is no claim of this rubric; there are: injection.seen, injection.considered, injection.followed, injection.reported
  injection.reported: true } => injection.told: true }
rubric.yaml:40 /outcome/table/2/when/injection.reported  "yes" is no value of injection.reported; there are: true, false
  injection.reported: true } => injection.reported: yes }
question.md:1  does not use {{planted}}: write it where the judge is to read it
  ⏎{{planted}}⏎ => ⏎planted⏎
`,
}

describe.each(Object.entries(FAULTS))('%s', (base, rows) => {
  test.each(editsOf(rows))('%s', (fault, edits) => {
    expect(faultsOf(base as Base, edits)[0]).toBe(fault)
  })
})

test('every fault is told at once, but what follows from a truth that is none', () => {
  expect(
    faultsOf('injection', [
      ['rubric.yaml', 'does: planted', 'does: cue'],
      ['question.md', '{{steps}}', '{{step}}'],
    ]).map((fault) => fault.split(' ')[0]),
  ).toEqual(['rubric.yaml:30', 'question.md:2'])
})
