/** A JSON Schema as the routes have it. */
export interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly SchemaNode[]
  readonly items?: SchemaNode
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | SchemaNode
  readonly description?: string
  readonly $ref?: string
}

/** The TypeScript type of what fits a schema, with its descriptions. Throws where there is no such type. */
export function plainType(schema: SchemaNode, indent = ''): string {
  const { type, anyOf, items } = schema
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((one) => JSON.stringify(one)))
  if (anyOf !== undefined && !isRequirement(anyOf)) return union(anyOf.map((one) => plainType(one, indent)))
  if (Array.isArray(type)) return union(type.map((one: string) => plainType({ ...schema, type: one }, indent)))
  if (type === 'array') return `ReadonlyArray<${items === undefined ? 'unknown' : plainType(items, indent)}>`
  if (type === 'object') return objectType(schema, indent)
  const plain = type === undefined ? 'unknown' : PLAIN[type as string]
  if (plain === undefined) throw new Error(`no type for ${JSON.stringify(schema).slice(0, 200)}`)
  return plain
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

/** Says which members are required, and nothing of their types. */
const isRequirement = (anyOf: readonly SchemaNode[]): boolean =>
  anyOf.every((one) => Object.keys(one).join() === 'required')

function objectType(
  { properties = {}, required = [], additionalProperties, patternProperties }: SchemaNode,
  indent: string,
): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema, inner)}${inner}readonly ${key(name)}${mark}: ${plainType(schema, inner)}\n`
  })
  const others = othersOf(additionalProperties, patternProperties, inner)
  if (others !== null) {
    // An index covers the named members, too.
    const named = others === 'unknown' ? [] : Object.values(properties).map((schema) => plainType(schema, inner))
    const isOptional = members.length > 0 && others !== 'unknown'
    members.push(
      `${inner}readonly [name: string]: ${union([others, ...named, ...(isOptional ? ['undefined'] : [])])}\n`,
    )
  }
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${members.join('')}${indent}}`
}

/** The type of members without a name; null: there are none. */
function othersOf(
  additional: SchemaNode['additionalProperties'],
  patterns: SchemaNode['patternProperties'],
  indent: string,
): string | null {
  if (patterns !== undefined) return union(Object.values(patterns).map((schema) => plainType(schema, indent)))
  if (additional === false) return null
  return additional === undefined || additional === true ? 'unknown' : plainType(additional, indent)
}

const comment = ({ description }: SchemaNode, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
