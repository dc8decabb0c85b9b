import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { clipName, type Issue, RequestError } from './problem.ts'
import { NOT_BLANK } from './trial.ts'

const MOST_FAULTS = 20
/** Larger values are checked up to their first fault: a hostile value would have a million faults. */
const MOST_NODES = 50_000

const OPTIONS = {
  strict: true,
  strictRequired: false,
  strictTypes: false,
  // Formats describe answers; no input has one.
  validateFormats: false,
  // A name of `Object.prototype` counts only as an own member.
  ownProperties: true,
  // An error brings its value and its schema.
  verbose: true,
  // Most processes ask a check a few times: the check of the schema itself, and shorter code, take longer than all calls.
  validateSchema: false,
  code: { optimize: false },
} as const

/** Makes a function that checks values by schemas. Each schema is compiled once; ajv would keep it for ever, so ajv forgets it. */
function createCheck(options: Options) {
  const ajv = new Ajv({ ...OPTIONS, ...options }).addVocabulary(['content', 'example', 'components'])
  const compiled = new WeakMap<object, ValidateFunction>()
  return (schema: object, value: unknown): readonly ErrorObject[] => {
    const check = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, check)
    ajv.removeSchema(schema)
    return check(value) ? [] : (check.errors ?? [])
  }
}

const checkToFirst = createCheck({})
const checkAll = createCheck({ allErrors: true })
const checkText = createCheck({ allErrors: true, coerceTypes: true })

function isLarge(value: unknown): boolean {
  const open: unknown[] = [value]
  for (let nodes = 0; open.length > 0; nodes++) {
    if (nodes + open.length > MOST_NODES) return true
    const node = open.pop()
    if (Array.isArray(node) && node.length > MOST_NODES) return true
    if (typeof node === 'object' && node !== null) for (const member of Object.values(node)) open.push(member)
  }
  return false
}

/** Names the faults of a value for its author, at most 20: each at its member, with the values found and expected. */
export function inputIssues(schema: object, value: unknown, { isText = false } = {}): Issue[] {
  const check = isText ? checkText : isLarge(value) ? checkToFirst : checkAll
  // The faults of each branch of a choice are told once, by the choice.
  const all = check(schema, value)
  const errors = all.filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'))
  const blank = new Set(all.filter(isBlank).map(({ instancePath }) => instancePath))
  // A blank text is too short, too.
  const told = errors.filter(({ keyword, instancePath }) => keyword !== 'minLength' || !blank.has(instancePath))
  const sorted = told.toSorted((a, b) => Number(isChoice(a)) - Number(isChoice(b)))
  return sorted.slice(0, MOST_FAULTS).map((error) => ({ path: placeOf(error), message: explain(error, isText) }))
}

const isBlank = ({ keyword, params }: ErrorObject): boolean => keyword === 'pattern' && params['pattern'] === NOT_BLANK

const isChoice = ({ keyword, instancePath }: ErrorObject): boolean => keyword === 'anyOf' && instancePath === ''

interface SchemaNode {
  readonly description?: string
  readonly deprecated?: boolean
  readonly required?: readonly string[]
  readonly anyOf?: readonly SchemaNode[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
}

/** Locates a fault at the missing or unknown member, not at the object around it. Names are the sender’s: a long place is cut. */
function placeOf({ instancePath, params }: ErrorObject): string {
  const name: unknown = params['missingProperty'] ?? params['additionalProperty']
  const own = typeof name === 'string' ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : ''
  return clipName(instancePath + own)
}

function explain(error: ErrorObject, isText: boolean): string {
  const { keyword, params, data } = error
  const schema = (error.parentSchema ?? {}) as SchemaNode
  switch (keyword) {
    case 'additionalProperties':
      return `is not a known property; there are: ${knownOf(schema) || 'none'}${truthHint(params['additionalProperty'] as string, schema, data)}`
    case 'required':
      return withDescription('is missing', schema.properties?.[String(params['missingProperty'])])
    case 'enum':
      return withDescription(`must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`, schema)
    case 'type':
      // A parameter is a text before it is read.
      return withDescription(wordsOf(error) + (isText ? '' : `, not ${kindOf(data)}`), schema)
    case 'pattern':
      if (isBlank(error)) return 'is blank; write its text'
      break
    case 'anyOf':
      if (schema.anyOf?.every(({ required }) => required !== undefined) === true)
        return `has none of ${schema.anyOf.flatMap(({ required = [] }) => required).join(', ')}; one is required`
  }
  return withDescription(wordsOf(error), schema)
}

function wordsOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  const { type } = params as { readonly type?: unknown }
  if (keyword === 'type' && Array.isArray(type)) return `must be either ${type.join(' or ')}`
  return message.replace('NOT', 'not')
}

const withDescription = (fault: string, schema: SchemaNode | undefined): string =>
  schema?.description === undefined ? fault : `${fault}: ${withinSentence(schema.description)}`

/** Continues a sentence with a description; abbreviations such as JSON keep their capitals. */
const withinSentence = (text: string): string => text.replace(/^[A-Z](?=[a-z ’:])/u, (letter) => letter.toLowerCase())

const TRUTHS = {
  'tab-behavior': ['cue', 'distractor'],
  injection: ['planted'],
  'failure-attribution': ['expected'],
  'surface-discovery': ['tests'],
}

export function rubricHint(member: string): string {
  const [rubric] = Object.entries(TRUTHS).find(([, members]) => members.includes(member)) ?? []
  return rubric === undefined ? '' : `; the rubric ${rubric} takes ${member}: name the rubric, as -r ${rubric} does`
}

/** Hints at the rubric of a misplaced member of a ground truth, which alone has `expected_in`; not at a distractor beside a cue. */
const truthHint = (member: string, { properties }: SchemaNode, truth: unknown): string =>
  properties?.['expected_in'] === undefined || (member === 'distractor' && Object.hasOwn(Object(truth), 'cue'))
    ? ''
    : rubricHint(member)

/** Lists the known names of an object; where any name of a form is taken, the description says which form. */
const knownOf = ({ properties, description = '' }: SchemaNode): string =>
  properties === undefined
    ? description
    : Object.entries(properties)
        .flatMap(([name, { deprecated }]) => (deprecated === true ? [] : [name]))
        .join(', ')

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

export const misfit = (place: string, errors: readonly Issue[], subject = 'the request'): RequestError =>
  new RequestError('invalid_request', `${subject} does not fit its schema`, {
    errors: errors.map(({ path, message }) => ({ path: place + path, message })),
  })
