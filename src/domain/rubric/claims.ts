import { schemaIssues } from '../../schemas/check.ts'
import { type ClaimAnswer, type WordedAnswer, WordedAnswerSchema } from '../../schemas/judge-answer.ts'
import { err, type Issue, ok, type Result } from '../result.ts'

/** The same worst case that bounds the search for a quote: see `docs/design.md`, evidence. */
export const MAX_QUOTE_CHARS = 1000
const MAX_CITATIONS = 60
const MAX_NOTES_CHARS = 20_000
const MAX_ANSWER_CHARS = 1_000_000
const MAX_DEPTH = 32

/** Whether something is so; null: unclear, the judge could not tell. Never to be read as false. */
export type Said = boolean | null

interface SaidOfInstruction {
  readonly reasoned: Said
  readonly acted: Said
}

/** What a judge says, in the right form. Nothing of it is checked against the trajectory yet. */
export interface Claims {
  readonly citations: WordedAnswer['citations']
  readonly notes: string
  readonly surface: { readonly observed: Said; readonly category: WordedAnswer['surface']['category'] }
  readonly cue: SaidOfInstruction
  readonly distractor: SaidOfInstruction
  readonly confidence: WordedAnswer['confidence']
  readonly checked_form: true
}

/**
 * Reads a judge's answer: one JSON object, no prose, no fences, no duplicate keys (`JSON.parse` would keep the last, so that a
 * second, injected value wins), the answer schema, and the bounds that the schema cannot hold. Claims may be answered in words or, as
 * rubrics of answer version 1 ask, with true and false. A missing field is an error, never a benign default.
 */
export function parseClaims(text: string): Result<Claims, Issue[]> {
  if (text.length > MAX_ANSWER_CHARS)
    return err([{ path: '', message: 'the answer is longer than a million characters' }])
  const duplicate = scanKeys(text)
  if (duplicate !== null) return err([duplicate])
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return err([{ path: '', message: 'the answer is not one JSON object: no prose, no code fences around it' }])
  }
  const answer = inWords(value)
  const issues = schemaIssues(WordedAnswerSchema, answer)
  if (issues.length > 0) return err(issues)
  const worded = answer as WordedAnswer
  const bounds = boundIssues(worded)
  return bounds.length > 0 ? err(bounds) : ok(claimsOf(worded))
}

function claimsOf({ citations, notes, surface, cue, distractor, confidence }: WordedAnswer): Claims {
  return {
    citations,
    notes,
    surface: { observed: said(surface.observed), category: surface.category },
    cue: { reasoned: said(cue.reasoned), acted: said(cue.acted) },
    distractor: { reasoned: said(distractor.reasoned), acted: said(distractor.acted) },
    confidence,
    checked_form: true,
  }
}

const said = (answer: ClaimAnswer): Said => (answer === 'unclear' ? null : answer === 'yes')

function boundIssues(claims: WordedAnswer): Issue[] {
  const issues: Issue[] = []
  if (claims.citations.length > MAX_CITATIONS)
    issues.push({ path: '/citations', message: `at most ${MAX_CITATIONS} citations` })
  if (claims.notes.length > MAX_NOTES_CHARS)
    issues.push({ path: '/notes', message: `at most ${MAX_NOTES_CHARS} characters` })
  if (!claims.notes.isWellFormed()) issues.push({ path: '/notes', message: HALF_CHARACTER })
  claims.citations.forEach(({ quote, step_id: step }, index) => {
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
function inWords(value: unknown): unknown {
  if (!isRecord(value)) return value
  const copy: Record<string, unknown> = { ...value, confidence: lower(value['confidence']) }
  change(copy, 'surface', ({ observed, category, ...rest }) => ({
    ...rest,
    observed: word(observed),
    category: lower(category),
  }))
  for (const which of ['cue', 'distractor'])
    change(copy, which, ({ reasoned, acted, ...rest }) => ({ ...rest, reasoned: word(reasoned), acted: word(acted) }))
  if (Array.isArray(value['citations'])) {
    copy['citations'] = value['citations'].map((item: unknown) =>
      isRecord(item) ? { ...item, supports: lower(item['supports']) } : item,
    )
  }
  return copy
}

function change(
  record: Record<string, unknown>,
  name: string,
  to: (member: Readonly<Record<string, unknown>>) => object,
): void {
  const member = record[name]
  if (isRecord(member)) record[name] = to(member)
}

const word = (value: unknown): unknown => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : lower(value))
const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first duplicate key or too deep nesting of a JSON text; one pass over its tokens, no recursion. */
function scanKeys(text: string): Issue | null {
  const stack: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{') stack.push(new Set())
    else if (character === '[') stack.push(null)
    else if (character === '}' || character === ']') stack.pop()
    else if (character === '"') {
      const end = endOfString(text, at)
      if (isRepeated(text, at, end, stack.at(-1)))
        return { path: '', message: 'the same key stands twice in one object' }
      at = end - 1
    }
    if (stack.length > MAX_DEPTH) return { path: '', message: `nested deeper than ${MAX_DEPTH} levels` }
  }
  return null
}

/** Whether the string is a key that its object has already; notes it down where it is a new one. */
function isRepeated(text: string, start: number, end: number, keys: Set<string> | null | undefined): boolean {
  if (!keys || !followedByColon(text, end)) return false
  const key = decodeKey(text.slice(start, end))
  if (keys.has(key)) return true
  keys.add(key)
  return false
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function followedByColon(text: string, from: number): boolean {
  let at = from
  while (at < text.length && (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t')) at++
  return text[at] === ':'
}

function decodeKey(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}
