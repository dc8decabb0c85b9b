import type { Issue } from '../../result.ts'
import { splitClaim, UNCLEAR } from '../answer-schema.ts'
import type { ClaimRule, ProofRule, TruthRule } from '../rubric.ts'
import { gateIssues } from './gate-issues.ts'
import { broken, key, type Rule } from './rubric-error.ts'

/** Names of the answer that are no claims. */
const TAKEN = new Set(['citations', 'notes', 'confidence'])
const MOST_ENTRIES = 50

/** Claims that a claim may name: the claims beside it, and for a claim of an entry those of its own list. */
type Scope = readonly ClaimRule[]

/** Lists the faults of a claim, of the claims that it names, and of the claims of its entries. */
export function claimIssues(claim: ClaimRule, claims: readonly ClaimRule[], truth: TruthRule): Issue[] {
  const at = `/claims/${claim.id}`
  const [group, name] = splitClaim(claim.id)
  const isTaken = TAKEN.has(group ?? name) || claims.some((one) => one.id === group)
  const isOfAll = [claim, ...claim.of].some((one) => one.id.split('.').some((part) => part in {}))
  return [
    ...broken(at, [
      [isTaken, `${group ?? name} is the name of another member of the answer: choose another name for this claim`],
      [isOfAll, 'has a name that every object of JavaScript has: choose another name for it'],
    ]),
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
  ...broken(`${at}/only_if_given`, [
    [isUnknown(claim.only_if_given, truth), noInstruction(claim.only_if_given, truth)],
    [
      claim.only_if_given !== null && claim.type !== 'boolean',
      'is for a boolean claim: remove it, or make the claim boolean',
    ],
  ]),
  ...gateIssues(claim, at),
]

function formIssues(claim: ClaimRule, at: string, scope: Scope): Issue[] {
  const { id, type, values, minimum, maximum, only_if, of, runs_of, cap, proofs } = claim
  const hasMinimum = minimum > Number.MIN_SAFE_INTEGER
  const hasMaximum = maximum < Number.MAX_SAFE_INTEGER
  const isInteger = type === 'integer'
  const isList = type === 'list'
  const no = (what: string): string => `${what}, not a claim of type ${type}: remove it`
  return broken(at, [
    [type === 'enum' && values.length === 0, 'an enum needs its values: add values: [one, other]'],
    [type !== 'enum' && values.length > 0, no('only an enum has values'), '/values'],
    [values.includes(UNCLEAR), `${UNCLEAR} is a value of every claim: leave it out`, '/values'],
    [values.includes('any'), 'any is the name of the proof of all values: name this value otherwise', '/values'],
    [
      isInteger && !(hasMinimum && hasMaximum && minimum <= maximum),
      'an integer needs a minimum and a maximum that is not below it: add minimum: 0, maximum: 3',
    ],
    [!isInteger && hasMinimum, no('only an integer has one'), '/minimum'],
    [!isInteger && !isList && hasMaximum, no('only an integer or a list has one'), '/maximum'],
    [
      isList && !(hasMaximum && maximum >= 1 && maximum <= MOST_ENTRIES),
      `a list needs a maximum of 1 to ${MOST_ENTRIES} entries: add maximum: 20`,
    ],
    [isList && of.length === 0, 'a list needs what its entries say: add of: { name: { type: … } }'],
    [!isList && of.length > 0, no('only a list has entries'), '/of'],
    [isList && id.includes('.'), 'is a list, whose name has no dot, as its entries have their own claims: rename it'],
    [isList && Object.keys(proofs).length > 0, 'belongs to the claims of the entries: move it below of', '/proof'],
    nameRule('/only_if', only_if, 'boolean', scope, id),
    [runs_of !== null && !isInteger, no('only an integer is computed'), '/computed'],
    [
      runs_of !== null && !scope.some((one) => one.id === runs_of),
      `${runs_of} is no claim: ${there(scope)}`,
      '/computed',
    ],
    [cap !== null && !isInteger, no('only an integer is capped'), '/capped_by_document'],
    nameRule('/capped_by_document', cap?.names ?? null, 'text', scope),
  ])
}

/** Makes the rule that a named claim exists and has a type. */
function nameRule(at: string, name: string | null, type: ClaimRule['type'], scope: Scope, self = ''): Rule {
  const fitting = scope.filter((one) => one.type === type && one.id !== self)
  const message = `${name} is no ${self === '' ? '' : 'other '}claim of type ${type}; ${there(fitting)}`
  return [name !== null && !fitting.some(({ id }) => id === name), message, at]
}

const there = (claims: readonly ClaimRule[]): string =>
  `there are: ${claims.map(({ id }) => id).join(', ') || 'none'}. Name one of these, or add it to /claims`

/** Lists proofs of entries that speak of an instruction: the sight and the act of an instruction are asked once. */
const entryIssues = ({ proofs }: ClaimRule, at: string): Issue[] =>
  Object.entries(proofs).flatMap(([value, { shows, does, after, finds_nothing_of }]) =>
    broken(`${at}/proof/${key(value)}`, [
      [
        shows.length > 0 || finds_nothing_of.length > 0 || does !== null || after !== null,
        'shows, does, after and search_finds_nothing_of are not for entries of a list: move this claim out of it',
      ],
    ]),
  )

/** Lists proofs that cannot prove their value. */
function valueIssues(claim: ClaimRule, value: string, proof: ProofRule, at: string): Issue[] {
  const { type } = claim
  const { does, shows, finds_nothing_of, agent_of } = proof
  const isTrue = type === 'boolean' && value === 'true'
  const isFalse = type === 'boolean' && value === 'false'
  const named = type === 'integer' ? [`${claim.minimum} to ${claim.maximum}`] : valuesOf(claim)
  return broken(at, [
    [!isValue(claim, value), `${value} is no value of this claim; there are: ${[...named, 'any'].join(', ')}`],
    [
      agent_of !== null && type !== 'agent',
      `is for a claim of type agent, and this one is of type ${type}: remove it`,
      '/agent_of',
    ],
    [shows.length > 0 && !isTrue, `proves that a boolean claim is true, and nothing else: ${MOVE}`, '/shows'],
    [does !== null && !isTrue, `proves that a boolean claim is true, and nothing else: ${MOVE}`, '/does'],
    [
      finds_nothing_of.length > 0 && !isFalse,
      'proves that a boolean claim is false, and nothing else: move it to proof: { false: … }',
      '/search_finds_nothing_of',
    ],
  ])
}

const MOVE = 'move it to proof: { true: … } of a boolean claim'

const valuesOf = ({ type, values }: ClaimRule): readonly string[] => (type === 'boolean' ? ['true', 'false'] : values)

function isValue(claim: ClaimRule, value: string): boolean {
  if (value === 'any' || valuesOf(claim).includes(value)) return true
  if (claim.type !== 'integer' || !/^(?:0|-?[1-9]\d{0,14})$/.test(value)) return false
  return Number(value) >= claim.minimum && Number(value) <= claim.maximum
}

function nameIssues(proof: ProofRule, scope: Scope, truth: TruthRule, path: string): Issue[] {
  const instruction = (at: string, name: string | null): Rule => [
    isUnknown(name, truth),
    noInstruction(name, truth),
    at,
  ]
  return broken(path, [
    instruction('/after', proof.after),
    instruction('/does', proof.does),
    ...proof.shows.map((name) => instruction('/shows', name)),
    ...proof.finds_nothing_of.map((name) => instruction('/search_finds_nothing_of', name)),
    nameRule('/in_step', proof.in_step, 'step', scope),
    nameRule('/agent_of', proof.agent_of, 'step', scope),
    nameRule('/holds', proof.holds, 'text', scope),
  ])
}

const isUnknown = (name: string | null, { instructions }: TruthRule): boolean =>
  name !== null && !instructions.includes(name)

const noInstruction = (name: string | null, { instructions }: TruthRule): string =>
  `${name} is no instruction of the truth; there are: ${instructions.join(', ') || 'none'}. Name one of these, or add ${name}: { x-kind: instruction } to /truth/properties`
