import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { atif, LIMITS, textAt } from './make.ts'

const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 })
/** Mostly what a reader would hope for, so that the arbitrary values reach every branch behind it. */
const or = (...usual: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> => fc.oneof(...usual, json)
const text = fc.oneof(
  fc.string(),
  json.map((value) => JSON.stringify(value)),
  fc.constantFrom('null', '{"commands":[{"keystrokes":"ls"}],"plan":"p"}', '{"output":"a","returncode":0}'),
)
const contentPart = fc.record(
  { type: or(fc.constantFrom('text', 'image')), text: or(text), source: json },
  { requiredKeys: [] },
)
const content = or(text, fc.array(or(contentPart), { maxLength: 3 }))
const call = fc.record({ tool_call_id: or(text), function_name: or(text), arguments: or(text) }, { requiredKeys: [] })
const result = fc.record(
  { source_call_id: or(text), content, subagent_trajectory_ref: or(fc.array(fc.record({ trajectory_id: text }))) },
  { requiredKeys: [] },
)
const step = fc.record(
  {
    step_id: or(fc.integer({ min: 0, max: 5 })),
    source: or(fc.constantFrom('agent', 'user', 'system')),
    message: content,
    reasoning_content: content,
    tool_calls: or(fc.array(or(call), { maxLength: 3 })),
    observation: or(fc.record({ results: or(fc.array(or(result), { maxLength: 3 })) })),
    actor: json,
    parts: json,
  },
  { requiredKeys: [] },
)
const document = fc.record(
  {
    schema_version: or(fc.constantFrom('ATIF-v1.7', 'ATIF-v9')),
    agent: or(fc.record({ name: fc.constantFrom('terminus-2', 'claude-code', 'x') })),
    steps: or(fc.array(or(step), { maxLength: 4 })),
    subagent_trajectories: json,
  },
  { requiredKeys: [] },
)

test('any JSON value is read or refused, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(json, document), (value) => {
      const result = readTrajectory(value, LIMITS)
      if (result.ok) expect(result.value.id).toBe(digestValue(value))
      else expect(result.error.length).toBeGreaterThan(0)
    }),
    { numRuns: 2000 },
  )
})

const namesIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)])

test('every part of whatever is read says where its text stands', () => {
  const soundStep = fc.record({
    source: fc.constantFrom('agent', 'user', 'system'),
    message: text,
    tool_calls: fc.array(fc.record({ function_name: fc.string({ minLength: 1 }), arguments: or(text) }), {
      maxLength: 3,
    }),
    observation: fc.record({ results: fc.array(fc.record({ content: text }), { maxLength: 3 }) }),
  })
  let parts = 0
  fc.assert(
    fc.property(
      fc.array(soundStep, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('terminus-2', 'x'),
      (steps, name) => {
        const source = atif(steps, { agent: { name } })
        // A path is ambiguous where a member's own name holds the mark (docs/formats.md).
        fc.pre(!namesIn(source).some((member) => member.includes('#')))
        const result = readTrajectory(source, LIMITS)
        fc.pre(result.ok)
        for (const part of result.value.steps.flatMap((item) => item.parts)) {
          parts++
          expect(textAt(source, part.path)).toBe(part.text)
        }
      },
    ),
    { numRuns: 1000 },
  )
  expect(parts).toBeGreaterThan(1000)
})
