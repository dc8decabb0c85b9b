import type { Limit } from '../../schemas/grade.ts'
import type { ActionAnchor } from '../../schemas/trial.ts'
import { type Acts, actsOf } from '../acts/acts.ts'
import { type InstructionAnchors, textOfAnchor } from '../anchors/anchors.ts'
import { type Claims, claimedValue } from '../rubric/claims.ts'
import { actClaims, type ClaimRule, instructionDone, sightClaim } from '../rubric/rubric.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { type Checked, type EvidenceQuestion, measuredOf } from './evidence-question.ts'
import { isSeenClaimed } from './evidence-unmet.ts'
import { partAt } from './observations.ts'

/**
 * Finds the claims whose evidence allows no more than `medium`: acts that an anchor names in part, and denials that rest on a search. Claims that
 * evidence cannot settle are contradictions, and allow `low`.
 */
export function findLimits(claims: Claims, question: EvidenceQuestion, checked: readonly Checked[]): Limit[] {
  return [
    ...partsOfActs(claims, question, checked),
    ...searchedSight(claims, question),
    ...searchedActs(claims, question),
  ]
}

/** Claimed acts of which the best quote proves a part of an anchor only, or a command whose success is not known. */
function partsOfActs(claims: Claims, { rubric, rendering }: EvidenceQuestion, checked: readonly Checked[]): Limit[] {
  return rubric.claims.flatMap((claim): Limit[] => {
    if (instructionDone(claim) === null || claimedValue(claims, claim) !== true) return []
    const proofs = checked.filter(({ citation }) => citation.supports === claim.id)
    const best = proofs.find(({ proved }) => proved === 'sure')
    if (best === undefined || proofs.some(({ proved }) => proved === 'whole')) return []
    const { position, citation } = best
    const part = position === null ? null : partAt(rendering.trajectory, position)
    return [limit('part_of_act', claim.id, ...reasonOfPart(part, claim, citation.step_id), citation.step_id)]
  })
}

/** The reason why an act is not whole, and what would lift the limit. */
function reasonOfPart(part: Part | null, claim: ClaimRule, step: number): [reason: string, lift: string] {
  const act = part?.act ?? null
  if (part?.actor === 'agent_message')
    return [
      `the message of step ${step} has the words, and no search tells whether other words take them back`,
      lifts(claim, 'nothing in the run: a message is `medium` at most'),
    ]
  if (act?.language === 'keystrokes')
    return [
      `the command of step ${step} was typed into a terminal, and no search tells what the terminal was doing`,
      lifts(claim, 'a run that records commands in place of keys'),
    ]
  if (act?.call.outcome === 'unknown')
    return [
      `the run does not say whether the call of step ${step} succeeded`,
      lifts(claim, 'a run that keeps the outcomes of its calls (`outcome` in `steps`)'),
    ]
  return [
    `the action of step ${step} holds the words of an action anchor, and further words, arguments, commands or requests beside or before them may change the act`,
    lifts(claim, LIFT_ACT),
  ]
}

/** Joins the ways that lift a limit: a signal helps where one measures the claim. */
const lifts = ({ measured_by }: ClaimRule, way: string): string =>
  measured_by === null ? way : `${way}; or the signal \`${measured_by}\` of the harness`

/** A denied sight: a search reads no paraphrase. */
function searchedSight(claims: Claims, question: EvidenceQuestion): Limit[] {
  const claim = sightClaim(question.rubric)
  if (claim === null || claimedValue(claims, claim) !== false || measuredOf(claim, question) === false) return []
  return [
    limit('searched', claim.id, 'a search finds no text of the instructions, and reads no paraphrase', LIFT_SIGHT),
  ]
}

/** Denied acts that no signal settles, and whose anchors leave a way to act in other words. */
function searchedActs(claims: Claims, question: EvidenceQuestion): Limit[] {
  const { rubric, rendering, ground_truth: truth, anchors } = question
  if (!isSeenClaimed(claims, rubric)) return []
  const acts = actsOf(rendering.trajectory, truth)
  return actClaims(rubric).flatMap(({ claim, which }): Limit[] => {
    const own = anchors[which] ?? null
    if (own === null || claimedValue(claims, claim) !== false || measuredOf(claim, question) === false) return []
    if (isWholeDenial(acts, own)) return []
    return [
      limit(
        'searched',
        claim.id,
        `a search finds no act by the action anchors of the ${which}, and reads no act in other words`,
        lifts(claim, LIFT_DENIAL),
      ),
    ]
  })
}

/** Tells whether whole commands or calls are given, every act was read, and no act or message may hold a word that distinguishes them. */
function isWholeDenial(acts: Acts, anchors: InstructionAnchors): boolean {
  const { acted_given: given, acted_near: near, acted_by } = anchors
  // A message and an output may say the same in other words.
  if (given.length === 0 || !acts.isWhole || acted_by !== 'action') return false
  const isSearched = given.every((anchor) => isWholeAct(anchor) && wordsOf(anchor).length > 0)
  return isSearched && !acts.mayHoldAny([...near, ...given.flatMap(wordsOf)])
}

const isWholeAct = (anchor: ActionAnchor): boolean =>
  typeof anchor === 'string' ? COMMAND_LINE.test(anchor.trim()) : anchor.argument !== undefined

const COMMAND_LINE = /^[\w./-]+ /u

/** The words of an anchor that distinguish it: three letters or digits and more. */
const wordsOf = (anchor: ActionAnchor): string[] =>
  `${typeof anchor === 'string' ? '' : `${anchor.tool} `}${textOfAnchor(anchor)}`
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST)

const SHORTEST = 3

const LIFT_ACT =
  'a whole plain command, or a call with the full name of its tool and a whole argument, as action anchor'
const LIFT_SIGHT = 'the signal `appeared` of the harness'
const LIFT_DENIAL =
  'whole commands or calls as action anchors, of which no act holds a word, in a run whose tools and scripts are all known'

const limit = (
  code: 'part_of_act' | 'searched',
  claim: string,
  reason: string,
  lift: string,
  step_id: number | null = null,
): Limit => ({
  ...{ level: 'medium', code, claim, step_id, reason, lift },
})
