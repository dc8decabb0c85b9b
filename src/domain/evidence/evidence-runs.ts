import { baseName } from '../acts/mentions.ts'
import type { Claims } from '../rubric/claims.ts'
import type { Step } from '../trajectory/trajectory.ts'
import type { EvidenceQuestion, UnmetClaim } from './evidence-question.ts'
import { type Checked, isProof } from './evidence-question.ts'
import { claimedValue } from './evidence-unclear.ts'

/** The claims with those that code counts: in how many runs another claim has citations that hold. */
export function withCounts(
  claims: Claims,
  checked: readonly Checked[],
  { rubric, rendering }: EvidenceQuestion,
): Claims {
  const counted = rubric.claims.flatMap(({ id, runs_of, maximum }): [string, number][] => {
    if (runs_of === null) return []
    const proofs = checked.filter((one) => one.citation.supports === runs_of && isProof(one.proved))
    const runs = new Set(proofs.flatMap(({ position }) => rendering.trajectory.steps[position?.step ?? -1]?.run ?? []))
    return [[id, Math.min(runs.size, maximum)]]
  })
  return counted.length === 0 ? claims : { ...claims, values: { ...claims.values, ...Object.fromEntries(counted) } }
}

/** Integers above what a document allows: a line of it holds the name that they are about and one of the words of the rule. */
export function cappedClaims(claims: Claims, { rubric, rendering }: EvidenceQuestion): UnmetClaim[] {
  const capped = rubric.claims.filter((claim) => claim.cap !== null)
  if (capped.length === 0) return []
  const lines = rendering.trajectory.steps.filter(isDocument).flatMap(linesOf)
  return capped.flatMap((claim): UnmetClaim[] => {
    const value = claimedValue(claims, claim)
    const named = claims.values[claim.cap?.names ?? ''] ?? null
    if (claim.cap === null || typeof value !== 'number' || value <= claim.cap.maximum || typeof named !== 'string')
      return []
    const { words, maximum } = claim.cap
    const names = namesIn(named)
    const isAbout = (text: string) => names.length === 0 || names.some((name) => text.includes(name))
    const line = lines.find(
      ({ text }) => isAbout(text) && words.some((word) => text.toLowerCase().includes(word.toLowerCase())),
    )
    if (line === undefined) return []
    const reason = `claimed ${value}, but step ${line.step_id} checks ${JSON.stringify((names[0] ?? named).slice(0, 80).toWellFormed())} (${words.join(', ')}): at most ${maximum}`
    return [{ claim: claim.id, reason, step_id: line.step_id }]
  })
}

/** The last names of the paths in a locator, whatever of a shell stands around them; none: it names nothing that could be told apart. */
const namesIn = (locator: string): string[] =>
  locator
    .split(/[\s"'`|;<>()&$=,]/)
    .map((word) => baseName(word.replace(/\/+$/, '')))
    .filter((name) => name !== '' && name !== '.')

/** What stands beside the runs is of none. */
const isDocument = ({ run, parts }: Step): boolean =>
  run === undefined && parts.every(({ actor }) => actor === 'system')

const linesOf = ({ id, parts }: Step): { step_id: number; text: string }[] =>
  parts.flatMap(({ text }) => text.split('\n').map((line) => ({ step_id: id, text: line })))
