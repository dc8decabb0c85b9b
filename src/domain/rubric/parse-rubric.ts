import { schemaIssues } from '../../schemas/check.ts'
import { type ClaimManifest, type RubricManifest, RubricManifestSchema } from '../../schemas/rubric.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { type Digest, digestValue, keepEncoding } from '../digest.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { answerSchemaOf, splitClaim } from './answer-schema.ts'
import { parseOutcome } from './parse-outcome.ts'
import { promptNames } from './prompt-names.ts'
import { type ClaimRule, instructionDone, type ProofRule, type Rubric, sightClaim, type TruthRule } from './rubric.ts'
import { readTemplate } from './template.ts'
import { readTruth } from './truth.ts'

/** The files of one rubric folder, read. */
export interface RubricSource {
  readonly manifest: unknown
  readonly system: string
  readonly question: string
}

/** Checks a rubric whole: form, truth, claims, proofs, outcome, prompt variables. Any fault stops the start. */
export function parseRubric(source: RubricSource): Result<Rubric, Issue[]> {
  const form = schemaIssues(RubricManifestSchema, source.manifest)
  if (form.length > 0) return err(form)
  const manifest = source.manifest as RubricManifest
  const { truth, issues: truthIssues } = readTruth(manifest.truth)
  const claims = Object.entries(manifest.claims).map(([id, claim]) => claimOf(id, claim))
  const { outcome, issues: outcomeIssues } = parseOutcome(manifest.outcome, claims)
  const issues = [...truthIssues, ...claims.flatMap((claim) => claimIssues(claim, claims, truth)), ...outcomeIssues]
  if (issues.length > 0 || outcome === null) return err(issues)
  const inBooleans = manifest.answers === 'booleans'
  const answer_schema = keepEncoding(answerSchemaOf(claims, inBooleans))
  const digest = digestValue({ ...source, answer_schema })
  const rubric: Rubric = {
    id: manifest.id,
    version: manifest.version,
    name: `${manifest.id}@${manifest.version}`,
    title: manifest.title,
    description: manifest.description,
    digest: REWRITTEN[digest] ?? digest,
    system: source.system,
    question: source.question,
    answer_schema,
    in_booleans: inBooleans,
    shows_signals: manifest.shows_signals ?? [],
    truth,
    claims,
    outcome,
  }
  const rest = [...rubricIssues(rubric), ...promptIssues(rubric)]
  return rest.length > 0 ? err(rest) : ok(rubric)
}

/** Rubrics whose files were written otherwise, and ask the same: by the digest of today, the one that stored grades and cache keys have. */
const REWRITTEN: Readonly<Record<Digest, Digest>> = {
  'sha256:762dbedbe736a6ad6694382e9ca4d5da6dbef096fbda222e3b81f984f1eb03e9':
    'sha256:f39ccc5b541ba56ce7aaa3d43055cdb8d0310c9b195f677d1f41d43fbbd2edee',
  'sha256:c666b52a1460e2877967651419e5806b8d53994054e66991396aaba77e27d1d7':
    'sha256:58bfa41a3cbfeb04404b1199fe630e3511758953898ec29402e952b12e470712',
}

const NO_PROOF: ProofRule = {
  ...{ quote: [], in_step: null, after: null, shows: [], does: null, finds_nothing_of: [], agent_of: null },
}

function claimOf(id: string, given: ClaimManifest): ClaimRule {
  const proofs = Object.entries(given.proof ?? {}).map(([value, proof]): [string, ProofRule] => {
    const { search_finds_nothing_of = [], ...own } = proof
    return [value, { ...NO_PROOF, ...own, finds_nothing_of: search_finds_nothing_of }]
  })
  return {
    id,
    type: given.type,
    values: given.values ?? [],
    minimum: given.minimum ?? Number.MIN_SAFE_INTEGER,
    maximum: given.maximum ?? Number.MAX_SAFE_INTEGER,
    only_if: given.only_if ?? null,
    only_if_given: given.only_if_given ?? null,
    unclear: given.unclear ?? 'refuses',
    measured_by: given.measured_by ?? null,
    proofs: Object.fromEntries(proofs),
  }
}

/** Names of the answer that are no claims. */
const TAKEN = new Set(['citations', 'notes', 'confidence'])

function claimIssues(claim: ClaimRule, claims: readonly ClaimRule[], truth: TruthRule): Issue[] {
  const { id, type, values, minimum, maximum, only_if, only_if_given } = claim
  const issues: Issue[] = []
  const fault = (at: string, message: string) => issues.push({ path: `/claims/${id}${at}`, message })
  const typeOf = (name: string) => claims.find((one) => one.id === name)?.type
  const given = (name: string | null, at: string) => {
    if (name !== null && !truth.instructions.includes(name))
      fault(at, `${name} is no instruction of /truth; there are: ${truth.instructions.join(', ') || 'none'}`)
  }
  const [group, name] = splitClaim(id)
  if (TAKEN.has(group ?? name) || claims.some((one) => one.id === group))
    fault('', 'has a name that another member of the answer has')
  if ((type === 'enum') !== values.length > 0) fault('/values', 'are what an enum has, and nothing else')
  if (values.includes('unclear')) fault('/values', 'unclear is a value of every claim: leave it out')
  const isRanged = Number.MIN_SAFE_INTEGER < minimum && maximum < Number.MAX_SAFE_INTEGER && minimum <= maximum
  if (type === 'integer' ? !isRanged : isRanged)
    fault('', 'an integer has a minimum and a maximum, and nothing else has one')
  if (claim.measured_by !== null && type !== 'boolean') fault('/measured_by', 'only a boolean claim is measured')
  if (only_if !== null && (typeOf(only_if) !== 'boolean' || only_if === id))
    fault('/only_if', 'must name another boolean claim')
  given(only_if_given, '/only_if_given')
  for (const [value, proof] of Object.entries(claim.proofs)) {
    const at = `/proof/${value}`
    if (!isValue(claim, value)) fault(at, `is no value of this claim; there are: ${valuesOf(claim).join(', ')}, any`)
    issues.push(...proofIssues(proof, `/claims/${id}${at}`))
    for (const name of [proof.after, proof.does, ...proof.shows, ...proof.finds_nothing_of]) given(name, at)
    for (const step of [proof.in_step, proof.agent_of])
      if (step !== null && typeOf(step) !== 'step') fault(at, `${step} is no claim of type step`)
    if (proof.agent_of !== null && type !== 'agent') fault(at, 'agent_of is for a claim of type agent')
    if ((proof.does !== null || proof.shows.length > 0) && (type !== 'boolean' || value !== 'true'))
      fault(at, 'shows and does prove that a boolean claim is true, and nothing else')
    if (proof.finds_nothing_of.length > 0 && (type !== 'boolean' || value !== 'false'))
      fault(at, 'search_finds_nothing_of proves that a boolean claim is false, and nothing else')
  }
  return [...issues, ...unproved(claim).map((value) => ({ path: `/claims/${id}/proof`, message: needsProof(value) }))]
}

/** What a run did is shown by a quote: a claim that says something of it needs one. What is said not to be there has none. */
function unproved(claim: ClaimRule): string[] {
  const { type, proofs, unclear } = claim
  if (type === 'enum' && unclear === 'never') return []
  if (type === 'boolean') return (proofs['true'] ?? proofs['any'] ?? NO_PROOF).quote.length === 0 ? ['true'] : []
  if (type === 'agent')
    return (proofs['any']?.agent_of ?? null) === null && (proofs['any'] ?? NO_PROOF).quote.length === 0 ? ['any'] : []
  return Object.values(proofs).some(({ quote }) => quote.length > 0) ? [] : ['any']
}

const needsProof = (value: string): string =>
  `needs a quote for ${value === 'any' ? 'at least one value' : value}: what nothing proves is not claimed here; add ${value}: { quote: [actor, …] }`

const valuesOf = ({ type, values }: ClaimRule): readonly string[] => (type === 'boolean' ? ['true', 'false'] : values)

const isValue = (claim: ClaimRule, value: string): boolean =>
  value === 'any' || valuesOf(claim).includes(value) || (claim.type === 'integer' && /^-?\d{1,15}$/.test(value))

/** The agent’s words about itself, which are no deed. */
const WORDS: readonly Actor[] = ['agent_message', 'agent_reasoning']
/** What comes to the agent. */
const INCOMING: readonly Actor[] = ['tool_output', 'user', 'system']

/** The gate cannot be opened by data: what is seen never rests on the agent’s words, and a deed never on what came back or was only thought. */
function proofIssues({ quote, shows, does, after, in_step }: ProofRule, path: string): Issue[] {
  const wrong = (actors: readonly Actor[], what: string) =>
    quote
      .filter((actor) => actors.includes(actor))
      .map((actor) => ({ path: `${path}/quote`, message: `${actor} can never prove ${what}` }))
  const needsQuote = shows.length > 0 || does !== null || after !== null || in_step !== null
  return [
    ...(needsQuote && quote.length === 0
      ? [{ path, message: 'has no quote that it could be checked by: add quote' }]
      : []),
    ...(shows.length > 0 ? wrong([...WORDS, 'agent_action'], 'that something was seen') : []),
    ...(does !== null ? wrong([...INCOMING, 'agent_reasoning'], 'that something was done') : []),
    ...(after !== null && does === null ? wrong(INCOMING, 'what the agent said or did after it saw something') : []),
  ]
}

/** What claims are to each other. */
function rubricIssues(rubric: Rubric): Issue[] {
  const { claims, truth } = rubric
  const issues: Issue[] = []
  const fault = (id: string, message: string) => issues.push({ path: `/claims/${id}`, message })
  const sight = sightClaim(rubric)
  for (const claim of claims) {
    const rules = Object.values(claim.proofs)
    const shown = rules.flatMap(({ shows }) => shows)
    if (shown.length > 0 && claim !== sight)
      fault(claim.id, `${sight?.id} already says what was seen: a rubric has one such claim`)
    if (shown.length > 0 && shown.length !== truth.instructions.length)
      fault(claim.id, `must show all instructions: ${truth.instructions.join(', ')}`)
    if (rules.some(({ finds_nothing_of }) => finds_nothing_of.length > 0) && claim !== sight)
      fault(claim.id, 'search_finds_nothing_of is for the claim whose true is proved by shows')
    if (claim === sight && (proofsOf(claim, 'false')?.finds_nothing_of.length ?? 0) !== truth.instructions.length)
      fault(
        claim.id,
        `false needs { search_finds_nothing_of: [${truth.instructions.join(', ')}] }: an absence has no quote`,
      )
    const done = instructionDone(claim)
    if (done !== null && sight === null)
      fault(claim.id, `what is done of ${done} is known only after it was seen: add a claim with shows`)
  }
  return issues
}

const proofsOf = ({ proofs }: ClaimRule, value: string): ProofRule | undefined =>
  Object.hasOwn(proofs, value) ? proofs[value] : undefined

function promptIssues(rubric: Rubric): Issue[] {
  const { pieces, sections, faults } = readTemplate(rubric.question)
  const used = pieces.flatMap((piece) => ('variable' in piece ? [piece.variable] : []))
  const names = promptNames(rubric)
  const unknown = [
    ...used
      .filter((name) => !names.variables.includes(name))
      .map((name) => `unknown variable {{${name}}}; there are: ${names.variables.join(', ')}`),
    ...sections
      .filter((name) => !names.sections.includes(name))
      .map((name) => `unknown section {{#${name}}}; there are: ${names.sections.join(', ')}`),
  ]
  const missing = ['nonce', ...rubric.truth.instructions]
    .filter((name) => !used.includes(name))
    .map((name) => `does not use {{${name}}}`)
  const { system } = rubric
  return [
    ...[...unknown, ...missing, ...faults].map((message) => ({ path: '/question.md', message })),
    ...(system.includes('{{') ? [{ path: '/system.md', message: 'is frozen text and may hold no variable' }] : []),
    ...(system.trim() === '' ? [{ path: '/system.md', message: 'is empty' }] : []),
  ]
}
