import type { TSchema } from 'typebox'
import { fits } from '../schemas/fits.ts'
import { type Issue, validationErrors } from '../schemas/typebox.ts'

/** What cannot be used of the configuration file: place, fault and remedy of each. At most 20; none: it fits. */
export function configIssues(schema: TSchema, value: unknown): string[] {
  if (fits({ ...schema }, value)) return []
  return validationErrors(schema, value)
    .filter(({ keyword }) => keyword !== 'additionalProperties')
    .slice(0, 20)
    .map((error) => `${error.instancePath || '/'} ${messageOf(schema, error)}`)
}

function messageOf(root: TSchema, { keyword, schemaPath, params, message }: Issue): string {
  // An unknown property is met by the schema `false`, which stands in that of its object.
  if (keyword === 'boolean') return `is not a known property; there are: ${knownOf(parentOf(root, schemaPath))}`
  const { description } = schemaAt(root, schemaPath.split('/').slice(1))
  const fault = 'allowedValues' in params ? `must be one of ${params.allowedValues.join(', ')}` : message
  return description === undefined ? fault : `${fault}; ${description}`
}

interface SchemaNode {
  readonly description?: string
  readonly deprecated?: boolean
  readonly properties?: Readonly<Record<string, SchemaNode>>
}

/** Names of properties and the patterns of names hold no slash. */
const schemaAt = (root: TSchema, path: readonly string[]): SchemaNode =>
  path.reduce<SchemaNode>((node, key) => (node as Record<string, SchemaNode>)[key] ?? {}, root)

const parentOf = (root: TSchema, schemaPath: string): SchemaNode => schemaAt(root, schemaPath.split('/').slice(1, -1))

/** Where any name of a form is taken, the description says which. */
const knownOf = ({ properties, description = '' }: SchemaNode): string =>
  properties === undefined
    ? description
    : Object.entries(properties)
        .flatMap(([name, { deprecated }]) => (deprecated === true ? [] : [name]))
        .join(', ')
