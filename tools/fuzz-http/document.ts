/** What the tester needs of an OpenAPI 3.1 document. */
export type Schema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** With `{id}` in it. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** Schemas of the body by media type. */
  readonly bodies: ReadonlyMap<string, Schema>
  /** Schemas of the answers by status and media type. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, Schema>>
}

export interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>
interface RawOperation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export const operationsOf = (document: OpenApi): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, raw]) => ({
        id: raw.operationId ?? `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: raw.parameters ?? [],
        bodies: schemasOf(raw.requestBody?.content),
        answers: new Map(Object.entries(raw.responses).map(([status, one]) => [status, schemasOf(one.content)])),
      })),
  )

const schemasOf = (content: Content | undefined): Map<string, Schema> =>
  new Map(Object.entries(content ?? {}).map(([type, { schema }]) => [type, schema ?? {}]))

/** Follows a reference within the document. */
export function resolveSchema(schema: Schema, document: OpenApi): Schema {
  const ref = schema['$ref']
  if (typeof ref !== 'string') return schema
  const name = ref.split('/').at(-1) ?? ''
  const found = document.components.schemas[name]
  if (found === undefined) throw new Error(`the document has no ${ref}`)
  return resolveSchema(found, document)
}
