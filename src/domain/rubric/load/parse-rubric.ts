import { inputIssues } from '../../../schemas/check.ts'
import { type ClaimManifest, type RubricManifest, RubricManifestSchema } from '../../../schemas/rubric.ts'
import { type Digest, digestValue } from '../../digest.ts'
import { err, type Issue, ok, type Result } from '../../result.ts'
import { answerSchemaOf } from '../answer.ts'
import { fits, NONE, splitClaim } from '../claims.ts'
import { promptNames, readTemplate } from '../prompt.ts'
import type { ClaimRule, OutcomeRule, ProofRule, Rubric, Scalar, TableRow, TruthRule } from '../rubric.ts'
import { allClaims, isCitable, NO_PROOF } from '../rubric.ts'
import { claimIssues, togetherIssues, unproved } from './claim-issues.ts'
import { broken } from './rubric-error.ts'
import { readTruth } from './truth.ts'

export interface RubricSource {
  readonly manifest: unknown
  readonly system: string
  readonly question: string
}

/** Checks a rubric whole: form, truth, claims, proofs, outcome, prompt variables. Any fault stops the start. */
export function parseRubric(source: RubricSource): Result<Rubric, Issue[]> {
  const form = inputIssues(RubricManifestSchema, source.manifest)
  if (form.length > 0) return err(form)
  const manifest = source.manifest as RubricManifest
  const { truth, issues: truthIssues } = readTruth(manifest.truth)
  if (truthIssues.length > 0) return err(truthIssues)
  const claims = Object.entries(manifest.claims).map(([id, claim]) => claimOf(id, claim))
  const { outcome, issues: outcomeIssues } = parseOutcome(manifest.outcome, claims)
  const about = manifest.about ?? 'run'
  const issues = [
    ...claims.flatMap((claim) => claimIssues(claim, claims, truth)),
    ...togetherIssues({ about, claims, truth }),
    ...outcomeIssues,
    ...promptIssues(source, truth),
  ]
  if (issues.length > 0 || outcome === null) return err(issues)
  const { id, version, title, description, shows_signals = [], outcome: outcome_given } = manifest
  const in_booleans = manifest.answers === 'booleans'
  const answer_schema = answerSchemaOf(claims, in_booleans ? 'booleans' : 'words')
  const digest = digestValue({ ...source, answer_schema })
  const { system, question } = source
  return ok({
    ...{ id, version, name: `${id}@${version}`, title, description, digest: REWRITTEN[digest] ?? digest },
    ...{ system, question, answer_schema, in_booleans, shows_signals, about, truth, claims, outcome, outcome_given },
  })
}

/** Rubrics whose files were written otherwise, and ask the same: by the digest of today, the one that stored grades and cache keys have. */
const REWRITTEN: Readonly<Record<Digest, Digest>> = {
  'sha256:762dbedbe736a6ad6694382e9ca4d5da6dbef096fbda222e3b81f984f1eb03e9':
    'sha256:f39ccc5b541ba56ce7aaa3d43055cdb8d0310c9b195f677d1f41d43fbbd2edee',
  'sha256:c666b52a1460e2877967651419e5806b8d53994054e66991396aaba77e27d1d7':
    'sha256:58bfa41a3cbfeb04404b1199fe630e3511758953898ec29402e952b12e470712',
}

/** Members of a claim that its manifest may leave out. */
const UNSAID = {
  ...{ values: [], minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  ...{ only_if: null, only_if_given: null, unclear: 'refuses' as const, measured_by: null },
}

function claimOf(
  id: string,
  { of = {}, proof = {}, computed, capped_by_document, ...given }: ClaimManifest,
): ClaimRule {
  const proofs = Object.entries(proof).map(([value, { search_finds_nothing_of = [], ...own }]): [string, ProofRule] => [
    value,
    { ...NO_PROOF, ...own, finds_nothing_of: search_finds_nothing_of },
  ])
  return {
    ...{ ...UNSAID, ...given, id, runs_of: computed?.runs_of ?? null, cap: capped_by_document ?? null },
    of: Object.entries(of).map(([name, one]) => claimOf(`${id}.${name}`, one)),
    proofs: Object.fromEntries(proofs),
  }
}

/** The path of an issue of a text is the file and the line: `/question.md/7`. */
function promptIssues({ question, system }: RubricSource, truth: TruthRule): Issue[] {
  const { variables, sections, faults } = readTemplate(question)
  const names = promptNames({ truth })
  const used = variables.filter(({ name, section }) => section === null || section.name === name)
  const missing = ['nonce', 'claims', ...truth.instructions]
    .filter((needed) => !used.some(({ name }) => name === needed))
    .map((name) => ({ message: `does not use {{${name}}}: write it ${NEEDED[name] ?? OF_TRUTH}`, at: 0 }))
  const unknown = [
    ...variables
      .filter(({ name }) => !names.variables.includes(name))
      .map(({ name, at }) => ({ message: `there is no {{${name}}}; there are: ${names.variables.join(', ')}`, at })),
    ...sections
      .filter(({ name }) => !names.sections.includes(name))
      .map(({ name, at }) => ({ message: `there is no {{#${name}}}; there are: ${names.sections.join(', ')}`, at })),
  ]
  const tag = system.indexOf('{{')
  return [
    ...[...unknown, ...missing, ...faults].map(({ message, at }) => issueAt('question.md', question, at, message)),
    ...(tag === -1 ? [] : [issueAt('system.md', system, tag, FROZEN)]),
    ...(system.trim() === '' ? [issueAt('system.md', system, 0, EMPTY)] : []),
  ]
}

const issueAt = (file: string, text: string, at: number, message: string): Issue => ({
  path: `/${file}/${text.slice(0, at).split('\n').length}`,
  message,
})

const OF_TRUTH = 'where the judge is to read it'
const NEEDED: Readonly<Record<string, string>> = {
  nonce: 'into every frame, as in === QUESTION · {{nonce}} ===, or the run could forge one',
  claims: 'near the top: a judge that is shown one part of a long run is told so there',
}
const FROZEN = 'is the same for every run and holds no {{variable}}: move what needs one to question.md'
const EMPTY = 'is empty: say there how the record is to be read, as `veridict rubric new` writes it'

/** Lists statements of a rubric that its author hardly means. */
export function rubricWarnings(rubric: Rubric): Issue[] {
  const { question, system, claims, truth } = rubric
  const used = readTemplate(question).variables.map(({ name }) => name)
  const text = `${question}\n${system}`
  const inQuestion = (message: string): Issue => ({ path: '/question.md/1', message })
  return [
    ...allClaims(claims).flatMap(({ id, type, values, runs_of }): Issue[] => {
      if (runs_of !== null || type === 'list') return []
      if (!text.includes(`\`${id}\``) && !text.includes(`\`${splitClaim(id)[1]}\``))
        return [inQuestion(`never mentions \`${id}\`: say what it asks, and when each answer is right`)]
      const silent = values.filter((value) => !text.includes(`\`${value}\``))
      return silent.length === 0
        ? []
        : [inQuestion(`never says when \`${id}\` is ${silent.map((one) => `\`${one}\``).join(', ')}`)]
    }),
    ...truth.members
      .filter((name) => !used.includes(name))
      .map((name) => inQuestion(`never uses {{${name}}}: the judge does not learn what the truth says of it`)),
    ...(used.includes('answer_schema')
      ? []
      : [inQuestion(`never uses {{answer_schema}}: a judge whose provider holds it to no form is not told the form`)]),
  ]
}

type OutcomeManifest = RubricManifest['outcome']
type Best = NonNullable<OutcomeManifest['best']>

/** Bounds the combinations that a person can read. */
const MOST_COMBINATIONS = 4096
const MOST_LISTED = 10

/** Parses exactly one of a table, an enum claim, a sum of integers and the best entry of a list; a table is total and disjoint. */
function parseOutcome(
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
