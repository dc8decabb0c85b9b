import type { Citation, Claims } from './claims.ts'
import type { ClaimRule, ClaimValue, Entry, Rubric } from './rubric.ts'

/**
 * Claims of entries as claims of their own: entry 2 of the list `surfaces` has a claim `surfaces[2].locator`. So the gate knows nothing of lists: it
 * checks claims, each by its own rule. A citation belongs to the entry that it names.
 */
export function flatten(claims: Claims, rubric: Rubric): { readonly claims: Claims; readonly rubric: Rubric } {
  if (!rubric.claims.some(({ type }) => type === 'list')) return { claims, rubric }
  const rules: ClaimRule[] = []
  const values: Record<string, ClaimValue> = {}
  for (const claim of rubric.claims) {
    const value = claims.values[claim.id] ?? null
    if (claim.type !== 'list') {
      rules.push(claim)
      values[claim.id] = value
      continue
    }
    for (const [index, entry] of ((value ?? []) as readonly Entry[]).entries()) {
      const own = (id: string): string => idOf(claim.id, index + 1, id.slice(claim.id.length + 1))
      const ofEntry = (id: string): string => (id.startsWith(`${claim.id}.`) ? own(id) : id)
      for (const rule of claim.of) {
        rules.push(renamed(rule, ofEntry))
        values[own(rule.id)] = entry[rule.id.slice(claim.id.length + 1)] ?? null
      }
    }
  }
  const citations = claims.citations.map((one) => ({ ...one, supports: flatId(one, rubric) }))
  return { claims: { ...claims, citations, values }, rubric: { ...rubric, claims: rules } }
}

const idOf = (list: string, entry: number, name: string): string => `${list}[${entry}].${name}`

/** A rule with the claims that it names. */
function renamed(rule: ClaimRule, to: (id: string) => string): ClaimRule {
  const of = (id: string | null): string | null => (id === null ? null : to(id))
  const proofs = Object.entries(rule.proofs).map(([value, proof]) => [
    value,
    { ...proof, in_step: of(proof.in_step), agent_of: of(proof.agent_of), holds: of(proof.holds) },
  ])
  return {
    ...rule,
    id: to(rule.id),
    only_if: of(rule.only_if),
    runs_of: of(rule.runs_of),
    cap: rule.cap === null ? null : { ...rule.cap, names: to(rule.cap.names) },
    proofs: Object.fromEntries(proofs) as ClaimRule['proofs'],
  }
}

function flatId({ supports, entry = 0 }: Citation, { claims }: Rubric): string {
  const list = claims.find(({ type, id }) => type === 'list' && supports.startsWith(`${id}.`))
  return list === undefined ? supports : idOf(list.id, entry, supports.slice(list.id.length + 1))
}

/** The values of flat claims in their lists again. */
export function unflatten(values: Claims['values'], given: Claims, rubric: Rubric): Claims['values'] {
  return Object.fromEntries(
    rubric.claims.map(({ id, type, of }) => {
      if (type !== 'list') return [id, values[id] ?? null]
      const entries = (given.values[id] ?? []) as readonly Entry[]
      const filled = entries.map((_, index) =>
        Object.fromEntries(
          of.map((one) => {
            const name = one.id.slice(id.length + 1)
            return [name, values[idOf(id, index + 1, name)] ?? null]
          }),
        ),
      )
      return [id, filled]
    }),
  )
}

/** `surfaces[2].locator` → `surfaces.locator`. */
export const listedId = (id: string): string => {
  const open = id.indexOf('[')
  return open === -1 ? id : id.slice(0, open) + id.slice(id.indexOf(']') + 1)
}
