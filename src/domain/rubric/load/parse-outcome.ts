import type { RubricManifest } from '../../../schemas/rubric.ts'
import type { Issue } from '../../result.ts'
import { fits, NONE } from '../outcome.ts'
import { type ClaimRule, isCitable, type OutcomeRule, type Scalar } from '../rubric.ts'
import { unproved } from './gate-issues.ts'
import { broken } from './rubric-error.ts'

type Given = RubricManifest['outcome']
type Row = NonNullable<Given['table']>[number]
type Best = NonNullable<Given['best']>

interface Parsed {
  readonly outcome: OutcomeRule | null
  readonly issues: readonly Issue[]
}

/** More combinations than can be read. */
const MOST_COMBINATIONS = 4096
const MOST_TOLD = 10

/** Exactly one of a table, an enum claim, a sum of integers and the best entry of a list; a table is total and disjoint. */
export function parseOutcome(given: Given, claims: readonly ClaimRule[]): Parsed {
  const { table, label, sum, best, scale = 'nominal' } = given
  const kinds = Object.entries({ table, label, sum, best }).flatMap(([name, one]) => (one === undefined ? [] : [name]))
  if (kinds.length !== 1) {
    const message = `has ${kinds.join(' and ') || 'none'} of table, label, sum and best: write exactly one of them`
    return { outcome: null, issues: [{ path: '/outcome', message }] }
  }
  if (best !== undefined) return parseBest(best, scale, claims)
  const used = usedIn(given)
  if (used.length === 0) {
    const message = 'follows from no claim: name at least one in when, as in when: { claim: true }'
    return { outcome: null, issues: [{ path: '/outcome/table', message }] }
  }
  const issues = used.flatMap((one) => decidingIssues(one, claims))
  if (sum !== undefined && new Set(sum).size < sum.length)
    issues.push({ path: '/outcome/sum', message: 'counts a claim twice: name each once' })
  if (issues.length > 0) return { outcome: null, issues }
  if (sum !== undefined) return { outcome: { kind: 'sum', scale: 'ordinal', labels: [], claims: sum }, issues }
  const decided = claims.filter(({ id }) => used.some((one) => one.id === id))
  const ids = decided.map(({ id }) => id)
  if (label !== undefined)
    return { outcome: { kind: 'label', scale, labels: decided[0]?.values ?? [], claims: ids }, issues }
  const rows = table ?? []
  const labels = [...new Set(rows.map((row) => row.label))]
  return { outcome: { kind: 'table', scale, labels, rows, claims: ids }, issues: tableIssues(rows, decided) }
}

/** A claim that an outcome names, where it does so, and which types can stand there. */
interface Used {
  readonly id: string
  readonly path: string
  readonly types: readonly ClaimRule['type'][]
  readonly what: string
}

function usedIn({ table = [], label, sum = [] }: Given): Used[] {
  const inTable = table.flatMap(({ when }, row) =>
    Object.keys(when).map((id): Used => {
      const path = `/outcome/table/${row}/when/${id}`
      return { id, path, types: ['boolean', 'enum'], what: 'a row of a table' }
    }),
  )
  return [
    ...new Map([...inTable].reverse().map((one) => [one.id, one])).values(),
    ...(label === undefined ? [] : [{ id: label, path: '/outcome/label', types: ['enum'], what: 'a label' } as const]),
    ...sum.map((id, at) => ({ id, path: `/outcome/sum/${at}`, types: ['integer'], what: 'a sum' }) as const),
  ]
}

/** What keeps a claim from deciding the outcome. */
function decidingIssues({ id, path, types, what }: Used, claims: readonly ClaimRule[]): Issue[] {
  const claim = claims.find((one) => one.id === id)
  if (claim === undefined)
    return [{ path, message: `${id} is no claim of this rubric; there are: ${claims.map((one) => one.id).join(', ')}` }]
  const wanted = `${what} needs a claim of type ${types.join(' or ')}, and ${id} is of type ${claim.type}: name another`
  return [
    ...broken(path, [
      [!types.includes(claim.type), wanted],
      [!isCitable(claim), `${id} decides the outcome and nobody could check it: add a proof with a quote to it`],
    ]),
    ...partIssues(claim, path),
  ]
}

/** What decides an outcome counts always, and is never unclear. */
const partIssues = ({ id, only_if, unclear }: ClaimRule, path: string): Issue[] =>
  broken(path, [
    [
      only_if !== null,
      `${id} decides the outcome and counts only if ${only_if}: remove only_if, or name ${only_if} instead`,
    ],
    [unclear === 'kept', `${id} decides the outcome and may not be kept unclear: remove unclear: kept`],
  ])

/** The best entry of a list: what is summed are its integers, what is told is one of its enums. */
function parseBest(best: Best, scale: OutcomeRule['scale'], claims: readonly ClaimRule[]): Parsed {
  const fail = (path: string, message: string): Parsed => ({
    outcome: null,
    issues: [{ path: `/outcome/best${path}`, message }],
  })
  const lists = claims.filter(({ type }) => type === 'list')
  const list = lists.find(({ id }) => id === best.of)
  if (list === undefined)
    return fail('/of', `${best.of} is no list; there are: ${lists.map(({ id }) => id).join(', ') || 'none'}`)
  const named = (type: ClaimRule['type']) => list.of.filter((one) => one.type === type)
  const find = (name: string, type: ClaimRule['type']) => named(type).find(({ id }) => id === `${best.of}.${name}`)
  const there = (type: ClaimRule['type']): string =>
    `there are: ${
      named(type)
        .map(({ id }) => id.slice(best.of.length + 1))
        .join(', ') || 'none'
    }`
  const label = find(best.label, 'enum')
  if (label === undefined) return fail('/label', `${best.label} is no enum of ${best.of}; ${there('enum')}`)
  if (!isCitable(label))
    return fail(
      '/label',
      `${best.label} is the label and has no proof: nobody could check it; add proof: { any: { quote: [actor] } }`,
    )
  const wrong = best.by.find((name) => find(name, 'integer') === undefined)
  if (wrong !== undefined) return fail('/by', `${wrong} is no integer of ${best.of}; ${there('integer')}`)
  const open = [best.label, ...best.by].find((name) => {
    const one = list.of.find(({ id }) => id === `${best.of}.${name}`)
    return one !== undefined && (one.unclear === 'kept' || one.only_if !== null)
  })
  if (open !== undefined)
    return fail('', `${open} decides the outcome: it may not be kept unclear, nor be only_if another; remove that`)
  if (!list.of.some(isAlwaysProved))
    return fail(
      '/of',
      `an entry of ${best.of} can stand there without any quote: give one of its claims a proof for every value (any: { quote: [actor, …] })`,
    )
  if (label.values.includes(NONE))
    return fail('/label', `${NONE} is the label where the list is empty: name this value of ${label.id} otherwise`)
  const parts = best.by.flatMap((name) => find(name, 'integer') ?? [])
  const issues = [...parts, label].flatMap((one) => partIssues(one, '/outcome/best'))
  const labels = [...label.values, NONE]
  return { outcome: { kind: 'best', scale, labels, claims: [best.of], by: best.by, label: best.label }, issues }
}

/** Whether no value of it goes without a quote. */
const isAlwaysProved = (claim: ClaimRule): boolean =>
  isCitable(claim) && unproved(claim).length === 0 && claim.only_if === null && claim.unclear === 'refuses'

/** Every combination of the claims must fit exactly one row. */
function tableIssues(rows: readonly Row[], claims: readonly ClaimRule[]): Issue[] {
  const domains = claims.map(({ type, values }): readonly Scalar[] => (type === 'boolean' ? [true, false] : values))
  const unknown = valueIssues(rows, new Map(claims.map(({ id }, index) => [id, domains[index] ?? []])))
  if (unknown.length > 0) return unknown
  if (domains.reduce((count, { length }) => count * length, 1) > MOST_COMBINATIONS) {
    const message = `has more than ${MOST_COMBINATIONS} combinations of claims: name fewer claims in its rows`
    return [{ path: '/outcome/table', message }]
  }
  const combinations = domains.reduce<readonly (readonly Scalar[])[]>(
    (all, values) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  )
  const faults = combinations.flatMap((combination): Issue[] => {
    const values = Object.fromEntries(claims.map(({ id }, index) => [id, combination[index] ?? null]))
    const fitting = rows.flatMap(({ when }, row) => (fits(when, values) ? [row] : []))
    if (fitting.length === 1) return []
    const told = `{ ${Object.entries(values)
      .map(([id, value]) => `${id}: ${value}`)
      .join(', ')} }`
    if (fitting.length === 0)
      return [{ path: '/outcome/table', message: `no row fits ${told}: add one, or leave claims out of a row` }]
    const both = fitting.map((row) => row + 1).join(' and ')
    return [{ path: `/outcome/table/${fitting[1]}`, message: `rows ${both} fit ${told}: change all but one of them` }]
  })
  return faults.slice(0, MOST_TOLD)
}

function valueIssues(rows: readonly Row[], domains: ReadonlyMap<string, readonly Scalar[]>): Issue[] {
  return rows.flatMap(({ when }, row) =>
    Object.entries(when).flatMap(([id, value]): Issue[] => {
      const domain = domains.get(id) ?? []
      if (domain.includes(value)) return []
      const message = `${JSON.stringify(value)} is no value of ${id}; there are: ${domain.join(', ')}`
      return [{ path: `/outcome/table/${row}/when/${id}`, message }]
    }),
  )
}
