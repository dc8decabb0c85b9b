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

/** Exactly one of a table, an enum claim, and a sum of integers; a table is total and disjoint. */
export function parseOutcome(given: Given, claims: readonly ClaimRule[]): Parsed {
  const { table, label, sum, best, scale = 'nominal' } = given
  const fail = (path: string, message: string): Parsed => ({
    outcome: null,
    issues: [{ path: `/outcome${path}`, message }],
  })
  if ([table, label, sum, best].filter((one) => one !== undefined).length !== 1)
    return fail('', 'must have exactly one of table, label, sum and best')
  if (best !== undefined) return parseBest(best, scale, claims)
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

/** The best entry of a list: what is summed are its integers, what is told is one of its enums. */
function parseBest(
  best: NonNullable<Given['best']>,
  scale: OutcomeRule['scale'],
  claims: readonly ClaimRule[],
): Parsed {
  const fail = (message: string): Parsed => ({ outcome: null, issues: [{ path: '/outcome/best', message }] })
  const list = claims.find(({ id }) => id === best.of)
  if (list?.type !== 'list') return fail(`${best.of} is no list of this rubric`)
  const find = (name: string) => list.of.find(({ id }) => id === `${best.of}.${name}`)
  const label = find(best.label)
  if (label?.type !== 'enum') return fail(`${best.label} is no enum of ${best.of}`)
  const wrong = best.by.find((name) => find(name)?.type !== 'integer')
  if (wrong !== undefined) return fail(`${wrong} is no integer of ${best.of}`)
  if (!isCitable(list)) return fail(`${best.of} decides the outcome and has no proof: nobody could check the label`)
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
