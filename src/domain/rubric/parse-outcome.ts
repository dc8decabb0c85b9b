import type { RubricManifest } from '../../schemas/rubric.ts'
import type { Issue } from '../result.ts'
import { fits, NONE } from './outcome.ts'
import { type ClaimRule, isCitable, type OutcomeRule, type Scalar } from './rubric.ts'

type Given = RubricManifest['outcome']

interface Parsed {
  readonly outcome: OutcomeRule | null
  readonly issues: readonly Issue[]
}

/** More combinations than anybody reads. */
const MOST_COMBINATIONS = 4096

const fail = (path: string, message: string): Parsed => ({
  outcome: null,
  issues: [{ path: `/outcome${path}`, message }],
})

/** Exactly one of a table, an enum claim, a sum of integers, and the best entry of a list; a table is total and disjoint. */
export function parseOutcome(given: Given, claims: readonly ClaimRule[]): Parsed {
  const { table, label, sum, best, scale = 'nominal' } = given
  if ([table, label, sum, best].filter((one) => one !== undefined).length !== 1)
    return fail('', 'must have exactly one of table, label, sum and best')
  if (best !== undefined) return parseBest(best, scale, claims)
  const used =
    table === undefined ? (sum ?? [label ?? '']) : [...new Set(table.flatMap(({ when }) => Object.keys(when)))]
  const why = undecidable(used, claims)
  if (why !== null) return fail('', why)
  const decided = claims.filter(({ id }) => used.includes(id))
  if (table !== undefined) return parseTable(table, scale, decided)
  const [claim] = decided
  if (label === undefined) {
    const isSum = decided.every(({ type }) => type === 'integer')
    const outcome: OutcomeRule = { kind: 'sum', scale: 'ordinal', labels: [], claims: used }
    return isSum ? { outcome, issues: [] } : fail('/sum', 'must name integer claims')
  }
  if (claim?.type !== 'enum') return fail('/label', 'must name an enum claim')
  return { outcome: { kind: 'label', scale, labels: claim.values, claims: used }, issues: [] }
}

/** Why claims cannot decide an outcome; null: they can. */
function undecidable(used: readonly string[], claims: readonly ClaimRule[]): string | null {
  if (used.length === 0) return 'follows from no claim: a row names at least one'
  if (new Set(used).size < used.length) return 'names a claim twice'
  for (const id of used) {
    const claim = claims.find((one) => one.id === id)
    if (claim === undefined) return `${id} is no claim of this rubric`
    if (!isCitable(claim)) return `${id} decides the outcome and has no proof: nobody could check the label`
    if (claim.only_if !== null || claim.unclear === 'kept')
      return `${id} decides the outcome: it may not be only_if another, and unclear may not be kept`
  }
  return null
}

function parseTable(
  rows: NonNullable<Given['table']>,
  scale: OutcomeRule['scale'],
  claims: readonly ClaimRule[],
): Parsed {
  const labels = [...new Set(rows.map((row) => row.label))]
  const outcome: OutcomeRule = { kind: 'table', scale, labels, rows, claims: claims.map(({ id }) => id) }
  return { outcome, issues: tableIssues(rows, claims) }
}

/** The best entry of a list: what is summed are its integers, what is told is one of its enums. */
function parseBest(
  best: NonNullable<Given['best']>,
  scale: OutcomeRule['scale'],
  claims: readonly ClaimRule[],
): Parsed {
  const wrongBest = (message: string): Parsed => fail('/best', message)
  const list = claims.find(({ id }) => id === best.of)
  if (list?.type !== 'list') return wrongBest(`${best.of} is no list of this rubric`)
  const find = (name: string) => list.of.find(({ id }) => id === `${best.of}.${name}`)
  const label = find(best.label)
  if (label?.type !== 'enum') return wrongBest(`${best.label} is no enum of ${best.of}`)
  const wrong = best.by.find((name) => find(name)?.type !== 'integer')
  if (wrong !== undefined) return wrongBest(`${wrong} is no integer of ${best.of}`)
  if (!isCitable(list))
    return wrongBest(`${best.of} decides the outcome and has no proof: nobody could check the label`)
  const labels = [...label.values, NONE]
  return { outcome: { kind: 'best', scale, labels, claims: [best.of], by: best.by, label: best.label }, issues: [] }
}

/** Every combination of the claims must fit exactly one row. */
function tableIssues(rows: NonNullable<Given['table']>, claims: readonly ClaimRule[]): Issue[] {
  const domains = claims.map(({ type, values }): readonly Scalar[] => (type === 'boolean' ? [true, false] : values))
  const open = claims.find(({ type }) => type !== 'boolean' && type !== 'enum')
  if (open !== undefined) return [{ path: '/outcome/table', message: `${open.id} is neither boolean nor an enum` }]
  if (domains.reduce((count, { length }) => count * length, 1) > MOST_COMBINATIONS)
    return [{ path: '/outcome/table', message: `has more than ${MOST_COMBINATIONS} combinations of claims` }]
  const combinations = domains.reduce<readonly (readonly Scalar[])[]>(
    (all, values) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  )
  const strange = rows.flatMap(({ when }, index) =>
    Object.entries(when)
      .filter(([id, value]) => !domains[claims.findIndex((one) => one.id === id)]?.includes(value))
      .map(([id, value]) => ({ path: `/outcome/table/${index}`, message: `${id} is never ${value}` })),
  )
  if (strange.length > 0) return strange
  return combinations.flatMap((combination): Issue[] => {
    const values = Object.fromEntries(claims.map(({ id }, index) => [id, combination[index] ?? null]))
    const fitting = rows.filter(({ when }) => fits(when, values))
    if (fitting.length === 1) return []
    const told = Object.entries(values).map(([id, value]) => `${id}=${value}`)
    return [
      {
        path: '/outcome/table',
        message: `${fitting.length === 0 ? 'no row' : 'more than one row'} fits ${told.join(', ')}`,
      },
    ]
  })
}
