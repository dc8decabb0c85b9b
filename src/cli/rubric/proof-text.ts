import { unproved } from '../../domain/rubric/load/gate-issues.ts'
import type { ClaimRule, ProofRule } from '../../domain/rubric/rubric.ts'

/** Renders the possible answers of a claim. */
export function answersOf({ type, values, minimum, maximum, runs_of }: ClaimRule): string {
  if (runs_of !== null) return `${minimum} to ${maximum}, counted`
  if (type === 'boolean') return 'yes, no'
  if (type === 'enum') return values.join(', ')
  if (type === 'integer') return `${minimum} to ${maximum}`
  if (type === 'list') return `up to ${maximum} entries`
  return type === 'step' ? 'a step of the run' : type === 'agent' ? 'an agent of the run' : 'a text of the run'
}

/** Renders the proof of each value of a claim, a line each. */
export function proofLines(claim: ClaimRule): string[] {
  const { type, proofs, runs_of, cap } = claim
  if (type === 'list') return ['its entries, each by its own claims']
  if (runs_of !== null) return [`the runs in which ${runs_of} is proved`]
  const rules = Object.entries(proofs).filter(([, rule]) => textOf(rule) !== '')
  const lines = rules.map(([value, rule]) => `${value}: ${textOf(rule)}`)
  const bare = unproved(claim).filter((value) => value !== 'others')
  const open = bare.length > 1 ? 'any' : bare[0]
  return [
    ...lines,
    ...(open === undefined ? [] : [`${open}: no quote`]),
    ...(cap === null
      ? []
      : [`at most ${cap.maximum} where a line of a document holds ${cap.names} and one of ${cap.words.join(', ')}`]),
  ]
}

const textOf = ({ quote, in_step, after, shows, does, finds_nothing_of, agent_of, holds }: ProofRule): string =>
  [
    ...(quote.length > 0 ? [`a quote of ${quote.join(', ')}`] : []),
    ...(in_step === null ? [] : [`in the step that ${in_step} names`]),
    ...(holds === null ? [] : [`that holds ${holds}`]),
    ...(shows.length > 0 ? [`that shows ${shows.join(' or ')}`] : []),
    ...(does === null ? [] : [`that carries out ${does}, after it was seen`]),
    ...(after === null ? [] : [`after the first sight of ${after}`]),
    ...(agent_of === null ? [] : [`held against the agent of the step that ${agent_of} names`]),
    ...(finds_nothing_of.length > 0 ? [`a search finds nothing of ${finds_nothing_of.join(', ')}`] : []),
  ].join(' ')
