import type { RubricManifest } from '../../../schemas/rubric.ts'
import type { Issue } from '../../result.ts'
import { fits, NONE } from '../outcome.ts'
import { type ClaimRule, isCitable, type OutcomeRule, type Scalar, type TableRow } from '../rubric.ts'
import { unproved } from './claim-issues.ts'
import { broken } from './rubric-error.ts'

type OutcomeManifest = RubricManifest['outcome']
type Best = NonNullable<OutcomeManifest['best']>

/** Bounds the combinations that a person can read. */
const MOST_COMBINATIONS = 4096
const MOST_LISTED = 10

/** Parses exactly one of a table, an enum claim, a sum of integers and the best entry of a list; a table is total and disjoint. */
export function parseOutcome(
  given: OutcomeManifest,
  claims: readonly ClaimRule[],
): { outcome: OutcomeRule | null; issues: Issue[] } {
  const { table = [], label, sum, best, scale = 'nominal' } = given
  const kinds = ['table', 'label', 'sum', 'best'].filter((kind) => Object.hasOwn(given, kind))
  const lists = claims.filter(({ type }) => type === 'list').map(({ id }) => id)
  const list = claims.find(({ id, type }) => id === best?.of && type === 'list')
  const scope = list?.of ?? claims
  const used = usedIn(given)
  const form = broken('/outcome', {
    [` has ${kinds.join(' and ') || 'none'} of table, label, sum and best: write exactly one of them`]:
      kinds.length !== 1,
    [`/best/of ${best?.of} is no list; there are: ${lists.join(', ') || 'none'}`]:
      best !== undefined && list === undefined,
    '/table follows from no claim: name at least one in when, as in when: { claim: true }': used.length === 0,
  })
  if (form[0] !== undefined) return { outcome: null, issues: [form[0]] }
  const issues = [
    ...used.flatMap((one) => decidingIssues(one, scope)),
    ...broken('/outcome', {
      '/sum counts a claim twice: name each once': isRepeated(sum),
      '/best/by counts a claim twice: name each once': isRepeated(best?.by),
    }),
  ]
  if (issues.length > 0) return { outcome: null, issues }
  const decided = scope.filter(({ id }) => used.some((one) => one.id === id))
  const ids = decided.map(({ id }) => id)
  if (best !== undefined && list !== undefined) {
    const values = list.of.find(({ id }) => id === `${best.of}.${best.label}`)?.values ?? []
    const rule = { kind: 'best', scale, labels: [...values, NONE], claims: [best.of] } as const
    return { outcome: { ...rule, by: best.by, label: best.label }, issues: bestIssues(list, best, values) }
  }
  if (sum !== undefined) return { outcome: { kind: 'sum', scale: 'ordinal', labels: [], claims: sum }, issues }
  if (label !== undefined)
    return { outcome: { kind: 'label', scale, labels: decided[0]?.values ?? [], claims: ids }, issues }
  const labels = [...new Set(table.map((row) => row.label))]
  return { outcome: { kind: 'table', scale, labels, rows: table, claims: ids }, issues: tableIssues(table, decided) }
}

const isRepeated = (names: readonly string[] = []): boolean => new Set(names).size < names.length

/** A claim that an outcome names, with the place of the name and the types that can stand there. */
interface Used {
  readonly id: string
  readonly path: string
  readonly types: readonly ClaimRule['type'][]
  readonly what: string
}

function usedIn({ table = [], label, sum = [], best }: OutcomeManifest): Used[] {
  const inTable = table.flatMap(({ when }, row) =>
    Object.keys(when).map((id): Used => {
      const path = `/outcome/table/${row}/when/${id}`
      return { id, path, types: ['boolean', 'enum'], what: 'a row of a table' }
    }),
  )
  const named = (id: string, at: string, type: 'enum' | 'integer', what: string): Used => ({
    ...{ id, what, path: `/outcome/${at}`, types: [type] },
  })
  const inBest = best && [
    named(`${best.of}.${best.label}`, 'best/label', 'enum', 'the label of an entry'),
    ...best.by.map((name, at) => named(`${best.of}.${name}`, `best/by/${at}`, 'integer', 'the sum of an entry')),
  ]
  return [
    ...new Map([...inTable].reverse().map((one) => [one.id, one])).values(),
    ...(label === undefined ? [] : [named(label, 'label', 'enum', 'a label')]),
    ...sum.map((id, at) => named(id, `sum/${at}`, 'integer', 'a sum')),
    ...(inBest ?? []),
  ]
}

/** Lists the faults that keep a claim from deciding the outcome: the claim counts always, is never unclear, and can be checked or is counted. */
function decidingIssues({ id, path, types, what }: Used, claims: readonly ClaimRule[]): Issue[] {
  const claim = claims.find((claim) => claim.id === id)
  if (claim === undefined)
    return [
      { path, message: `${id} is no claim of this rubric; there are: ${claims.map((claim) => claim.id).join(', ')}` },
    ]
  const { type, runs_of, only_if, unclear } = claim
  return broken(path, {
    [`${what} needs a claim of type ${types.join(' or ')}, and ${id} is of type ${type}: name another`]:
      !types.includes(type),
    [`${id} decides the outcome and nobody could check it: add a proof with a quote to it`]:
      !isCitable(claim) && runs_of === null,
    [`${id} decides the outcome and counts only if ${only_if}: remove only_if, or name ${only_if} instead`]:
      only_if !== null,
    [`${id} decides the outcome and may not be kept unclear: remove unclear: kept`]: unclear === 'kept',
  })
}

function bestIssues(list: ClaimRule, { of, label }: Best, values: readonly string[]): Issue[] {
  const isAlwaysProved = (claim: ClaimRule): boolean =>
    isCitable(claim) && unproved(claim).length === 0 && claim.only_if === null && claim.unclear === 'refuses'
  return broken('/outcome/best', {
    [`/of an entry of ${of} can stand there without any quote: give one of its claims a proof for every value (any: { quote: [actor, …] })`]:
      !list.of.some(isAlwaysProved),
    [`/label ${NONE} is the label where the list is empty: name this value of ${of}.${label} otherwise`]:
      values.includes(NONE),
  })
}

/** Lists the combinations of the claims that do not fit exactly one row. */
function tableIssues(rows: readonly TableRow[], claims: readonly ClaimRule[]): Issue[] {
  const domains = claims.map(({ type, values }): readonly Scalar[] => (type === 'boolean' ? [true, false] : values))
  const domainOf = new Map(claims.map(({ id }, index) => [id, domains[index] ?? []]))
  const unknown = rows.flatMap(({ when }, row) =>
    Object.entries(when).flatMap(([id, value]) => {
      const domain = domainOf.get(id) ?? []
      return broken(`/outcome/table/${row}/when/${id}`, {
        [` ${JSON.stringify(value)} is no value of ${id}; there are: ${domain.join(', ')}`]: !domain.includes(value),
      })
    }),
  )
  if (unknown.length > 0) return unknown
  if (domains.reduce((count, { length }) => count * length, 1) > MOST_COMBINATIONS) {
    const message = `has more than ${MOST_COMBINATIONS} combinations of claims: name fewer claims in its rows`
    return [{ path: '/outcome/table', message }]
  }
  const combinations = domains.reduce<readonly (readonly Scalar[])[]>(
    (all, values) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  )
  const faults = combinations.flatMap((combination) => {
    const pairs = claims.map(({ id }, index) => [id, combination[index] ?? null] as const)
    const fitting = rows.flatMap(({ when }, row) => (fits(when, Object.fromEntries(pairs)) ? [row] : []))
    const told = `{ ${pairs.map(([id, value]) => `${id}: ${value}`).join(', ')} }`
    const both = fitting.map((row) => row + 1).join(' and ')
    return broken('/outcome/table', {
      [`no row fits ${told}: add one, or leave claims out of a row`]: fitting.length === 0,
      [`/${fitting[1]} rows ${both} fit ${told}: change all but one of them`]: fitting.length > 1,
    })
  })
  return faults.slice(0, MOST_LISTED)
}
