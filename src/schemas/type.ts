import type { TObject, TObjectOptions, TProperties, TSchema, Type as TypeBox } from 'typebox'

/**
 * The schemas that the contract is written in: TypeBox’s types over plain JSON Schema. TypeBox itself, 680 modules, is not loaded for it; a test
 * holds every schema that is made here against the one that TypeBox makes.
 */
type Node = Readonly<Record<string, unknown>>

const OPTIONAL = Symbol('optional')

const typed =
  (type: string) =>
  (options: Node = {}): Node => ({ type, ...options })

/** A property that may be absent; the mark is in no JSON. */
const Optional = (schema: Node): Node => Object.defineProperty({ ...schema }, OPTIONAL, { value: true })

const Object_ = (properties: Readonly<Record<string, Node>>, options: Node = {}): Node => {
  const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name] as Node, OPTIONAL))
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options }
}

const propertiesOf = (schema: Node, isTaken: (name: string) => boolean): Record<string, Node> =>
  Object.fromEntries(Object.entries(schema['properties'] as Record<string, Node>).filter(([name]) => isTaken(name)))

const builders = {
  Array: (items: Node, options: Node = {}): Node => ({ type: 'array', items, ...options }),
  Boolean: typed('boolean'),
  Enum: (values: readonly unknown[], options: Node = {}): Node => ({ enum: values, ...options }),
  Integer: typed('integer'),
  Null: typed('null'),
  Number: typed('number'),
  Object: Object_,
  Omit: (schema: Node, names: readonly string[], options: Node = {}): Node =>
    Object_(
      propertiesOf(schema, (name) => !names.includes(name)),
      options,
    ),
  Optional,
  Pick: (schema: Node, names: readonly string[], options: Node = {}): Node =>
    Object_(
      propertiesOf(schema, (name) => names.includes(name)),
      options,
    ),
  Record: (name: Node, value: Node, options: Node = {}): Node => ({
    type: 'object',
    patternProperties: { [String(name['pattern'] ?? '^.*$')]: value },
    ...options,
  }),
  String: typed('string'),
  Union: (schemas: readonly Node[], options: Node = {}): Node => ({ anyOf: schemas, ...options }),
  Unknown: (options: Node = {}): Node => ({ ...options }),
  Unsafe: (schema: Node): Node => schema,
}

export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>

/** An object that may have no other members. */
export const Closed = <P extends TProperties>(properties: P, options?: TObjectOptions): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Nullable = <T extends TSchema>(schema: T, options?: { readonly description: string }) =>
  Type.Union([schema, Type.Null()], options)
