import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import { type ClaimRule, isCitable } from './rubric.ts'

/** How a boolean claim is answered. `unclear`: the record does not let one tell; it leads to a review and never means no. */
export const CLAIM_ANSWERS = ['yes', 'no', 'unclear'] as const
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
 * What a judge answers, made of the claims: evidence first, every field required, no unions and no bounds, so that the structured output of
 * both vendors takes the same bytes (design section 2). `parseClaims` checks what the schema cannot hold. A claim `group.name` is the member
 * `name` of the object `group`.
 */
export function answerSchemaOf(claims: readonly ClaimRule[], inBooleans: boolean): object {
  const citable = claims.filter(isCitable).map(({ id }) => id)
  const members: Record<string, Node> = {}
  const groups: Record<string, Record<string, Node>> = {}
  for (const claim of claims) {
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
      items: object({ supports: words(citable), step_id: { type: 'integer' }, quote: { type: 'string' } }),
    },
    notes: { type: 'string' },
    ...members,
    confidence: words(CONFIDENCE_LEVELS),
  })
}

/** `group.name` → its two names; a claim without a group: null and its name. */
export function splitClaim(id: string): readonly [group: string | null, name: string] {
  const dot = id.indexOf('.')
  return dot === -1 ? [null, id] : [id.slice(0, dot), id.slice(dot + 1)]
}

/** Steps, agents and integers are texts, so that `unclear` is one of their values without a union. */
function answerOf({ type, values, unclear }: ClaimRule, inBooleans: boolean): Node {
  const or = (list: readonly string[]) => words(unclear === 'never' ? list : [...list, UNCLEAR])
  if (type === 'boolean') return inBooleans ? { type: 'boolean' } : or(['yes', 'no'])
  return type === 'enum' ? or(values) : { type: 'string' }
}
