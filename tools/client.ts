import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * Writes src/client/contract.ts: the types of openapi/openapi.json, by openapi-typescript, and a table of its operations. `--check` exits 1
 * where the committed file differs.
 */
const CONTRACT = 'openapi/openapi.json'
const FILE = 'src/client/contract.ts'

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
interface Generator {
  default(document: object, options: object): Promise<unknown>
  astToString(types: unknown): string
}

/** openapi-typescript needs the compiler API of TypeScript 5: a package of its own holds both, outside of the project’s TypeScript 7. */
const require = createRequire(new URL('../node_modules/@veridict/openapi-types/package.json', import.meta.url))
const generator = require('openapi-typescript') as Generator

/** Leaves out of the document: examples, refusals (the client throws them), and choices between required members, which TypeScript cannot say. */
function withoutNoise(key: string, value: unknown): unknown {
  if (key === 'example' || key === 'examples' || (/^[345]\d\d$/.test(key) && Object(value) === value)) return undefined
  const isRequirement = Array.isArray(value) && value.every((one) => Object.keys(one).join() === 'required')
  return key === 'anyOf' && isRequirement ? undefined : value
}

/** Leaves the words of schemas out; a property of the same name is no word. */
const withoutWords = (key: string, value: unknown): unknown =>
  (key === 'description' || key === 'format') && typeof value === 'string' ? undefined : value

async function render(): Promise<string> {
  const document = JSON.parse(readFileSync(CONTRACT, 'utf8'), withoutNoise) as { paths: Paths }
  const types = await generator.default(document, {
    ...{ rootTypes: true, rootTypesNoSchemaPrefix: true, defaultNonNullable: false, emptyObjectsUnknown: true },
  })
  const { components } = JSON.parse(readFileSync(CONTRACT, 'utf8'), withoutWords) as { components: { schemas: object } }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId: id }]) => `    ${id}: ["${method.toUpperCase()}", "${path}"],\n`,
    ),
  )
  return `// Generated from ${CONTRACT} by tools/client.ts: do not edit.

${generator.astToString(types)}
/** Method and path of each operation. */
export const OPERATIONS = {
${operations.join('')}} as const;
/** The schemas of the document, without its words. */
export const SHAPES: object = ${JSON.stringify(components.schemas)};
`
}

const text = await render()
if (!process.argv.includes('--check')) writeFileSync(FILE, text)
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} differs from ${CONTRACT}: run "npm run client" and commit it`)
  process.exitCode = 1
}
