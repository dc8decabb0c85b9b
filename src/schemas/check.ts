import type { TSchema } from 'typebox'
import { fits } from './fits.ts'
import { validationErrors } from './typebox.ts'

/** What is wrong with a value, with JSON pointers. Empty: it fits. At most 20. */
export function schemaIssues(schema: TSchema, value: unknown): { path: string; message: string }[] {
  if (fits({ ...schema }, value)) return []
  return (
    validationErrors(schema, value)
      // An unknown property is told twice, once without its name.
      .filter(({ message }) => message !== 'must not have additional properties')
      .slice(0, 20)
      .map(({ instancePath, message }) => ({
        path: instancePath,
        message: message === 'schema is false' ? 'is not a known property' : message,
      }))
  )
}
