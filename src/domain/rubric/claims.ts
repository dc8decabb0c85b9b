import { NOT_BLANK } from '../../schemas/trial.ts'
import { CONFIDENCE_LEVELS, type ConfidenceLevel } from '../../schemas/vocabulary.ts'
import {
  allClaims,
  type ClaimRule,
  type ClaimValue,
  type Entry,
  isCitable,
  type Rubric,
  type Scalar,
} from './rubric.ts'

/** Answer beside `yes` and `no` where the record does not decide the claim; the answer leads to a review and never means no. */
export const UNCLEAR = 'unclear'

export interface Citation {
  /** The id of the claim that it supports. */
  readonly supports: string
  /** The number of the entry of a list, from 1; only where the rubric has a list. */
  readonly entry?: number
  readonly step_id: number
  readonly quote: string
}

/** Claims of a judge in the right form, not yet checked against the trajectory. */
export interface Claims {
  readonly citations: readonly Citation[]
  readonly notes: string
  /** By the id of the claim; null: unclear. */
  readonly values: Readonly<Record<string, ClaimValue>>
  readonly confidence: ConfidenceLevel
  readonly checked_form: true
}

export const claimedValue = ({ values }: Claims, { id }: ClaimRule): ClaimValue => values[id] ?? null

/** Tests whether a claim counts: a claim that is asked only if another claim is true does not count where the other claim is false. */
export const counts = ({ values }: Claims, { only_if }: ClaimRule): boolean =>
  only_if === null || values[only_if] !== false

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
  for (const claim of claims.filter(isAsked)) {
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

/** Tests whether the judge is asked: computed claims are counted by code. */
export const isAsked = ({ runs_of }: ClaimRule): boolean => runs_of === null

/** `group.name` → its two names; a claim without a group: null and its name. */
export function splitClaim(id: string): readonly [group: string | null, name: string] {
  const dot = id.indexOf('.')
  return dot === -1 ? [null, id] : [id.slice(0, dot), id.slice(dot + 1)]
}

/** Returns the name of a claim within the entries of its list: `surfaces.locator` → `locator`. */
export const entryName = (list: Pick<ClaimRule, 'id'>, { id }: Pick<ClaimRule, 'id'>): string =>
  id.slice(list.id.length + 1)

/** Makes the schema of an answer. Steps, agents and integers are texts, so that `unclear` is one of their values without a union. */
function answerOf({ id, type, values, unclear, of, maximum }: ClaimRule, form: AnswerForm): Node {
  const isRead = form === 'read'
  if (type === 'list') {
    const asked = of.filter(isAsked).map((one) => [one.id.slice(id.length + 1), answerOf(one, form)] as const)
    return { type: 'array', items: object(Object.fromEntries(asked)), ...(isRead && { maxItems: maximum }) }
  }
  const or = (list: readonly string[]) => words(unclear === 'never' ? list : [...list, UNCLEAR])
  if (type === 'boolean') return form === 'booleans' ? { type: 'boolean' } : or(['yes', 'no'])
  if (type === 'enum') return or(values)
  if (!isRead) return { type: 'string' }
  if (type === 'text') return { type: 'string', maxLength: MAX_QUOTE_CHARS, pattern: NOT_BLANK }
  return { type: 'string', ...(type === 'agent' ? { maxLength: MAX_NAME_CHARS } : WHOLE_NUMBER) }
}

/**
 * Turns claims of entries into claims of their own: entry 2 of the list `surfaces` has a claim `surfaces[2].locator`. So the gate knows nothing of lists: it
 * checks claims, each by its own rule. A citation belongs to the entry that it names.
 */
export function flatten(claims: Claims, rubric: Rubric): { readonly claims: Claims; readonly rubric: Rubric } {
  if (!rubric.claims.some(({ type }) => type === 'list')) return { claims, rubric }
  const flat = rubric.claims.flatMap((claim): { rule: ClaimRule; value: ClaimValue }[] => {
    if (claim.type !== 'list') return [{ rule: claim, value: claimedValue(claims, claim) }]
    return entriesOf(claims, claim).flatMap((entry, index) => {
      const ofEntry = (id: string | null): string | null =>
        id?.startsWith(`${claim.id}.`) ? idOf(claim.id, index + 1, entryName(claim, { id })) : id
      return claim.of.map((rule) => ({ rule: renamed(rule, ofEntry), value: entry[entryName(claim, rule)] ?? null }))
    })
  })
  const citations = claims.citations.map((citation) => ({ ...citation, supports: flatId(citation, rubric) }))
  const values = Object.fromEntries(flat.map(({ rule, value }) => [rule.id, value]))
  return { claims: { ...claims, citations, values }, rubric: { ...rubric, claims: flat.map(({ rule }) => rule) } }
}

const idOf = (list: string, entry: number, name: string): string => `${list}[${entry}].${name}`
const entriesOf = ({ values }: Claims, { id }: ClaimRule) => (values[id] ?? []) as readonly Entry[]

/** Returns a rule with the ids of its entry, its own and those of the claims that it names. */
function renamed(rule: ClaimRule, of: (id: string | null) => string | null): ClaimRule {
  const proofs = Object.entries(rule.proofs).map(([value, proof]) => [
    value,
    { ...proof, in_step: of(proof.in_step), agent_of: of(proof.agent_of), holds: of(proof.holds) },
  ])
  return {
    ...{ ...rule, id: of(rule.id) ?? rule.id, only_if: of(rule.only_if), runs_of: of(rule.runs_of) },
    cap: rule.cap && { ...rule.cap, names: of(rule.cap.names) ?? rule.cap.names },
    proofs: Object.fromEntries(proofs) as ClaimRule['proofs'],
  }
}

function flatId({ supports, entry = 0 }: Citation, { claims }: Rubric): string {
  const list = claims.find(({ type, id }) => type === 'list' && supports.startsWith(`${id}.`))
  return list === undefined ? supports : idOf(list.id, entry, entryName(list, { id: supports }))
}

/** Puts the values of flat claims into their lists again. */
export function unflatten(values: Claims['values'], given: Claims, rubric: Rubric): Claims['values'] {
  const nested = (claim: ClaimRule): ClaimValue => {
    if (claim.type !== 'list') return values[claim.id] ?? null
    const names = claim.of.map((rule) => entryName(claim, rule))
    const ofEntry = (entry: number, name: string) => (values[idOf(claim.id, entry, name)] ?? null) as Scalar
    return entriesOf(given, claim).map((_, index) =>
      Object.fromEntries(names.map((name) => [name, ofEntry(index + 1, name)])),
    )
  }
  return Object.fromEntries(rubric.claims.map((claim) => [claim.id, nested(claim)]))
}

/** `surfaces[2].locator` → `surfaces.locator`. */
export const listedId = (id: string): string => {
  const open = id.indexOf('[')
  return open === -1 ? id : id.slice(0, open) + id.slice(id.indexOf(']') + 1)
}
