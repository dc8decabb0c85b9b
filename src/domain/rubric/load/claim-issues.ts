import type { Signal } from '../../../schemas/trial.ts'
import type { Actor } from '../../../schemas/vocabulary.ts'
import type { Issue } from '../../result.ts'
import { UNCLEAR } from '../answer.ts'
import { splitClaim } from '../claims.ts'
import type { ClaimRule, ProofRule, Rubric, TruthRule } from '../rubric.ts'
import { allClaims, instructionDone, isCitable, sightClaim } from '../rubric.ts'
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

// No rubric may loosen the gate: data can only restrict the proofs of a claim. Whatever loads, at the most one value of a claim needs no quote, the one
// that says that nothing was found; what was seen never rests on the agent’s words, and a deed never on what came back or was only thought.
const ownIssues = (claim: ClaimRule, at: string, scope: Scope, truth: TruthRule): Issue[] => [
  ...formIssues(claim, at, scope, truth),
  ...Object.entries(claim.proofs).flatMap(([value, proof]) => {
    const path = `${at}/proof/${key(value)}`
    return [
      ...valueIssues(claim, value, proof, path),
      ...nameIssues(proof, scope, truth, path),
      ...quoteIssues(proof, path),
    ]
  }),
  ...unprovedIssues(claim, at),
  ...measureIssues(claim, at),
]

function formIssues(claim: ClaimRule, at: string, scope: Scope, truth: TruthRule): Issue[] {
  const { id, type, values, minimum, maximum, only_if, only_if_given, of, runs_of, cap, proofs } = claim
  const named = Object.values(proofs).flatMap(({ after, does }) => [after, does].filter((one) => one !== null))
  const others = idsOf(scope, 'boolean').filter((one) => one !== id)
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
    ...nameRule('/only_if', only_if, 'other claim of type boolean', others),
    ...instructionRule('/only_if_given', only_if_given, truth),
    '/only_if_given is for a boolean claim: remove it, or make the claim boolean':
      only_if_given !== null && type !== 'boolean',
    [`/computed ${no('only an integer is computed')}`]: runs_of !== null && !isInteger,
    ...nameRule('/computed', runs_of, 'claim', idsOf(scope)),
    [`/capped_by_document ${no('only an integer is capped')}`]: cap !== null && !isInteger,
    ...nameRule('/capped_by_document', cap?.names ?? null, 'claim of type text', idsOf(scope, 'text')),
    // A quote of a claim is dated by one instruction: another instruction, seen earlier, would let an act count that came before its own sight.
    [`/proof after and does of one claim name one instruction, not ${named.join(' and ')}: make it two claims`]:
      new Set(named).size > 1,
  })
}

/** Makes the rule that a name is one of those that fit. */
const nameRule = (at: string, name: string | null, what: string, names: readonly string[], more = 'it to /claims') => ({
  [`${at} ${name} is no ${what}; there are: ${names.join(', ') || 'none'}. Name one of these, or add ${more}`]:
    name !== null && !names.includes(name),
})

const instructionRule = (at: string, name: string | null, { instructions }: TruthRule) =>
  nameRule(at, name, 'instruction of the truth', instructions, `${name}: { x-kind: instruction } to /truth/properties`)

/** Lists the ids of the claims of a type; of all, where none is named. */
const idsOf = (claims: Scope, type?: ClaimRule['type']): string[] =>
  claims.flatMap((one) => (type === undefined || one.type === type ? one.id : []))

/** Lists proofs of entries that speak of an instruction: the sight and the act of an instruction are asked once. */
const entryIssues = ({ proofs }: ClaimRule, at: string): Issue[] =>
  Object.entries(proofs).flatMap(([value, { shows, does, after, finds_nothing_of, in_order }]) =>
    broken(`${at}/proof/${key(value)}`, {
      'shows, does, after, in_order and search_finds_nothing_of are not for entries of a list: move this claim out of it':
        [...shows, ...finds_nothing_of, ...in_order].length > 0 || does !== null || after !== null,
    }),
  )

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

function nameIssues(proof: ProofRule, scope: Scope, truth: TruthRule, at: string): Issue[] {
  const steps = idsOf(scope, 'step')
  const citing = scope.flatMap((one) => (one.type !== 'list' && isCitable(one) ? one.id : []))
  return [
    instructionRule('/after', proof.after, truth),
    instructionRule('/does', proof.does, truth),
    ...proof.shows.map((name) => instructionRule('/shows', name, truth)),
    ...proof.finds_nothing_of.map((name) => instructionRule('/search_finds_nothing_of', name, truth)),
    nameRule('/in_step', proof.in_step, 'claim of type step', steps),
    ...proof.in_order.map((name) => nameRule('/in_order', name, 'claim that cites a step', citing)),
    nameRule('/agent_of', proof.agent_of, 'claim of type step', steps),
    nameRule('/holds', proof.holds, 'claim of type text', idsOf(scope, 'text')),
  ].flatMap((rules) => broken(at, rules))
}

/** The agent’s words about itself, which are no deed. */
const WORDS: readonly Actor[] = ['agent_message', 'agent_reasoning']
/** Actors whose text comes to the agent. */
const INCOMING: readonly Actor[] = ['tool_output', 'user', 'system']

function quoteIssues(proof: ProofRule, path: string): Issue[] {
  const { quote, shows, does, after, in_step, holds, finds_nothing_of, in_order } = proof
  const wrong = (isMeant: boolean, actors: readonly Actor[], what: string): Issue[] =>
    quote.flatMap((actor) =>
      broken(path, {
        [`/quote ${actor} can never prove ${what}: remove it from the list`]: isMeant && actors.includes(actor),
      }),
    )
  const needsQuote = [does, after, in_step, holds].some((one) => one !== null) || shows.length + in_order.length > 0
  const beside = 'does not go with shows, which finds its place by itself: remove it'
  return [
    ...broken(path, {
      'has no quote that it could be checked by: add quote: [actor, …]': needsQuote && quote.length === 0,
      '/after is what does means already: remove it': does !== null && after !== null,
      [`/in_step ${beside}`]: shows.length > 0 && in_step !== null,
      [`/holds ${beside}`]: shows.length > 0 && holds !== null,
      'search_finds_nothing_of stands alone, as an absence has no quote: remove the rest':
        finds_nothing_of.length > 0 && (needsQuote || quote.length > 0),
    }),
    ...wrong(shows.length > 0, [...WORDS, 'agent_action'], 'that something was seen'),
    ...wrong(does !== null, [...INCOMING, 'agent_reasoning'], 'that something was done'),
    ...wrong(after !== null && does === null, INCOMING, 'what the agent said or did after it saw something'),
  ]
}

const MOST_NAMED = 100

/** Lists the values of a claim that no quote has to prove; `others`: all that have no rule of their own. */
export function unproved({ type, values, minimum, maximum, proofs, runs_of }: ClaimRule): readonly string[] {
  if (type === 'list' || runs_of !== null) return []
  const integers = maximum - minimum < MOST_NAMED ? maximum - minimum + 1 : 0
  const named = type === 'boolean' ? ['true', 'false'] : type === 'enum' ? values : []
  const all = type === 'integer' ? Array.from({ length: integers }, (_, index) => String(minimum + index)) : named
  const needs = (rule: ProofRule | undefined): boolean =>
    rule !== undefined && (rule.quote.length > 0 || rule.agent_of !== null || rule.finds_nothing_of.length > 0)
  if (all.length === 0)
    return [
      ...(needs(proofs['any']) ? [] : ['others']),
      ...Object.keys(proofs).filter((value) => value !== 'any' && !needs(proofs[value])),
    ]
  return all.filter((value) => !needs(Object.hasOwn(proofs, value) ? proofs[value] : proofs['any']))
}

/** Lists values without a proof: a single value may say that nothing was found, as an absence has no quote; of a boolean that is false. */
function unprovedIssues(claim: ClaimRule, at: string): Issue[] {
  const { id, type, proofs, unclear } = claim
  // Told for the statistics alone: it decides no outcome.
  if (type === 'enum' && unclear === 'never' && !isCitable(claim)) return []
  const bare = unproved(claim)
  const path = Object.keys(proofs).length > 0 ? '/proof' : ''
  const isOpen = type === 'boolean' ? bare.includes('true') : bare.length > (bare.includes('others') ? 0 : 1)
  const isHeld = Object.values(proofs).every(({ holds }) => holds === id)
  const isThere = Object.values(proofs).every(({ in_step }) => in_step === id)
  return broken(at, {
    [`${path} nothing proves ${listed(bare)}: ${ADD[type] ?? ADD_ANY}`]: isOpen,
    [`/proof a text is proved by a quote that holds it: add holds: ${id}`]: type === 'text' && !isOpen && !isHeld,
    [`/proof a step is proved by a quote in it: add in_step: ${id}`]: type === 'step' && !isOpen && !isThere,
  })
}

/** Names few values; else the claim. */
const listed = (bare: readonly string[]): string =>
  bare.includes('others') || bare.length > MOST_LISTED ? 'it' : bare.filter((one) => one !== 'false').join(', ')

const MOST_LISTED = 10
const ADD_ANY =
  'add proof: { any: { quote: [actor, …] } }; one value, which says that nothing was found, may do without'
const ADD: Readonly<Partial<Record<ClaimRule['type'], string>>> = {
  boolean: 'add proof: { true: { quote: [actor, …] } }',
  agent: 'add proof: { any: { agent_of: STEP } }, where STEP is a claim of type step',
  step: 'add proof: { any: { quote: [actor, …], in_step: STEP } }, where STEP is this claim',
  text: 'add proof: { any: { quote: [actor, …], holds: TEXT } }, where TEXT is this claim',
}

/** Lists signals that measure another claim: a signal stands above a search and may settle only the claim that says the same. */
function measureIssues(claim: ClaimRule, at: string): Issue[] {
  const { type, measured_by } = claim
  if (measured_by === null) return []
  const isSight = shown(claim).length > 0
  const isAct = instructionDone(claim) !== null
  const says: Readonly<Record<Signal, readonly [isSo: boolean, what: string]>> = {
    appeared: [isSight, 'appeared measures the claim that is proved by shows'],
    executed: [isAct, 'executed measures a claim that is proved by does'],
    resolved: [!isSight && !isAct, 'resolved measures no claim that is proved by shows or does'],
  }
  const [isSo, what] = says[measured_by]
  return broken(`${at}/measured_by`, {
    'is for a boolean claim: remove it': type !== 'boolean',
    [`${what}: remove it here`]: type === 'boolean' && !isSo,
  })
}

const shown = ({ proofs }: ClaimRule): string[] => Object.values(proofs).flatMap(({ shows }) => [...shows])

export function togetherIssues(rubric: Pick<Rubric, 'about' | 'claims' | 'truth'>): Issue[] {
  const { about, claims, truth } = rubric
  const sight = sightClaim(rubric)
  const all = truth.instructions.join(', ')
  const ofRuns = broken('/about', {
    [`several runs have no instructions, as no run saw another’s: remove about, or ${all} from /truth/properties`]:
      about === 'runs' && all !== '',
    'the steps of several runs have no order: remove about, or in_order from the proofs':
      about === 'runs' &&
      allClaims(claims).some(({ proofs }) => Object.values(proofs).some((one) => one.in_order.length > 0)),
  })
  const ofClaims = claims.flatMap((claim) => {
    const { id, proofs } = claim
    const seen = shown(claim)
    const searched = Object.values(proofs).flatMap(({ finds_nothing_of }) => finds_nothing_of)
    const done = instructionDone(claim)
    return broken(`/claims/${id}`, {
      [`/proof ${sight?.id} already says what was seen: a rubric has one such claim; remove shows here, or use after`]:
        seen.length > 0 && claim !== sight,
      [`/proof/true/shows the one claim of what was seen shows all instructions of the truth: write [${all}]`]:
        seen.length > 0 && claim === sight && seen.length !== truth.instructions.length,
      '/proof/false search_finds_nothing_of is for the claim whose true is proved by shows: remove it, or add shows there':
        searched.length > 0 && claim !== sight,
      [`/proof an absence has no quote: add false: { search_finds_nothing_of: [${all}] }`]:
        claim === sight && searched.length !== truth.instructions.length,
      [`/proof/true/does what is done of ${done} is known only after it was seen: add a boolean claim with true: { quote: [tool_output], shows: [${all}] }`]:
        done !== null && sight === null,
    })
  })
  return [...ofRuns, ...ofClaims, ...circleIssues(claims)]
}

/** Finds claims that can never hold, since each comes before the next and the last before the first. A claim with several proofs may hold by another. */
function circleIssues(claims: readonly ClaimRule[]): Issue[] {
  const orders = claims.flatMap(({ id, proofs }) => {
    const [only, ...others] = Object.values(proofs).filter(({ quote }) => quote.length > 0)
    return only?.in_order.includes(id) && others.length === 0 ? [only.in_order] : []
  })
  return claims.flatMap(({ id }) => {
    const behind = new Set([id])
    let isBehindItself = false
    for (const name of behind)
      for (const [first, second = ''] of orders) {
        if (first !== name) continue
        isBehindItself ||= second === id
        behind.add(second)
      }
    return broken(`/claims/${id}/proof`, {
      [`/in_order ${id} would have to come before itself: remove in_order from one claim of this circle`]:
        isBehindItself,
    })
  })
}
