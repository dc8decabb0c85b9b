import type { Issue } from '../../result.ts'
import { splitClaim, UNCLEAR } from '../answer-schema.ts'
import type { ClaimRule, ProofRule, TruthRule } from '../rubric.ts'
import { gateIssues } from './gate-issues.ts'
import { broken, key } from './rubric-error.ts'

/** Names of the answer that are no claims. */
const TAKEN = new Set(['citations', 'notes', 'confidence'])
const MOST_ENTRIES = 50

/** Claims that a claim may name: the claims beside it, and for a claim of an entry those of its own list. */
type Scope = readonly ClaimRule[]

/** Lists the faults of a claim, of the claims that it names, and of the claims of its entries. */
export function claimIssues(claim: ClaimRule, claims: readonly ClaimRule[], truth: TruthRule): Issue[] {
  const at = `/claims/${claim.id}`
  const [group, name] = splitClaim(claim.id)
  const isTaken = TAKEN.has(group ?? name) || claims.some((claim) => claim.id === group)
  const isOfAll = [claim, ...claim.of].some((one) => one.id.split('.').some((part) => part in {}))
  return [
    ...broken(at, {
      [`${group ?? name} is the name of another member of the answer: choose another name for this claim`]: isTaken,
      'has a name that every object of JavaScript has: choose another name for it': isOfAll,
    }),
    ...ownIssues(claim, at, claims, truth),
    ...claim.of.flatMap((one) => {
      const within = `${at}/of/${one.id.slice(claim.id.length + 1)}`
      return [...ownIssues(one, within, [...claims, ...claim.of], truth), ...entryIssues(one, within)]
    }),
  ]
}

const ownIssues = (claim: ClaimRule, at: string, scope: Scope, truth: TruthRule): Issue[] => [
  ...formIssues(claim, at, scope),
  ...Object.entries(claim.proofs).flatMap(([value, proof]) => [
    ...valueIssues(claim, value, proof, `${at}/proof/${key(value)}`),
    ...nameIssues(proof, scope, truth, `${at}/proof/${key(value)}`),
  ]),
  ...broken(at, {
    [`/only_if_given ${noInstruction(claim.only_if_given, truth)}`]: isUnknown(claim.only_if_given, truth),
    '/only_if_given is for a boolean claim: remove it, or make the claim boolean':
      claim.only_if_given !== null && claim.type !== 'boolean',
  }),
  ...gateIssues(claim, at),
]

function formIssues(claim: ClaimRule, at: string, scope: Scope): Issue[] {
  const { id, type, values, minimum, maximum, only_if, of, runs_of, cap, proofs } = claim
  const hasMinimum = minimum > Number.MIN_SAFE_INTEGER
  const hasMaximum = maximum < Number.MAX_SAFE_INTEGER
  const isInteger = type === 'integer'
  const isList = type === 'list'
  const no = (what: string): string => `${what}, not a claim of type ${type}: remove it`
  return broken(at, {
    'an enum needs its values: add values: [one, other]': type === 'enum' && values.length === 0,
    [`/values ${no('only an enum has values')}`]: type !== 'enum' && values.length > 0,
    [`/values ${UNCLEAR} is a value of every claim: leave it out`]: values.includes(UNCLEAR),
    '/values any is the name of the proof of all values: name this value otherwise': values.includes('any'),
    'an integer needs a minimum and a maximum that is not below it: add minimum: 0, maximum: 3':
      isInteger && !(hasMinimum && hasMaximum && minimum <= maximum),
    [`/minimum ${no('only an integer has one')}`]: !isInteger && hasMinimum,
    [`/maximum ${no('only an integer or a list has one')}`]: !isInteger && !isList && hasMaximum,
    [`a list needs a maximum of 1 to ${MOST_ENTRIES} entries: add maximum: 20`]:
      isList && !(hasMaximum && maximum >= 1 && maximum <= MOST_ENTRIES),
    'a list needs what its entries say: add of: { name: { type: … } }': isList && of.length === 0,
    [`/of ${no('only a list has entries')}`]: !isList && of.length > 0,
    'is a list, whose name has no dot, as its entries have their own claims: rename it': isList && id.includes('.'),
    '/proof belongs to the claims of the entries: move it below of': isList && Object.keys(proofs).length > 0,
    ...nameRule('/only_if', only_if, 'boolean', scope, id),
    [`/computed ${no('only an integer is computed')}`]: runs_of !== null && !isInteger,
    [`/computed ${runs_of} is no claim: ${there(scope)}`]: runs_of !== null && !scope.some((one) => one.id === runs_of),
    [`/capped_by_document ${no('only an integer is capped')}`]: cap !== null && !isInteger,
    ...nameRule('/capped_by_document', cap?.names ?? null, 'text', scope),
  })
}

/** Makes the rule that a named claim exists and has a type. */
function nameRule(at: string, name: string | null, type: ClaimRule['type'], scope: Scope, self = '') {
  const fitting = scope.filter((one) => one.type === type && one.id !== self)
  const message = `${name} is no ${self === '' ? '' : 'other '}claim of type ${type}; ${there(fitting)}`
  return { [`${at} ${message}`]: name !== null && !fitting.some(({ id }) => id === name) }
}

const there = (claims: readonly ClaimRule[]): string =>
  `there are: ${claims.map(({ id }) => id).join(', ') || 'none'}. Name one of these, or add it to /claims`

/** Lists proofs of entries that speak of an instruction: the sight and the act of an instruction are asked once. */
const entryIssues = ({ proofs }: ClaimRule, at: string): Issue[] =>
  Object.entries(proofs).flatMap(([value, { shows, does, after, finds_nothing_of }]) =>
    broken(`${at}/proof/${key(value)}`, {
      'shows, does, after and search_finds_nothing_of are not for entries of a list: move this claim out of it':
        shows.length > 0 || finds_nothing_of.length > 0 || does !== null || after !== null,
    }),
  )

/** Lists proofs that cannot prove their value. */
function valueIssues(claim: ClaimRule, value: string, proof: ProofRule, at: string): Issue[] {
  const { type } = claim
  const { does, shows, finds_nothing_of, agent_of } = proof
  const isTrue = type === 'boolean' && value === 'true'
  const isFalse = type === 'boolean' && value === 'false'
  const named = type === 'integer' ? [`${claim.minimum} to ${claim.maximum}`] : valuesOf(claim)
  return broken(at, {
    [` ${value} is no value of this claim; there are: ${[...named, 'any'].join(', ')}`]: !isValue(claim, value),
    [`/agent_of is for a claim of type agent, and this one is of type ${type}: remove it`]:
      agent_of !== null && type !== 'agent',
    [`/shows proves that a boolean claim is true, and nothing else: ${MOVE}`]: shows.length > 0 && !isTrue,
    [`/does proves that a boolean claim is true, and nothing else: ${MOVE}`]: does !== null && !isTrue,
    '/search_finds_nothing_of proves that a boolean claim is false, and nothing else: move it to proof: { false: … }':
      finds_nothing_of.length > 0 && !isFalse,
  })
}

const MOVE = 'move it to proof: { true: … } of a boolean claim'

const valuesOf = ({ type, values }: ClaimRule): readonly string[] => (type === 'boolean' ? ['true', 'false'] : values)

function isValue(claim: ClaimRule, value: string): boolean {
  if (value === 'any' || valuesOf(claim).includes(value)) return true
  if (claim.type !== 'integer' || !/^(?:0|-?[1-9]\d{0,14})$/.test(value)) return false
  return Number(value) >= claim.minimum && Number(value) <= claim.maximum
}

function nameIssues(proof: ProofRule, scope: Scope, truth: TruthRule, path: string): Issue[] {
  const instruction = (at: string, name: string | null) => ({
    [`${at} ${noInstruction(name, truth)}`]: isUnknown(name, truth),
  })
  return [
    instruction('/after', proof.after),
    instruction('/does', proof.does),
    ...proof.shows.map((name) => instruction('/shows', name)),
    ...proof.finds_nothing_of.map((name) => instruction('/search_finds_nothing_of', name)),
    nameRule('/in_step', proof.in_step, 'step', scope),
    nameRule('/agent_of', proof.agent_of, 'step', scope),
    nameRule('/holds', proof.holds, 'text', scope),
  ].flatMap((rules) => broken(path, rules))
}

const isUnknown = (name: string | null, { instructions }: TruthRule): boolean =>
  name !== null && !instructions.includes(name)

const noInstruction = (name: string | null, { instructions }: TruthRule): string =>
  `${name} is no instruction of the truth; there are: ${instructions.join(', ') || 'none'}. Name one of these, or add ${name}: { x-kind: instruction } to /truth/properties`
