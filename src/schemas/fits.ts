type Node = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

/** Whether one keyword lets a value through. A keyword says nothing of values of other types than its own. */
const KEYWORDS: Readonly<Record<string, (given: never, value: unknown, node: Node) => boolean>> = {
  type: (given: string | readonly string[], value) =>
    typeof given === 'string' ? (TYPES[given]?.(value) ?? false) : given.some((name) => TYPES[name]?.(value) ?? false),
  enum: (given: readonly unknown[], value) => given.includes(value),
  anyOf: (given: readonly Node[], value) => given.some((node) => fits(node, value)),
  required: (given: readonly string[], value) => !isRecord(value) || given.every((name) => Object.hasOwn(value, name)),
  properties: (given: Readonly<Record<string, Node>>, value) =>
    !isRecord(value) ||
    Object.entries(given).every(([name, node]) => !Object.hasOwn(value, name) || fits(node, value[name])),
  patternProperties: (given: Readonly<Record<string, Node>>, value) =>
    !isRecord(value) ||
    Object.entries(given).every(([pattern, node]) => {
      const named = new RegExp(pattern, 'u')
      return Object.keys(value).every((name) => !named.test(name) || fits(node, value[name]))
    }),
  additionalProperties: (given: boolean | Node, value, node) => {
    if (given === true || !isRecord(value)) return true
    const patterns = Object.keys((node['patternProperties'] ?? {}) as Node).map((pattern) => new RegExp(pattern, 'u'))
    const properties = (node['properties'] ?? {}) as Node
    return Object.keys(value).every(
      (name) =>
        Object.hasOwn(properties, name) ||
        patterns.some((pattern) => pattern.test(name)) ||
        (given !== false && fits(given, value[name])),
    )
  },
  minProperties: (given: number, value) => !isRecord(value) || Object.keys(value).length >= given,
  maxProperties: (given: number, value) => !isRecord(value) || Object.keys(value).length <= given,
  items: (given: Node, value) => !Array.isArray(value) || value.every((item) => fits(given, item)),
  minItems: (given: number, value) => !Array.isArray(value) || value.length >= given,
  maxItems: (given: number, value) => !Array.isArray(value) || value.length <= given,
  uniqueItems: (given: boolean, value) =>
    !given ||
    !Array.isArray(value) ||
    (value.every((item) => typeof item === 'string') && new Set(value).size === value.length),
  // Enough characters for any way of counting them, or it is left to TypeBox.
  minLength: (given: number, value) =>
    typeof value !== 'string' || value.length >= given * 2 || (given === 1 && value !== ''),
  maxLength: (given: number, value) => typeof value !== 'string' || value.length <= given,
  pattern: (given: string, value) => typeof value !== 'string' || new RegExp(given, 'u').test(value),
  minimum: (given: number, value) => typeof value !== 'number' || value >= given,
  maximum: (given: number, value) => typeof value !== 'number' || value <= given,
  exclusiveMinimum: (given: number, value) => typeof value !== 'number' || value > given,
}

const NOTES = new Set(['title', 'description', 'default', 'deprecated', 'examples', '$id', '$schema'])

/**
 * True: the value fits the schema. False: it may not, or the schema has a keyword that is unknown here; TypeBox, which is loaded then, has the
 * last word and finds the words for it.
 */
export function fits(schema: Node, value: unknown): boolean {
  for (const keyword in schema) {
    if (NOTES.has(keyword)) continue
    const lets = KEYWORDS[keyword]
    if (lets === undefined || !lets(schema[keyword] as never, value, schema)) return false
  }
  return true
}

export const isKnown = (keyword: string): boolean => NOTES.has(keyword) || Object.hasOwn(KEYWORDS, keyword)
