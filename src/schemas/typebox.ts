import type { TSchema } from 'typebox'
import type { Value } from 'typebox/value'

type Issue = ReturnType<typeof Value.Errors>[number]

interface Validator {
  readonly Check: (schema: TSchema, value: unknown) => boolean
  readonly Errors: (schema: TSchema, value: unknown) => readonly [boolean, readonly Issue[]]
}

let loaded: Validator | undefined

/** TypeBox’s validator, loaded when something is wrong for the first time: a value that fits needs no words. */
function validator(): Validator {
  loaded ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('typebox/schema') as Validator
  return loaded
}

export function validationErrors(schema: TSchema, value: unknown): readonly Issue[] {
  const { Check, Errors } = validator()
  return Check(schema, value) ? [] : Errors(schema, value)[1]
}
