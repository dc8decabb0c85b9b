import type { Ajv, ValidateFunction } from 'ajv'
import type { FastifyServerOptions } from 'fastify'

type Controller = NonNullable<FastifyServerOptions['schemaController']>

type Checked = Pick<ValidateFunction, 'errors'> & ((data: unknown) => boolean)

const COMMON = {
  allErrors: false,
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  validateFormats: false,
  // An error brings the object that it is about.
  verbose: true,
} as const

/**
 * Bodies are taken as they are; query strings and headers, which are always text, may become numbers and booleans. A schema is compiled, and
 * Ajv loaded, by the first request that it is for.
 */
function createCompiler() {
  const validators = new Map<boolean, Ajv>()
  const validatorOf = (coerceTypes: boolean): Ajv => {
    const known = validators.get(coerceTypes)
    if (known !== undefined) return known
    const load = process.getBuiltinModule('node:module').createRequire(import.meta.url)
    const made = new (load('ajv') as typeof import('ajv')).Ajv({ ...COMMON, coerceTypes })
    validators.set(coerceTypes, made)
    return made
  }
  return ({ schema, httpPart }: { readonly schema: object; readonly httpPart: string }) => {
    let compiled: ValidateFunction | undefined
    const check: Checked = (data) => {
      compiled ??= validatorOf(httpPart !== 'body').compile(schema)
      const isValid = compiled(data)
      check.errors = compiled.errors ?? null
      return isValid
    }
    return check
  }
}

const serialize = (data: unknown): string => (typeof data === 'string' ? data : JSON.stringify(data))

/** In place of Fastify’s own compilers, which are not even loaded then. */
export const schemaController = () =>
  ({
    compilersFactory: { buildValidator: createCompiler, buildSerializer: () => () => serialize },
  }) as unknown as Controller
