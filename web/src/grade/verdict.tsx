import type { JSX } from 'preact'
import type { Grade } from '../api-types.ts'
import { HostileBlock, HostileText } from '../text/hostile-text.tsx'
import { Outcome } from '../ui/badges.tsx'
import { Facts } from '../ui/facts.tsx'
import { confidenceWord, labelWords } from '../words.ts'

const SOURCE_WORDS: Readonly<Record<Grade['confidence']['source'], string>> = {
  reported: 'as the judge reported it',
  capped: 'lowered by a contradiction',
  votes: 'from the votes of the samples',
  none: 'none',
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`

const sentence = (message: string) => (/[.!?…]$/.test(message) ? message : `${message}.`)

function againWords({ code, retryable }: NonNullable<Grade['failure']>): string {
  if (retryable) return 'The same request can succeed later.'
  return code === 'budget_exceeded'
    ? 'The same request would fail again under this cap; under a higher one it can succeed.'
    : 'The same request would fail again.'
}

/** What came out, how sure, by whom; or how it failed. */
export function Verdict({ grade }: { readonly grade: Grade }): JSX.Element {
  const { confidence, receipt, failure, surface } = grade
  const sure = confidenceWord(grade.label, confidence.reported)
  return (
    <section aria-labelledby="verdict">
      <h2 id="verdict">Verdict</h2>
      <Facts
        facts={[
          ['Outcome', <Outcome key="outcome" grade={grade} rubric={receipt.rubric} />],
          ['Claimed label', grade.claimed_label !== null && labelWords(grade.claimed_label)],
          ['Confidence', sure !== null && `${sure}, ${SOURCE_WORDS[confidence.source]}`],
          ['Vote share', confidence.vote_share !== null && percent(confidence.vote_share)],
          ['Calibrated', confidence.calibrated !== null && percent(confidence.calibrated)],
          ['Surface', surface?.category.replaceAll('_', ' ') ?? null],
          ['Judge', <HostileText key="judge" text={receipt.judge} />],
          ['Model', receipt.model_resolved !== null && <HostileText key="model" text={receipt.model_resolved} />],
          ['Rubric', <HostileText key="rubric" text={receipt.rubric} />],
        ]}
      />
      {failure !== null && (
        <p class="trouble">
          <strong>{failure.code.replaceAll('_', ' ')}</strong>: <HostileText text={sentence(failure.message)} />{' '}
          {againWords(failure)}
        </p>
      )}
      {grade.notes !== '' && (
        <>
          <h3>The judge’s notes</h3>
          <HostileBlock text={grade.notes} />
        </>
      )}
    </section>
  )
}
