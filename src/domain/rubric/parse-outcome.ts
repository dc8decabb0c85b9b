import type { RubricManifest } from '../../schemas/rubric.ts'
import type { Issue } from '../result.ts'
import { fits } from './outcome.ts'
import { type ClaimRule, type ClaimValue, isCitable, type OutcomeRule } from './rubric.ts'

type Given = RubricManifest['outcome']

interface Parsed {
  readonly outcome: OutcomeRule | null
  readonly issues: readonly Issue[]
}

/** More combinations than anybody reads. */
const MOST_COMBINATIONS = 4096

/** Exactly one of a table, an enum claim, and a sum of integers; a table is total and disjoint. */
export function parseOutcome(given: Given, claims: readonly ClaimRule[]): Parsed {
  const { table, label, sum, scale = 'nominal' } = given
  const fail = (path: string, message: string): Parsed => ({
    outcome: null,
    issues: [{ path: `/outcome${path}`, message }],
  })
  if ([table, label, sum].filter((one) => one !== undefined).length !== 1)
    return fail('', 'must have exactly one of table, label and sum')
  const find = (id: string) => claims.find((claim) => claim.id === id)
  const used =
    table === undefined ? (sum ?? [label ?? '']) : [...new Set(table.flatMap(({ when }) => Object.keys(when)))]
  for (const id of used) {
    const claim = find(id)
    if (claim === undefined) return fail('', `${id} is no claim of this rubric`)
    if (!isCitable(claim)) return fail('', `${id} decides the outcome and has no proof: nobody could check the label`)
    if (claim.only_if !== null || claim.unclear === 'kept')
      return fail('', `${id} decides the outcome: it may not be only_if another, and unclear may not be kept`)
  }
  const decided = claims.filter(({ id }) => used.includes(id))
  if (label !== undefined) {
    const claim = find(label)
    if (claim?.type !== 'enum') return fail('/label', 'must name an enum claim')
    return { outcome: { kind: 'label', scale, labels: claim.values, claims: used }, issues: [] }
  }
  if (sum !== undefined) {
    if (decided.some(({ type }) => type !== 'integer')) return fail('/sum', 'must name integer claims')
    return { outcome: { kind: 'sum', scale: 'ordinal', labels: [], claims: used }, issues: [] }
  }
  const rows = table ?? []
  const issues = tableIssues(rows, decided)
  const labels = [...new Set(rows.map((row) => row.label))]
  return { outcome: { kind: 'table', scale, labels, rows, claims: decided.map(({ id }) => id) }, issues }
}

/** Every combination of the claims must fit exactly one row. */
function tableIssues(rows: NonNullable<Given['table']>, claims: readonly ClaimRule[]): Issue[] {
  const domains = claims.map(({ type, values }): readonly ClaimValue[] => (type === 'boolean' ? [true, false] : values))
  const open = claims.find(({ type }) => type !== 'boolean' && type !== 'enum')
  if (open !== undefined) return [{ path: '/outcome/table', message: `${open.id} is neither boolean nor an enum` }]
  if (domains.reduce((count, { length }) => count * length, 1) > MOST_COMBINATIONS)
    return [{ path: '/outcome/table', message: `has more than ${MOST_COMBINATIONS} combinations of claims` }]
  const combinations = domains.reduce<readonly (readonly ClaimValue[])[]>(
    (all, values) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  )
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
