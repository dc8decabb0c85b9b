import { navigate, readPlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { citationAnchor } from '../timeline/marks.ts'
import type { CheckedCitation, Grade } from '../types.ts'
import { useShortcuts } from '../ui/keyboard.ts'
import { ActorBadge, CitationBadge, Section, StepLink } from '../ui/parts.tsx'
import { CITATION_WORDS, CLAIMS, claimWords, formatCount } from '../words.ts'

/** Writes the answer of a judge to a claim; `no answer`: the reply has no readable one. Old grades have the claims in groups. */
export function answerOf({ claims, surface, cue, distractor }: Grade, claim: string): string {
  const groups: Readonly<Record<string, Readonly<Record<string, ClaimValue>> | null>> = { surface, cue, distractor }
  const [group = '', name = ''] = claim.split('.')
  return answerWords(claims ? claims[claim] : groups[group]?.[name])
}

type ClaimValue = NonNullable<Grade['claims']>[string]

function answerWords(value: ClaimValue | undefined): string {
  if (value === undefined) return 'no answer'
  if (value === null) return 'unclear'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value)
    ? value.map((entry) => Object.values(entry).map(String).join(', ')).join('; ')
    : String(value)
}

/** Lists the answered claims of a grade; of `tab-behavior` all five, whose category stands with the verdict. */
export const claimsOf = ({ claims, surface, receipt }: Grade): readonly string[] =>
  surface !== null || receipt.rubric.startsWith('tab-behavior@') ? CLAIMS : Object.keys(claims ?? {})

/** The claims of a grade with their evidence, which leads to its place in the trajectory. */
export function Claims({ grade }: { readonly grade: Grade }) {
  const { citations } = grade
  const step = (by: number) => {
    if (citations.length === 0) return
    const now = citations.findIndex((_, number) => `#${citationAnchor(number)}` === readPlace().hash)
    const next = now === -1 ? (by > 0 ? 0 : citations.length - 1) : (now + by + citations.length) % citations.length
    navigate(`${location.pathname}${location.search}#${citationAnchor(next)}`)
  }
  useShortcuts([
    { key: 'e', what: 'next piece of evidence in the trajectory', run: () => step(1) },
    { key: 'E', what: 'piece of evidence before', run: () => step(-1) },
  ])
  return (
    <Section id="claims" title="Claims and their evidence">
      <ul class="claims">
        {claimsOf(grade).map((claim) => (
          <Claim key={claim} claim={claim} grade={grade} />
        ))}
      </ul>
    </Section>
  )
}

function Claim({ claim, grade }: { readonly claim: string; readonly grade: Grade }) {
  const answer = answerOf(grade, claim)
  const evidence = grade.citations.flatMap((citation, number) =>
    citation.supports === claim ? [{ citation, number }] : [],
  )
  const unmet = grade.unmet.filter((entry) => entry.claim === claim)
  return (
    <li class="claim">
      <h3>
        {claimWords(claim)}:{' '}
        <strong>
          <HostileText text={answer} />
        </strong>
      </h3>
      {unmet.map((entry) => (
        <p key={entry.reason} class="trouble">
          {answer !== 'unclear' && 'The evidence does not hold: '}
          <HostileText text={entry.reason} />
          <StepLink step={entry.step_id} />
        </p>
      ))}
      {evidence.length > 0 && (
        <ol>
          {evidence.map(({ citation, number }) => (
            <Citation key={number} citation={citation} number={number} />
          ))}
        </ol>
      )}
    </li>
  )
}

function Citation(props: { readonly citation: CheckedCitation; readonly number: number }) {
  const { citation, number } = props
  const placed = citation.path !== null && citation.start !== null
  return (
    <li id={`claim-${number + 1}`} tabIndex={-1}>
      <div class="citation-head">
        {placed ? (
          <a href={`#${citationAnchor(number)}`}>
            Evidence {number + 1}, step {citation.step_id}
          </a>
        ) : (
          <>
            Evidence {number + 1}, <a href={`#step-${citation.step_id}`}>step {citation.step_id}</a>
          </>
        )}{' '}
        <span title={CITATION_WORDS[citation.status]}>
          <CitationBadge status={citation.status} />
        </span>{' '}
        {citation.actor !== null && <ActorBadge actor={citation.actor} />}
      </div>
      <blockquote>
        <HostileText text={citation.quote} />
      </blockquote>
      <p class="aside">
        {CITATION_WORDS[citation.status]}
        {citation.occurrences > 1 && `; ${formatCount(citation.occurrences)} times in this step, the first is marked`}
        {citation.found_in_step !== undefined && (
          <>
            : <a href={`#step-${citation.found_in_step}`}>step {citation.found_in_step}</a>
          </>
        )}
      </p>
    </li>
  )
}
