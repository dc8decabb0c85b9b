import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { type TSchema, Type as TypeBox } from 'typebox'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { schemaIssues } from '../../src/schemas/check.ts'
import { fits, isKnown } from '../../src/schemas/fits.ts'
import { Type } from '../../src/schemas/type.ts'

/** Builds the same schemas with either builder. */
const shapes = (T: typeof Type) => {
  const some = T.Object({
    a: T.Optional(T.String({ minLength: 1, pattern: '^[a-z]' })),
    b: T.Null(),
    c: T.Array(T.Integer({ minimum: 1, maximum: 9 }), { minItems: 1, maxItems: 2 }),
  })
  const closed = { additionalProperties: false, description: 'closed' } as const
  return [
    T.Object({}),
    some,
    T.Optional(some),
    T.Object({ some, flag: T.Boolean() }, closed),
    T.Object({ only: T.Optional(T.Number({ exclusiveMinimum: 0 })) }, closed),
    T.Omit(some, ['b']),
    T.Pick(some, ['a', 'c'], { description: 'picked' }),
    T.Enum(['a', 'b'], { type: 'string' }),
    T.Array(T.Enum(['a', 'b'], { type: 'string' }), { uniqueItems: true }),
    T.Union([T.Boolean(), T.Null()], { description: 'either' }),
    T.Record(T.String(), T.Unknown()),
    T.Record(T.String({ pattern: '^[a-z]+$' }), T.Number(), closed),
    T.Unknown({ description: 'anything' }),
    T.Unsafe<string | null>({ type: ['string', 'null'] }),
  ] as const
}

const OURS: readonly TSchema[] = shapes(Type)
const THEIRS: readonly TSchema[] = shapes(TypeBox as unknown as typeof Type)

test('schemas are, letter for letter, those that TypeBox makes', () => {
  expect(OURS.map((schema) => JSON.stringify(schema))).toEqual(THEIRS.map((schema) => JSON.stringify(schema)))
})

const LEAF = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, 1, 9, 10, 1.5, Number.NaN, '', 'a', 'b', 'ab', 'A', '😀', undefined),
  fc.double(),
)
const NAME = fc.constantFrom('a', 'b', 'c', 'some', 'flag', 'only', 'x', 'X')
const { value: VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    LEAF,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(NAME, tie('value'), { maxKeys: 4 }),
    fc.record({ b: fc.constant(null), c: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 3 }) }),
  ),
}))

test('what is let through without TypeBox is what TypeBox lets through', () => {
  let through = 0
  fc.assert(
    fc.property(fc.nat(OURS.length - 1), VALUE, (index, value) => {
      const schema = OURS[index] as TSchema
      const isValid = Value.Check(schema, value)
      if (fits({ ...schema }, value)) {
        through++
        expect(isValid).toBe(true)
      }
      expect(schemaIssues(schema, value).length === 0).toBe(isValid)
    }),
    { numRuns: 3000 },
  )
  expect(through).toBeGreaterThan(300)
})

test('an unknown keyword is left to TypeBox', () => {
  const schema = { type: 'number', multipleOf: 2 }
  expect([fits(schema, 4), schemaIssues(schema, 4), schemaIssues(schema, 3).length]).toEqual([false, [], 1])
})

/** The keywords of a schema and of all that it holds. */
function keywordsOf(schema: unknown): string[] {
  const held = Object.entries(schema as object).flatMap(([keyword, given]: [string, unknown]) => {
    if (keyword === 'properties' || keyword === 'patternProperties') return Object.values(given as object)
    if (keyword === 'anyOf') return given as unknown[]
    return keyword === 'items' ? [given] : []
  })
  return [...Object.keys(schema as object), ...held.flatMap(keywordsOf)]
}

test('the keywords of all our schemas are known, so that a good value needs no TypeBox', async () => {
  const keywords = new Set<string>()
  for (const file of readdirSync('src/schemas', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const exported = (await import(/* @vite-ignore */ `../../src/schemas/${file}`)) as Record<string, unknown>
    for (const [name, schema] of Object.entries(exported))
      if (name.endsWith('Schema') && typeof schema === 'object') for (const one of keywordsOf(schema)) keywords.add(one)
  }
  // A format is only ever in what is answered.
  const unknown = [...keywords].filter((keyword) => keyword !== 'format' && !isKnown(keyword))
  expect(unknown).toEqual([])
})
