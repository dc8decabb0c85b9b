import { schemaIssues } from '../../schemas/check.ts'
import type { ConfidenceLevel } from '../../schemas/vocabulary.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { parseAnswer } from './answer-json.ts'
import { answerSchemaOf, isAsked, splitClaim, UNCLEAR } from './answer-schema.ts'
import type { ClaimRule, ClaimValue, Entry, Rubric, Scalar } from './rubric.ts'

/** The same worst case that bounds the search for a quote: see `docs/design.md`, evidence. */
export const MAX_QUOTE_CHARS = 1000
const MAX_CITATIONS = 60
const MAX_LIST_CITATIONS = 300
const MAX_NOTES_CHARS = 20_000
const MAX_NAME_CHARS = 200

export interface Citation {
  /** The id of the claim that it supports. */
  readonly supports: string
  /** The number of the entry of a list, from 1; only where the rubric has a list. */
  readonly entry?: number
  readonly step_id: number
  readonly quote: string
}

/** What a judge says, in the right form. Nothing of it is checked against the trajectory yet. */
export interface Claims {
  readonly citations: readonly Citation[]
  readonly notes: string
  /** By the id of the claim; null: unclear. */
  readonly values: Readonly<Record<string, ClaimValue>>
  readonly confidence: ConfidenceLevel
  readonly checked_form: true
}

export const claimedValue = ({ values }: Claims, { id }: ClaimRule): ClaimValue => values[id] ?? null

/** Whether a claim counts at all: one that is asked only if another is true does not where that is false. */
export const counts = ({ values }: Claims, { only_if }: ClaimRule): boolean =>
  only_if === null || values[only_if] !== false

type Node = Readonly<Record<string, unknown>>

/**
 * Reads a judge's answer: the answer schema of the rubric, and the bounds that the schema cannot hold. Boolean claims may be answered in
 * words or with true and false, whichever the rubric asks for. A missing field is an error, never a benign default.
 */
export function parseClaims(text: string, rubric: Rubric): Result<Claims, Issue[]> {
  const parsed = parseAnswer(text)
  if (!parsed.ok) return parsed
  const answer = inWords(parsed.value, rubric)
  const issues = schemaIssues(wordedSchema(rubric), answer)
  if (issues.length > 0) return err(issues)
  const { citations, notes, confidence } = answer as Pick<Claims, 'citations' | 'notes' | 'confidence'>
  const read = rubric.claims.map((claim) => readMember(claim, answer as Node))
  const bounds = [
    ...boundIssues(citations, notes, rubric),
    ...read.flatMap(({ issues: own }) => own),
    ...rubric.claims.flatMap((claim, index) => entryIssues(claim, citations, read[index]?.value ?? null)),
  ]
  if (bounds.length > 0) return err(bounds)
  const values = Object.fromEntries(rubric.claims.map(({ id }, index) => [id, read[index]?.value ?? null]))
  return ok({ citations, notes, values: withoutCategory(values), confidence, checked_form: true })
}

const [OBSERVED, CATEGORY] = ['surface.observed', 'surface.category'] as const

/** The category of a surface that was not observed does not apply: null, whatever the judge had to answer. */
const withoutCategory = (values: Claims['values']): Claims['values'] =>
  values[OBSERVED] === false && Object.hasOwn(values, CATEGORY) ? { ...values, [CATEGORY]: null } : values

const worded = new WeakMap<Rubric, object>()

/** The form in words, in which every answer is read. */
function wordedSchema(rubric: Rubric): object {
  const schema =
    worded.get(rubric) ?? (rubric.in_booleans ? answerSchemaOf(rubric.claims, false) : rubric.answer_schema)
  worded.set(rubric, schema)
  return schema
}

function memberOf(answer: Node, id: string): unknown {
  const [group, name] = splitClaim(id)
  return group === null ? answer[name] : (answer[group] as Node)[name]
}

interface Read<Value extends ClaimValue> {
  readonly value: Value
  readonly issues: readonly Issue[]
}

function readMember(claim: ClaimRule, answer: Node): Read<ClaimValue> {
  const path = `/${claim.id.replace('.', '/')}`
  if (!isAsked(claim)) return { value: null, issues: [] }
  const given = memberOf(answer, claim.id)
  if (claim.type !== 'list') return readClaim(claim, given, path)
  const entries = given as readonly Node[]
  if (entries.length > claim.maximum)
    return { value: null, issues: [{ path, message: `at most ${claim.maximum} entries` }] }
  const read = entries.map((entry, index) =>
    claim.of.map((one): [string, Read<Scalar>] => {
      const name = one.id.slice(claim.id.length + 1)
      const none: Read<Scalar> = { value: null, issues: [] }
      return [name, isAsked(one) ? readClaim(one, entry[name], `${path}/${index}/${name}`) : none]
    }),
  )
  return {
    value: read.map((entry): Entry => Object.fromEntries(entry.map(([name, { value }]) => [name, value]))),
    issues: read.flat().flatMap(([, { issues }]) => issues),
  }
}

/** `answer` fits the schema: it is a text. */
function readClaim(claim: ClaimRule, answer: unknown, path: string): Read<Scalar> {
  const text = answer as string
  const is = (value: Scalar): Read<Scalar> => ({ value, issues: [] })
  const fault = (message: string): Read<Scalar> => ({ value: null, issues: [{ path, message }] })
  if (text === UNCLEAR) return claim.unclear === 'never' ? fault('may not be unclear') : is(null)
  switch (claim.type) {
    case 'boolean':
      return is(text === 'yes')
    case 'enum':
      return is(text)
    case 'text':
      return text.trim() === '' || text.length > MAX_QUOTE_CHARS || !text.isWellFormed()
        ? fault(`must be a text of at most ${MAX_QUOTE_CHARS} characters`)
        : is(text)
    case 'agent':
      return text.length > MAX_NAME_CHARS || !text.isWellFormed() ? fault('must be the name of an agent') : is(text)
    default: {
      const number = /^-?\d{1,15}$/.test(text) ? Number(text) : null
      if (number === null) return fault(`must be a whole number, or ${UNCLEAR}`)
      const { minimum, maximum } = claim
      return number < minimum || number > maximum ? fault(`must lie between ${minimum} and ${maximum}`) : is(number)
    }
  }
}

/** Citations of entries that a list does not have, and entries that say the same thing of the same thing twice. */
function entryIssues(list: ClaimRule, citations: readonly Citation[], value: ClaimValue): Issue[] {
  if (list.type !== 'list' || !Array.isArray(value)) return []
  const entries = value as readonly Entry[]
  const wrong = citations.flatMap(({ supports, entry = 0 }, index) =>
    supports.startsWith(`${list.id}.`) && (entry < 1 || entry > entries.length)
      ? [{ path: `/citations/${index}/entry`, message: `there is no entry ${entry}; the list has ${entries.length}` }]
      : [],
  )
  const key = list.of.find(({ type }) => type === 'text')?.id.slice(list.id.length + 1)
  if (key === undefined) return wrong
  const first = new Map<Scalar, number>()
  const repeated = entries.flatMap((entry, index) => {
    if ((entry[key] ?? null) === null) return []
    const before = first.get(entry[key] ?? null)
    if (before === undefined) first.set(entry[key] ?? null, index)
    return before === undefined
      ? []
      : [{ path: `/${list.id}/${index}/${key}`, message: `is that of entry ${before + 1}, too` }]
  })
  return [...wrong, ...repeated]
}

function boundIssues(citations: Claims['citations'], notes: string, { claims }: Rubric): Issue[] {
  const issues: Issue[] = []
  const most = claims.some(({ type }) => type === 'list') ? MAX_LIST_CITATIONS : MAX_CITATIONS
  if (citations.length > most) issues.push({ path: '/citations', message: `at most ${most} citations` })
  if (notes.length > MAX_NOTES_CHARS) issues.push({ path: '/notes', message: `at most ${MAX_NOTES_CHARS} characters` })
  if (!notes.isWellFormed()) issues.push({ path: '/notes', message: HALF_CHARACTER })
  citations.forEach(({ quote, step_id: step }, index) => {
    const path = `/citations/${index}`
    if (quote.length > MAX_QUOTE_CHARS)
      issues.push({ path: `${path}/quote`, message: `at most ${MAX_QUOTE_CHARS} characters; quote one line` })
    if (!quote.isWellFormed()) issues.push({ path: `${path}/quote`, message: HALF_CHARACTER })
    // `JSON.parse` would have rounded it, to the id of another step.
    if (!Number.isSafeInteger(step)) issues.push({ path: `${path}/step_id`, message: 'no step has so large an id' })
  })
  return issues
}

/** Half of a pair would be found in a trajectory that holds the whole character. */
const HALF_CHARACTER = 'holds half a character: a lone surrogate'

/** One way of writing each answer: providers enforce the words of an enum but not always their case, and true is yes. */
function inWords(value: unknown, { claims }: Rubric): unknown {
  if (!isRecord(value)) return value
  const copy: Record<string, unknown> = { ...value, confidence: lower(value['confidence']) }
  const groups = new Set(claims.flatMap(({ id }) => splitClaim(id)[0] ?? []))
  for (const group of groups) if (isRecord(copy[group])) copy[group] = { ...copy[group] }
  for (const claim of claims) {
    const [group, name] = splitClaim(claim.id)
    const given = group === null ? copy : copy[group]
    // A member of a group that is left out is told as one, by its own name.
    if (isRecord(given) && (group !== null || Object.hasOwn(given, name))) given[name] = word(given[name], claim)
  }
  const { surface } = copy
  const isUnseen = isRecord(surface) && surface['observed'] === 'no' && surface['category'] === null
  const rule = claims.find(({ id }) => id === CATEGORY)
  if (isUnseen && rule !== undefined) copy['surface'] = { ...surface, category: rule.values.at(-1) }
  if (Array.isArray(value['citations'])) {
    copy['citations'] = value['citations'].map((item: unknown) =>
      isRecord(item) ? { ...item, supports: lower(item['supports']) } : item,
    )
  }
  return copy
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function word(value: unknown, { id, type, of }: ClaimRule): unknown {
  if (type === 'list')
    return Array.isArray(value)
      ? value.map((entry: unknown) => (isRecord(entry) ? entryInWords(entry, id, of) : entry))
      : value
  if (type === 'boolean' && typeof value === 'boolean') return value ? 'yes' : 'no'
  if ((type === 'integer' || type === 'step') && Number.isSafeInteger(value)) return String(value)
  if (typeof value !== 'string') return value
  if (type === 'agent' || type === 'text') return value.trim().toLowerCase() === UNCLEAR ? UNCLEAR : value
  return value.toLowerCase()
}

const entryInWords = (entry: Readonly<Record<string, unknown>>, list: string, of: readonly ClaimRule[]): unknown => ({
  ...entry,
  ...Object.fromEntries(
    of.flatMap((one) => {
      const name = one.id.slice(list.length + 1)
      return Object.hasOwn(entry, name) ? [[name, word(entry[name], one)]] : []
    }),
  ),
})

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)
