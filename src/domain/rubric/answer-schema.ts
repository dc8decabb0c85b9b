import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import { allClaims, type ClaimRule, isCitable } from './rubric.ts'

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

/**
 * Makes the answer schema of a judge from the claims: evidence first, every field required, no unions and no bounds, so that the structured output of
 * both vendors takes the same bytes (design section 2). `parseClaims` checks what the schema cannot hold. A claim `group.name` is the member
 * `name` of the object `group`. A citation of what an entry of a list says names the entry by its number, from 1; of any other claim 0.
 */
export function answerSchemaOf(claims: readonly ClaimRule[], inBooleans: boolean): object {
  const lists = claims.filter(({ type }) => type === 'list')
  const citable = allClaims(claims)
    .filter((claim) => claim.type !== 'list' && isCitable(claim))
    .map(({ id }) => id)
  const members: Record<string, Node> = {}
  const groups: Record<string, Record<string, Node>> = {}
  for (const claim of claims.filter(isAsked)) {
    const [group, name] = splitClaim(claim.id)
    const answer = answerOf(claim, inBooleans)
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
        step_id: { type: 'integer' },
        quote: { type: 'string' },
      }),
    },
    notes: { type: 'string' },
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

/** Makes the schema of an answer. Steps, agents and integers are texts, so that `unclear` is one of their values without a union. */
function answerOf({ id, type, values, unclear, of }: ClaimRule, inBooleans: boolean): Node {
  if (type === 'list') {
    const asked = of.filter(isAsked).map((one) => [one.id.slice(id.length + 1), answerOf(one, inBooleans)] as const)
    return { type: 'array', items: object(Object.fromEntries(asked)) }
  }
  const or = (list: readonly string[]) => words(unclear === 'never' ? list : [...list, UNCLEAR])
  if (type === 'boolean') return inBooleans ? { type: 'boolean' } : or(['yes', 'no'])
  return type === 'enum' ? or(values) : { type: 'string' }
}
