import fc from 'fast-check'
import { type OpenApi, resolveSchema, type Schema } from './document.ts'

/** Puts a generator of its own in the place of a member of this name. */
export type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Values that fit a schema, as far as it can be said by generation; what it means besides is the service’s to refuse. */
export function fromSchema(given: Schema, document: OpenApi, overrides: Overrides, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolveSchema(given, document)
  const again = (one: unknown) => fromSchema(one as Schema, document, overrides, depth + 1)
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
  for (const word of ['anyOf', 'oneOf'] as const) {
    const options = schema[word]
    // Where it stands beside properties it only says which of them are needed.
    if (Array.isArray(options) && schema['properties'] === undefined)
      // The first choice is the usual one.
      return fc.oneof(...options.map((one, at) => ({ weight: at === 0 ? 4 : 1, arbitrary: again(one) })))
  }
  const types = [schema['type']].flat()
  return fc.oneof(...types.map((type) => ofType(String(type), schema, again, overrides)))
}

type Again = (schema: unknown) => fc.Arbitrary<unknown>

function ofType(type: string, schema: Schema, again: Again, overrides: Overrides): fc.Arbitrary<unknown> {
  const number = (word: string, absent: number) => (typeof schema[word] === 'number' ? schema[word] : absent)
  switch (type) {
    case 'string':
      return ofString(schema, number('minLength', 0), number('maxLength', 40))
    case 'integer':
      return fc.integer({ min: number('minimum', -3), max: Math.min(number('maximum', 50), 2 ** 31) })
    case 'number':
      return fc.double({
        min: number('minimum', number('exclusiveMinimum', -10)),
        max: number('maximum', number('exclusiveMaximum', 1000)),
        minExcluded: 'exclusiveMinimum' in schema,
        noNaN: true,
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(again(schema['items'] ?? {}), {
        minLength: number('minItems', 0),
        maxLength: Math.min(number('maxItems', 6), 6),
      })
    case 'object':
      return ofObject(schema, again, overrides)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function ofString(schema: Schema, min: number, max: number): fc.Arbitrary<string> {
  const { pattern, format } = schema
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
  if (format === 'date-time') return fc.constant('2026-11-21T00:00:00.000Z')
  return fc.string({ unit: 'grapheme', minLength: min, maxLength: Math.min(max, min + 30) })
}

function ofObject(schema: Schema, again: Again, overrides: Overrides): fc.Arbitrary<unknown> {
  const required = (schema['required'] ?? []) as string[]
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const members = Object.fromEntries(properties.map(([name, one]) => [name, overrides[name] ?? again(one)]))
  const record = fc.record(members, { requiredKeys: required.filter((name) => name in members) })
  const more = schema['additionalProperties']
  if (typeof more !== 'object' || more === null) return record
  const extra = fc.dictionary(fc.string({ maxLength: 8 }), again(more), { maxKeys: 3 })
  return fc.tuple(extra, record).map(([one, two]) => ({ ...one, ...two }))
}
