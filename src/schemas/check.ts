import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** What is wrong with a value, with JSON pointers. Empty: it fits. At most 20. */
export function schemaIssues(schema: TSchema, value: unknown): { path: string; message: string }[] {
  if (Value.Check(schema, value)) return []
  return Value.Errors(schema, value)
    .slice(0, 20)
    .map((error) => ({ path: error.instancePath, message: error.message }))
}
