import type { Actor } from '../../schemas/vocabulary.ts'
import type { Issue } from '../result.ts'
import { splitClaim, UNCLEAR } from './answer-schema.ts'
import {
  allClaims,
  type ClaimRule,
  instructionDone,
  isCitable,
  type ProofRule,
  type Rubric,
  sightClaim,
  type TruthRule,
} from './rubric.ts'

export const NO_PROOF: ProofRule = {
  ...{
    quote: [],
    in_step: null,
    after: null,
    shows: [],
    does: null,
    finds_nothing_of: [],
    agent_of: null,
    holds: null,
  },
}

/** Rules of a place: what must not be so, and what is said of it then. */
type Rule = readonly [isBroken: boolean, path: string, message: string]

const broken = (at: string, rules: readonly Rule[]): Issue[] =>
  rules.flatMap(([isBroken, path, message]) => (isBroken ? [{ path: at + path, message }] : []))

/** Names of the answer that are no claims. */
const TAKEN: ReadonlySet<string> = new Set(['citations', 'notes', 'confidence'])

/** What is wrong with one claim, by itself and by what it names; with those of the entries of a list. */
export const claimIssues = (claim: ClaimRule, claims: readonly ClaimRule[], truth: TruthRule): Issue[] => [
  ...ownIssues(claim, `/claims/${claim.id}`, claims, truth),
  ...claim.of.flatMap((one) => {
    const at = `/claims/${claim.id}/of/${one.id.slice(claim.id.length + 1)}`
    return [...ownIssues(one, at, claims, truth), ...entryIssues(one, at)]
  }),
]

const ownIssues = (claim: ClaimRule, at: string, claims: readonly ClaimRule[], truth: TruthRule): Issue[] => [
  ...formIssues(claim, at, claims),
  ...Object.entries(claim.proofs).flatMap(([value, proof]) => [
    ...valueIssues(claim, value, proof, `${at}/proof/${value}`),
    ...actorIssues(proof, `${at}/proof/${value}`),
    ...nameIssues(proof, claims, truth, `${at}/proof/${value}`),
  ]),
  ...broken(at, [
    [isUnproved(claim), '/proof', NEEDS_PROOF],
    [isUnknown(claim.only_if_given, truth), '/only_if_given', noInstruction(claim.only_if_given, truth)],
  ]),
]

function formIssues(claim: ClaimRule, at: string, claims: readonly ClaimRule[]): Issue[] {
  const { id, type, values, minimum, maximum, only_if, of, runs_of, cap } = claim
  const [group, name] = splitClaim(id)
  const isTaken =
    TAKEN.has(group ?? name) ||
    (group ?? name) in {} ||
    name in {} ||
    claims.some((one) => one.id === group && one.type !== 'list')
  const hasMinimum = minimum > Number.MIN_SAFE_INTEGER
  const hasMaximum = maximum < Number.MAX_SAFE_INTEGER
  const isInteger = type === 'integer'
  const isList = type === 'list'
  const isBounded = isList
    ? hasMaximum && maximum >= 1 && maximum <= MOST_ENTRIES && !hasMinimum
    : isInteger
      ? hasMinimum && hasMaximum && minimum <= maximum
      : !hasMinimum && !hasMaximum
  const typeOf = (wanted: string) => allClaims(claims).find((one) => one.id === wanted)?.type
  const isAsked =
    only_if === null || (only_if !== id && claims.some((one) => one.id === only_if && one.type === 'boolean'))
  return broken(at, [
    [isTaken, '', 'has a name that another member of the answer has'],
    [(type === 'enum') !== values.length > 0, '/values', 'are what an enum has, and nothing else'],
    [values.includes(UNCLEAR), '/values', `${UNCLEAR} is a value of every claim: leave it out`],
    [
      !isBounded,
      '',
      `an integer has a minimum and a maximum, a list a maximum of 1 to ${MOST_ENTRIES}, and nothing else has one`,
    ],
    [isList !== of.length > 0, '/of', 'is what a list has, and nothing else'],
    [isList && group !== null, '', 'is a list: its name has no dot, as its entries have their own claims'],
    [isList && Object.keys(claim.proofs).length > 0, '/proof', 'belongs to the claims of the entries: put it into of'],
    [claim.measured_by !== null && type !== 'boolean', '/measured_by', 'only a boolean claim is measured'],
    [!isAsked, '/only_if', 'must name another boolean claim'],
    [(runs_of !== null || cap !== null) && !isInteger, '', 'computed and capped_by_document are for integers'],
    [runs_of !== null && typeOf(runs_of) === undefined, '/computed', `${runs_of} is no claim`],
    [cap !== null && typeOf(cap.names) !== 'text', '/capped_by_document', `${cap?.names} is no claim of type text`],
  ])
}

const MOST_ENTRIES = 50

/** An entry of a list says nothing of an instruction: what was seen and done of it is asked once. */
const entryIssues = (claim: ClaimRule, at: string): Issue[] =>
  broken(at, [
    [
      Object.values(claim.proofs).some(
        ({ shows, does, after, finds_nothing_of }) =>
          shows.length > 0 || finds_nothing_of.length > 0 || does !== null || after !== null,
      ),
      '/proof',
      'shows, does, after and search_finds_nothing_of are not for entries of a list',
    ],
  ])

/** Which rule may prove which value. */
function valueIssues(
  claim: ClaimRule,
  value: string,
  { does, shows, finds_nothing_of, agent_of }: ProofRule,
  at: string,
): Issue[] {
  const { type } = claim
  const isTrue = type === 'boolean' && value === 'true'
  const isFalse = type === 'boolean' && value === 'false'
  return broken(at, [
    [!isValue(claim, value), '', `is no value of this claim; there are: ${[...valuesOf(claim), 'any'].join(', ')}`],
    [agent_of !== null && type !== 'agent', '', 'agent_of is for a claim of type agent'],
    [
      (does !== null || shows.length > 0) && !isTrue,
      '',
      'shows and does prove that a boolean claim is true, and nothing else',
    ],
    [
      finds_nothing_of.length > 0 && !isFalse,
      '',
      'search_finds_nothing_of proves that a boolean claim is false, and nothing else',
    ],
  ])
}

const valuesOf = ({ type, values }: ClaimRule): readonly string[] => (type === 'boolean' ? ['true', 'false'] : values)

const isValue = (claim: ClaimRule, value: string): boolean =>
  value === 'any' ||
  valuesOf(claim).includes(value) ||
  (claim.type === 'integer' && /^-?\d{1,15}$/.test(value) && +value >= claim.minimum && +value <= claim.maximum)

/** The agent’s words about itself, which are no deed. */
const WORDS: readonly Actor[] = ['agent_message', 'agent_reasoning']
/** What comes to the agent. */
const INCOMING: readonly Actor[] = ['tool_output', 'user', 'system']

/** The gate cannot be opened by data: what is seen never rests on the agent’s words, and a deed never on what came back or was only thought. */
function actorIssues({ quote, shows, does, after, in_step, holds }: ProofRule, path: string): Issue[] {
  const wrong = (isMeant: boolean, actors: readonly Actor[], what: string): Rule[] =>
    quote.map((actor) => [isMeant && actors.includes(actor), '/quote', `${actor} can never prove ${what}`])
  const needsQuote = holds !== null || shows.length > 0 || does !== null || after !== null || in_step !== null
  return broken(path, [
    [needsQuote && quote.length === 0, '', 'has no quote that it could be checked by: add quote'],
    [does !== null && after !== null, '/after', 'is what does means already: leave it out'],
    ...wrong(shows.length > 0, [...WORDS, 'agent_action'], 'that something was seen'),
    ...wrong(does !== null, [...INCOMING, 'agent_reasoning'], 'that something was done'),
    ...wrong(after !== null && does === null, INCOMING, 'what the agent said or did after it saw something'),
  ])
}

function nameIssues(proof: ProofRule, claims: readonly ClaimRule[], truth: TruthRule, path: string): Issue[] {
  const instructions = [proof.after, proof.does, ...proof.shows, ...proof.finds_nothing_of]
  const steps = [proof.in_step, proof.agent_of].filter((id) => id !== null)
  const typeOf = (id: string) => allClaims(claims).find((one) => one.id === id)?.type
  return broken(path, [
    ...instructions.map((name): Rule => [isUnknown(name, truth), '', noInstruction(name, truth)]),
    ...steps.map((id): Rule => [typeOf(id) !== 'step', '', `${id} is no claim of type step`]),
    [proof.holds !== null && typeOf(proof.holds) !== 'text', '', `${proof.holds} is no claim of type text`],
  ])
}

const isUnknown = (name: string | null, { instructions }: TruthRule): boolean =>
  name !== null && !instructions.includes(name)

const noInstruction = (name: string | null, { instructions }: TruthRule): string =>
  `${name} is no instruction of /truth; there are: ${instructions.join(', ') || 'none'}`

/** What a run did is shown by a quote: a claim that says something of it needs one. What is said not to be there has none. */
function isUnproved(claim: ClaimRule): boolean {
  const { type, proofs, unclear, runs_of } = claim
  if (runs_of !== null) return false
  const any = proofs['any'] ?? NO_PROOF
  if (type === 'boolean') return (proofs['true'] ?? any).quote.length === 0
  if (type === 'agent') return any.agent_of === null && any.quote.length === 0
  return !(type === 'enum' && unclear === 'never') && !isCitable(claim)
}

const NEEDS_PROOF = 'needs a quote: what nothing proves is not claimed here; add true (or any): { quote: [actor, …] }'

/** What claims are to each other. */
export function rubricIssues(rubric: Rubric): Issue[] {
  const { claims, truth, about } = rubric
  const sight = sightClaim(rubric)
  const runs = 'a question about several runs has no instructions: no run saw another’s'
  return [
    ...broken('', [[about === 'runs' && truth.instructions.length > 0, '/about', runs]]),
    ...claims.flatMap((claim) => broken(`/claims/${claim.id}`, sightRules(claim, sight, truth))),
  ]
}

/** One claim says what was seen, of all instructions; what was done of them comes after it. */
function sightRules(claim: ClaimRule, sight: ClaimRule | null, { instructions }: TruthRule): Rule[] {
  const { measured_by } = claim
  const rules = Object.values(claim.proofs)
  const shown = rules.flatMap(({ shows }) => shows)
  const searched = rules.flatMap(({ finds_nothing_of }) => finds_nothing_of)
  const done = instructionDone(claim)
  const isSight = claim === sight
  const absence = proofsOf(claim, 'false')?.finds_nothing_of ?? []
  const all = instructions.join(', ')
  return [
    [shown.length > 0 && !isSight, '', `${sight?.id} already says what was seen: a rubric has one such claim`],
    [shown.length > 0 && shown.length !== instructions.length, '', `must show all instructions: ${all}`],
    [searched.length > 0 && !isSight, '', 'search_finds_nothing_of is for the claim whose true is proved by shows'],
    [
      isSight && absence.length !== instructions.length,
      '',
      `false needs { search_finds_nothing_of: [${all}] }: an absence has no quote`,
    ],
    [
      isSight && measured_by !== null && measured_by !== 'appeared',
      '/measured_by',
      `${measured_by} does not measure what was seen: appeared does`,
    ],
    [
      done !== null && measured_by === 'appeared',
      '/measured_by',
      'appeared does not measure what was done: executed does',
    ],
    [
      done !== null && sight === null,
      '',
      `what is done of ${done} is known only after it was seen: add a claim with shows`,
    ],
  ]
}

const proofsOf = ({ proofs }: ClaimRule, value: string): ProofRule | undefined =>
  Object.hasOwn(proofs, value) ? proofs[value] : undefined
