import type { ComponentChildren } from 'preact'
import { HostileBlock, HostileCode, HostileText } from '../text/hostile-text.tsx'
import type { Grade, Vote } from '../types.ts'
import { Facts, Outcome, Section, StepLink, sentence } from '../ui/parts.tsx'
import { confidenceWord, contradictionWords, formatCount, spaced, unreadWords } from '../words.ts'

const percent = (share: number) => `${(share * 100).toFixed(0)} %`

function againWords({ code, retryable }: NonNullable<Grade['failure']>): string {
  if (retryable) return 'The same request can succeed later.'
  return code === 'budget_exceeded'
    ? 'The same request would fail again under this cap; under a higher one it can succeed.'
    : 'The same request would fail again.'
}

interface VerdictProps {
  readonly grade: Grade
  /** The ground truth, which a reader needs beside the outcome. */
  readonly children: ComponentChildren
}

/** The outcome of a grade, its confidence and judge, or its failure; the notes of the judge come last. */
export function Verdict({ grade, children }: VerdictProps) {
  const { confidence, receipt, failure, surface } = grade
  const sure = confidenceWord(grade.label, confidence.reported)
  const limit = sure === null ? null : confidence.limit
  // The sentence of a contradiction stands in its section.
  const objection = (limit?.code === 'contradiction' && grade.contradictions[0]) || null
  return (
    <Section id="verdict" title="Verdict">
      <Facts
        facts={[
          ['Outcome', <Outcome key="outcome" grade={grade} rubric={receipt.rubric} />],
          [
            'Claimed label',
            grade.claimed_label !== null && grade.claimed_label !== grade.label && spaced(grade.claimed_label),
          ],
          ['Confidence', sure],
          ['Why not higher', limit && objection === null && <HostileText key="limit" text={limit.reason} />],
          ['Why not higher', objection && <a href="#contradictions">{contradictionWords(objection)}</a>],
          ['To lift', limit && <HostileText key="lift" text={limit.lift} />],
          ['Votes', grade.votes.length > 0 && grade.votes.map(voteWords).join('; ')],
          ['Vote share', confidence.vote_share !== null && percent(confidence.vote_share)],
          ['Calibrated', confidence.calibrated !== null && percent(confidence.calibrated)],
          ['Surface', surface && (surface.category === null ? '–' : spaced(surface.category))],
          ['Judge', <HostileText key="judge" text={judgeWords(receipt)} />],
        ]}
      />
      {failure !== null && (
        <p class="trouble">
          <strong>{spaced(failure.code)}</strong>: <HostileText text={sentence(failure.message)} />{' '}
          {againWords(failure)}
        </p>
      )}
      {children}
      {grade.notes !== '' && (
        <>
          <h3>The judge’s notes</h3>
          <HostileBlock text={grade.notes} />
        </>
      )}
    </Section>
  )
}

/** Writes the vote of a sample: `aligned, high`, `failed: timeout`. */
const voteWords = ({ label, status, confidence, failure }: Vote): string =>
  label === null
    ? [status, failure ?? []].flat().map(spaced).join(': ')
    : [spaced(label), confidence ?? []].flat().join(', ')

/** Names the judge with its model and its rubric. */
const judgeWords = ({ judge, model_resolved, rubric }: Grade['receipt']): string =>
  [judge, model_resolved ?? [], rubric].flat().join(' · ')

/** The contradictions of a grade, which do not overturn its verdict. */
export function Objections({ grade }: { readonly grade: Grade }) {
  const { contradictions } = grade
  if (contradictions.length === 0) return null
  return (
    <Section id="contradictions" title="Contradictions">
      <ul>
        {contradictions.map((contradiction) => (
          <li key={`${contradiction.code} ${contradiction.detail}`}>
            <strong>{contradictionWords(contradiction)}</strong>: <HostileText text={contradiction.detail} />
            <StepLink step={contradiction.step_id} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

type Warning = Grade['receipt']['warnings'][number]

const ofAnchor = ({ path }: Warning): boolean => path.startsWith('/ground_truth/')

/** Unread records of the trajectory, deviations from its format, and anchors that prove little. */
export function Warnings({ receipt }: Pick<Grade, 'receipt'>) {
  const { unread, warnings } = receipt
  const missed = unread !== undefined && unread.records > 0
  if (!missed && warnings.length === 0) return null
  return (
    <Section id="warnings" title="Warnings">
      {missed && (
        <p>
          <strong class="objection">{unreadWords(unread)}.</strong> Something may be missing from what was graded.
        </p>
      )}
      <List title="Anchors that prove little" warnings={warnings.filter(ofAnchor)} open={false} />
      <List
        title="Places where the trajectory deviates from its format"
        warnings={warnings.filter((warning) => !ofAnchor(warning))}
        open={missed}
      />
    </Section>
  )
}

interface ListProps {
  readonly title: string
  readonly warnings: readonly Warning[]
  readonly open: boolean
}

const List = ({ title, warnings, open }: ListProps) =>
  warnings.length === 0 ? null : (
    <details open={open}>
      <summary>
        {title}: {formatCount(warnings.length)}
      </summary>
      <ul class="plain">
        {warnings.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <HostileCode text={path} /> <HostileText text={message} />
          </li>
        ))}
      </ul>
    </details>
  )
