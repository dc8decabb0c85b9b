import type { TSchema } from 'typebox'
import { schemaIssues } from '../../schemas/check.ts'
import type { ConfidenceLevel } from '../../schemas/vocabulary.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { parseAnswer } from './answer-json.ts'
import { answerSchemaOf, splitClaim, UNCLEAR } from './answer-schema.ts'
import type { ClaimRule, ClaimValue, Rubric } from './rubric.ts'

/** The same worst case that bounds the search for a quote: see `docs/design.md`, evidence. */
export const MAX_QUOTE_CHARS = 1000
const MAX_CITATIONS = 60
const MAX_NOTES_CHARS = 20_000
const MAX_NAME_CHARS = 200

export interface Citation {
  /** The id of the claim that it supports. */
  readonly supports: string
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
  const read = rubric.claims.map((claim) => readClaim(claim, memberOf(answer as Node, claim.id)))
  const bounds = [...boundIssues(citations, notes), ...read.flatMap(({ issue }) => issue ?? [])]
  if (bounds.length > 0) return err(bounds)
  const values = Object.fromEntries(rubric.claims.map(({ id }, index) => [id, read[index]?.value ?? null]))
  return ok({ citations, notes, values, confidence, checked_form: true })
}

const worded = new WeakMap<Rubric, TSchema>()

/** The form in words, in which every answer is read. */
function wordedSchema(rubric: Rubric): TSchema {
  const schema =
    worded.get(rubric) ??
    ((rubric.in_booleans ? answerSchemaOf(rubric.claims, false) : rubric.answer_schema) as TSchema)
  worded.set(rubric, schema)
  return schema
}

function memberOf(answer: Node, id: string): unknown {
  const [group, name] = splitClaim(id)
  return group === null ? answer[name] : (answer[group] as Node)[name]
}

interface Read {
  readonly value: ClaimValue
  readonly issue?: Issue
}

/** `answer` fits the schema: it is a text. */
function readClaim(claim: ClaimRule, answer: unknown): Read {
  const text = answer as string
  const fault = (message: string): Read => ({
    value: null,
    issue: { path: `/${claim.id.replace('.', '/')}`, message },
  })
  if (text === UNCLEAR) return claim.unclear === 'never' ? fault('may not be unclear') : { value: null }
  switch (claim.type) {
    case 'boolean':
      return { value: text === 'yes' }
    case 'enum':
      return { value: text }
    case 'agent':
      return text.length > MAX_NAME_CHARS || !text.isWellFormed()
        ? fault('must be the name of an agent')
        : { value: text }
    default: {
      const number = /^-?\d{1,15}$/.test(text) ? Number(text) : null
      if (number === null) return fault(`must be a whole number, or ${UNCLEAR}`)
      const { minimum, maximum } = claim
      return number < minimum || number > maximum
        ? fault(`must lie between ${minimum} and ${maximum}`)
        : { value: number }
    }
  }
}

function boundIssues(citations: Claims['citations'], notes: string): Issue[] {
  const issues: Issue[] = []
  if (citations.length > MAX_CITATIONS)
    issues.push({ path: '/citations', message: `at most ${MAX_CITATIONS} citations` })
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
  const copied = new Set<string>()
  for (const { id, type } of claims) {
    const [group, name] = splitClaim(id)
    const given = group === null ? copy : copy[group]
    if (!isRecord(given) || !Object.hasOwn(given, name)) continue
    const own = group === null || copied.has(group) ? given : { ...given }
    own[name] = word(own[name], type)
    if (group === null) continue
    copied.add(group)
    copy[group] = own
  }
  if (Array.isArray(value['citations'])) {
    copy['citations'] = value['citations'].map((item: unknown) =>
      isRecord(item) ? { ...item, supports: lower(item['supports']) } : item,
    )
  }
  return copy
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function word(value: unknown, type: ClaimRule['type']): unknown {
  if (type === 'boolean' && typeof value === 'boolean') return value ? 'yes' : 'no'
  if ((type === 'integer' || type === 'step') && Number.isSafeInteger(value)) return String(value)
  if (typeof value !== 'string') return value
  if (type === 'agent') return value.trim().toLowerCase() === UNCLEAR ? UNCLEAR : value
  return value.toLowerCase()
}
const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)
