import { type Citation, type Claims, entryName } from './claims.ts'
import type { ClaimRule, ClaimValue, Entry, Rubric, Scalar } from './rubric.ts'

/**
 * Turns claims of entries into claims of their own: entry 2 of the list `surfaces` has a claim `surfaces[2].locator`. So the gate knows nothing of lists: it
 * checks claims, each by its own rule. A citation belongs to the entry that it names.
 */
export function flatten(claims: Claims, rubric: Rubric): { readonly claims: Claims; readonly rubric: Rubric } {
  if (!rubric.claims.some(({ type }) => type === 'list')) return { claims, rubric }
  const rules: ClaimRule[] = []
  const values: Record<string, ClaimValue> = {}
  for (const claim of rubric.claims) {
    if (claim.type !== 'list') {
      rules.push(claim)
      values[claim.id] = claims.values[claim.id] ?? null
      continue
    }
    for (const [index, entry] of entriesOf(claims, claim).entries()) {
      const ofEntry = (id: string | null): string | null =>
        id?.startsWith(`${claim.id}.`) ? idOf(claim.id, index + 1, entryName(claim, { id })) : id
      for (const rule of claim.of) {
        const own = renamed(rule, ofEntry)
        rules.push(own)
        values[own.id] = entry[entryName(claim, rule)] ?? null
      }
    }
  }
  const citations = claims.citations.map((citation) => ({ ...citation, supports: flatId(citation, rubric) }))
  return { claims: { ...claims, citations, values }, rubric: { ...rubric, claims: rules } }
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
  const nested = (claim: ClaimRule): ClaimValue =>
    claim.type !== 'list'
      ? (values[claim.id] ?? null)
      : entriesOf(given, claim).map((_, index) => {
          const names = claim.of.map((rule) => entryName(claim, rule))
          return Object.fromEntries(
            names.map((name) => [name, (values[idOf(claim.id, index + 1, name)] ?? null) as Scalar]),
          )
        })
  return Object.fromEntries(rubric.claims.map((claim) => [claim.id, nested(claim)]))
}

/** `surfaces[2].locator` → `surfaces.locator`. */
export const listedId = (id: string): string => {
  const open = id.indexOf('[')
  return open === -1 ? id : id.slice(0, open) + id.slice(id.indexOf(']') + 1)
}
