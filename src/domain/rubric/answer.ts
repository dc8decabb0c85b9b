import { inputIssues } from '../../schemas/check.ts'
import { NOT_BLANK } from '../../schemas/trial.ts'
import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import { err, type Issue, ok, once, type Result } from '../result.ts'
import { findUnsound, isRecord, readBounded } from '../text/json.ts'
import { type Citation, type Claims, entryName, splitClaim } from './claims.ts'
import type { ClaimRule, ClaimValue, Entry, Rubric, Scalar } from './rubric.ts'
import { allClaims, isCitable } from './rubric.ts'

/** Answer beside `yes` and `no` where the record does not decide the claim; the answer leads to a review and never means no. */
export const UNCLEAR = 'unclear'

type Node = Readonly<Record<string, unknown>>

const object = (properties: Readonly<Record<string, Node>>): Node => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
})

const words = (values: readonly string[]): Node => ({ enum: values, type: 'string' })

/** Bounds the search for a quote: see `docs/design.md`, evidence. */
export const MAX_QUOTE_CHARS = 1000
const MAX_CITATIONS = 60
const MAX_LIST_CITATIONS = 300
const MAX_NOTES_CHARS = 20_000
const MAX_NAME_CHARS = 200
const WHOLE_NUMBER = { pattern: `^(?:-?[0-9]{1,15}|${UNCLEAR})$`, description: `a whole number, or ${UNCLEAR}` }

/** The form of the answers to boolean claims. `read`: in words, and with the bounds by which an answer is read. */
type AnswerForm = 'words' | 'booleans' | 'read'

/**
 * Makes the answer schema of a judge from the claims: evidence first, every field required, no unions and no bounds, so that the structured output of
 * both vendors takes the same bytes (design section 2); `read` has the bounds, too. A claim `group.name` is the member
 * `name` of the object `group`. A citation of what an entry of a list says names the entry by its number, from 1; of any other claim 0.
 */
export function answerSchemaOf(claims: readonly ClaimRule[], form: AnswerForm): object {
  const lists = claims.filter(({ type }) => type === 'list')
  const bound = (bounds: Node): Node => (form === 'read' ? bounds : {})
  const citable = allClaims(claims)
    .filter((claim) => claim.type !== 'list' && isCitable(claim))
    .map(({ id }) => id)
  const members: Record<string, Node> = {}
  const groups: Record<string, Record<string, Node>> = {}
  for (const claim of claims.filter(({ runs_of }) => runs_of === null)) {
    const [group, name] = splitClaim(claim.id)
    const answer = answerOf(claim, form)
    if (group === null) members[name] = answer
    else {
      groups[group] = { ...groups[group], [name]: answer }
      members[group] = {}
    }
  }
  for (const [group, own] of Object.entries(groups)) members[group] = object(own)
  return object({
    citations: {
      type: 'array',
      items: object({
        supports: words(citable),
        ...(lists.length > 0 ? { entry: { type: 'integer' } } : {}),
        // `JSON.parse` rounds a larger number, to the id of another step.
        step_id: { type: 'integer', ...bound({ maximum: Number.MAX_SAFE_INTEGER, minimum: Number.MIN_SAFE_INTEGER }) },
        quote: { type: 'string', ...bound({ maxLength: MAX_QUOTE_CHARS, description: 'quote one line' }) },
      }),
      ...bound({ maxItems: lists.length > 0 ? MAX_LIST_CITATIONS : MAX_CITATIONS }),
    },
    notes: { type: 'string', ...bound({ maxLength: MAX_NOTES_CHARS }) },
    ...members,
    confidence: words(CONFIDENCE_LEVELS),
  })
}

/** Makes the schema of an answer. Steps, agents and integers are texts, so that `unclear` is one of their values without a union. */
function answerOf({ id, type, values, unclear, of, maximum }: ClaimRule, form: AnswerForm): Node {
  const isRead = form === 'read'
  if (type === 'list') {
    const asked = of
      .filter(({ runs_of }) => runs_of === null)
      .map((one) => [one.id.slice(id.length + 1), answerOf(one, form)] as const)
    return { type: 'array', items: object(Object.fromEntries(asked)), ...(isRead && { maxItems: maximum }) }
  }
  const or = (list: readonly string[]) => words(unclear === 'never' ? list : [...list, UNCLEAR])
  if (type === 'boolean') return form === 'booleans' ? { type: 'boolean' } : or(['yes', 'no'])
  if (type === 'enum') return or(values)
  if (!isRead) return { type: 'string' }
  if (type === 'text') return { type: 'string', maxLength: MAX_QUOTE_CHARS, pattern: NOT_BLANK }
  return { type: 'string', ...(type === 'agent' ? { maxLength: MAX_NAME_CHARS } : WHOLE_NUMBER) }
}

const MAX_ANSWER_CHARS = 1_000_000
const MAX_DEPTH = 32

/** Parses one JSON object: no prose, no fences, no double keys (`JSON.parse` would keep the last, an injected value). */
function parseAnswer(answer: string): Result<unknown, Issue[]> {
  const refuse = (message: string): Result<never, Issue[]> => err([{ path: '', message }])
  const text = answer.startsWith('\ufeff') ? answer.slice(1) : answer
  if (text.length > MAX_ANSWER_CHARS) return refuse('the answer is longer than a million characters')
  const { value, error, refusal } = readBounded(text, { depth: MAX_DEPTH, nodes: MAX_ANSWER_CHARS })
  if (refusal === 'too_deep') return refuse(`nested deeper than ${MAX_DEPTH} levels`)
  if (refusal === 'duplicate_key') return refuse('the same key stands twice in one object')
  if (error !== -1) return refuse('the answer is not one JSON object: no prose, no code fences around it')
  return ok(value)
}

const THINK = '<think>'
const END_OF_THINK = '</think>'
const FENCE = '```'
const MAX_LANGUAGE = 20

/** Takes off a leading block of thought, then one fence of code, and nothing else; what is left is read as strictly as any answer. */
export const unwrapAnswer = (text: string): string => withoutFence(withoutThought(text))

function withoutThought(text: string): string {
  const answer = text.trimStart()
  if (!answer.startsWith(THINK)) return text
  const end = answer.indexOf(END_OF_THINK)
  return end === -1 ? text : answer.slice(end + END_OF_THINK.length)
}

function withoutFence(text: string): string {
  const answer = text.trim()
  const line = answer.indexOf('\n')
  const end = answer.length - FENCE.length
  if (!answer.startsWith(FENCE) || line === -1 || answer.lastIndexOf('\n') === line) return text
  const isFenced = isLanguage(answer.slice(FENCE.length, line)) && answer.slice(answer.lastIndexOf('\n') + 1) === FENCE
  return isFenced ? answer.slice(line + 1, end) : text
}

const isLanguage = (word: string): boolean => word.length <= MAX_LANGUAGE && /^[A-Za-z0-9]*\r?$/.test(word)

/**
 * Reads a judge's answer by the answer schema of the rubric and its bounds. Boolean claims may be answered in words or with true and false,
 * whichever the rubric asks for. A missing field is an error, never a benign default. Half of a pair is refused, as it would be found in a
 * trajectory that holds the whole character.
 */
export function parseClaims(text: string, rubric: Rubric): Result<Claims, Issue[]> {
  const parsed = parseAnswer(text)
  if (!parsed.ok) return parsed
  const answer = inWords(parsed.value, rubric)
  const unsound = findUnsound(answer)
  const issues = unsound.length > 0 ? unsound : inputIssues(readingSchema(rubric), answer)
  if (issues.length > 0) return err(issues)
  const { citations, notes, confidence } = answer as Pick<Claims, 'citations' | 'notes' | 'confidence'>
  const bounds: Issue[] = []
  const members = rubric.claims.map((claim) => [claim.id, readMember(claim, answer as Node, bounds)] as const)
  const values: Record<string, ClaimValue> = Object.fromEntries(members)
  for (const list of rubric.claims.filter(({ type }) => type === 'list'))
    bounds.push(...entryIssues(list, citations, values[list.id] as readonly Entry[]))
  if (bounds.length > 0) return err(bounds)
  // The category of a surface that was not observed does not apply, whatever the judge had to answer.
  if (values['surface.observed'] === false && Object.hasOwn(values, CATEGORY)) values[CATEGORY] = null
  return ok({ citations, notes, values, confidence, checked_form: true })
}

const CATEGORY = 'surface.category'

/** Returns the schema by which every answer is read. */
const readingSchema = once(({ claims }: Rubric) => answerSchemaOf(claims, 'read'), new WeakMap())

/** Reads the answer to a claim that fits the schema; faults of its bounds are added to the issues. */
function readMember(claim: ClaimRule, answer: Node, issues: Issue[]): ClaimValue {
  const path = `/${claim.id.replace('.', '/')}`
  // A claim that counts runs is not asked.
  if (claim.runs_of !== null) return null
  const [group, member] = splitClaim(claim.id)
  const given = (group === null ? answer : (answer[group] as Node))[member]
  if (claim.type !== 'list') return readClaim(claim, given as string, path, issues)
  return (given as readonly Node[]).map((entry, index): Entry => {
    const values = claim.of.map((rule): [string, Scalar] => {
      const name = entryName(claim, rule)
      const text = entry[name] as string
      return [name, rule.runs_of === null ? readClaim(rule, text, `${path}/${index}/${name}`, issues) : null]
    })
    return Object.fromEntries(values)
  })
}

function readClaim(claim: ClaimRule, text: string, path: string, issues: Issue[]): Scalar {
  const fault = (message: string): null => {
    issues.push({ path, message })
    return null
  }
  const { type, unclear, minimum, maximum } = claim
  if (text === UNCLEAR) return unclear === 'never' ? fault('may not be unclear') : null
  if (type === 'boolean') return text === 'yes'
  if (type !== 'integer' && type !== 'step') return text
  const number = Number(text)
  return number < minimum || number > maximum ? fault(`must lie between ${minimum} and ${maximum}`) : number
}

/** Lists citations of entries that a list does not have, and entries with the text of an earlier entry. */
function entryIssues(list: ClaimRule, citations: readonly Citation[], entries: readonly Entry[]): Issue[] {
  const wrong = citations.flatMap(({ supports, entry = 0 }, index) =>
    supports.startsWith(`${list.id}.`) && (entry < 1 || entry > entries.length)
      ? [{ path: `/citations/${index}/entry`, message: `there is no entry ${entry}; the list has ${entries.length}` }]
      : [],
  )
  const text = list.of.find(({ type }) => type === 'text')
  const key = text === undefined ? '' : entryName(list, text)
  const texts = entries.map((entry) => entry[key] ?? null)
  const repeated = texts.flatMap((value, index) => {
    const before = texts.indexOf(value)
    const message = `is that of entry ${before + 1}, too`
    return value === null || before === index ? [] : [{ path: `/${list.id}/${index}/${key}`, message }]
  })
  return [...wrong, ...repeated]
}

/** Writes each answer in one way, in place: providers enforce the words of an enum but not always their case, and true is yes. */
function inWords(answer: unknown, { claims }: Rubric): unknown {
  if (!isRecord(answer)) return answer
  answer['confidence'] = lower(answer['confidence'])
  for (const claim of claims) {
    const [group, name] = splitClaim(claim.id)
    const holder = group === null ? answer : answer[group]
    // A member of a group that is left out is told as one, by its own name.
    if (isRecord(holder) && (group !== null || Object.hasOwn(holder, name))) holder[name] = word(holder[name], claim)
  }
  const { surface, citations } = answer
  const category = claims.find(({ id }) => id === CATEGORY)
  if (category && isRecord(surface) && surface['observed'] === 'no' && surface['category'] === null)
    surface['category'] = category.values.at(-1)
  for (const citation of recordsOf(citations)) citation['supports'] = lower(citation['supports'])
  return answer
}

const recordsOf = (value: unknown) => (Array.isArray(value) ? (value as unknown[]).filter(isRecord) : [])

function word(value: unknown, claim: ClaimRule): unknown {
  const { type } = claim
  for (const entry of type === 'list' ? recordsOf(value) : [])
    for (const rule of claim.of) {
      const name = entryName(claim, rule)
      if (Object.hasOwn(entry, name)) entry[name] = word(entry[name], rule)
    }
  if (type === 'boolean' && typeof value === 'boolean') return value ? 'yes' : 'no'
  if ((type === 'integer' || type === 'step') && Number.isSafeInteger(value)) return String(value)
  if (typeof value !== 'string') return value
  if (type === 'agent' || type === 'text') return value.trim().toLowerCase() === UNCLEAR ? UNCLEAR : value
  return value.toLowerCase()
}

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)
