import type { TSchema } from 'typebox'
import { fits } from './fits.ts'
import { NOT_BLANK } from './ground-truth.ts'
import { validationErrors } from './typebox.ts'

interface Told {
  readonly path: string
  readonly message: string
}

type SchemaError = ReturnType<typeof validationErrors>[number]

const MOST = 20

/** An unknown property is told twice, once without its name; that one is left out. */
const errorsOf = (schema: TSchema, value: unknown): SchemaError[] =>
  fits({ ...schema }, value)
    ? []
    : validationErrors(schema, value).filter(({ keyword }) => keyword !== 'additionalProperties')

/** What is wrong with a value, with JSON pointers, in the words that judges are told. Empty: it fits. At most 20. */
export const schemaIssues = (schema: object, value: unknown): Told[] =>
  errorsOf(schema, value)
    .slice(0, MOST)
    .map(({ keyword, instancePath, message }) => ({
      path: instancePath,
      message: keyword === 'boolean' ? 'is not a known property' : message,
    }))

/** The same for who wrote the value: one issue a mistake, at the property itself, with what was found and what is expected. */
export const inputIssues = (schema: object, value: unknown): Told[] =>
  errorsOf(schema, value)
    // What each branch of a choice lacks is told once, by the choice.
    .filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'))
    .flatMap((error) => explain(schema, value, error))
    .slice(0, MOST)

function explain(root: TSchema, value: unknown, error: SchemaError): Told[] {
  const { keyword, schemaPath, instancePath: path, params, message } = error
  const keys = schemaPath.split('/').slice(1)
  const schema = schemaAt(root, keys)
  // An unknown property is met by the schema `false`, which stands in that of its object.
  if (keyword === 'boolean') {
    const known = knownOf(schemaAt(root, keys.slice(0, -1)))
    return [{ path, message: `is not a known property; there are: ${known}` }]
  }
  if (keyword === 'anyOf' && schema.anyOf?.every(({ required }) => required !== undefined)) {
    const names = schema.anyOf.flatMap(({ required = [] }) => required)
    return [{ path, message: `has none of ${names.join(', ')}; one is required` }]
  }
  if ('requiredProperties' in params)
    return params.requiredProperties.map((name) => ({
      path: `${path}/${name}`,
      message: withDescription('is missing', schema.properties?.[name]),
    }))
  const found = keyword === 'type' ? `, not ${kindOf(valueAt(value, path))}` : ''
  if (keyword === 'pattern' && params.pattern === NOT_BLANK) return [{ path, message: 'is blank; write what it says' }]
  const fault = 'allowedValues' in params ? `must be one of ${params.allowedValues.join(', ')}` : `${message}${found}`
  return [{ path, message: withDescription(fault, schema) }]
}

const withDescription = (fault: string, schema: SchemaNode | undefined): string =>
  schema?.description === undefined ? fault : `${fault}; ${schema.description}`

interface SchemaNode {
  readonly description?: string
  readonly deprecated?: boolean
  readonly required?: readonly string[]
  readonly anyOf?: readonly SchemaNode[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
}

/** Names of properties and the patterns of names hold no slash. */
const schemaAt = (root: TSchema, path: readonly string[]): SchemaNode =>
  path.reduce<SchemaNode>((node, key) => (node as Record<string, SchemaNode>)[key] ?? {}, root)

/** Where any name of a form is taken, the description says which. */
const knownOf = ({ properties, description = '' }: SchemaNode): string =>
  properties === undefined
    ? description
    : Object.entries(properties)
        .flatMap(([name, { deprecated }]) => (deprecated === true ? [] : [name]))
        .join(', ')

const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], value)

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
