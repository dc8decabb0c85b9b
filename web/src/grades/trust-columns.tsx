import type { JSX } from 'preact'
import type { ConfidenceLevel, Grade, ResultGrade } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { None } from '../ui/none.tsx'
import type { Column } from '../ui/table.tsx'
import { confidenceWord, holds, plural, unreadWords } from '../words.ts'

/** What says how far a label can be trusted. */
type Trust = Pick<ResultGrade, 'judge' | 'confidence' | 'evidence' | 'contradictions' | 'unread'> & Pick<Grade, 'label'>

export const trustOf = ({ label, receipt, confidence, citations, contradictions }: Grade): Trust => ({
  label,
  judge: receipt.judge,
  confidence,
  evidence: { cited: citations.length, held: citations.filter(({ status }) => holds(status)).length },
  contradictions,
  unread: receipt.unread ?? null,
})

const RANKS: Readonly<Record<ConfidenceLevel, number>> = { low: 1, medium: 2, high: 3 }

/** How much of the cited evidence holds, what speaks against the verdict, and what nobody could read. */
function evidenceCell({ evidence: { cited, held }, contradictions, unread }: Trust): JSX.Element {
  const lines = [
    { text: cited === 0 ? '' : `${held} of ${cited} hold`, objects: false },
    { text: contradictions.length > 0 ? plural(contradictions.length, 'contradiction') : '', objects: true },
    { text: unread !== null && unread.records > 0 ? unreadWords(unread) : '', objects: true },
  ].filter(({ text }) => text !== '')
  if (lines.length === 0) return <None />
  return (
    <>
      {lines.map(({ text, objects }) => (
        <span key={text} class={objects ? 'line objection' : 'line'}>
          {text}
        </span>
      ))}
    </>
  )
}

/** The columns of it, for things that may have none. */
export function trustColumns<T>(of: (item: T) => Trust | null) {
  const column = (
    title: string,
    cell: (trust: Trust) => JSX.Element | string,
    rank: (trust: Trust) => string | number | null,
  ): Column<T> => ({
    title,
    cell: (item) => {
      const trust = of(item)
      return trust === null ? <None /> : cell(trust)
    },
    sort: {
      name: title.toLowerCase(),
      of: (item) => {
        const trust = of(item)
        return trust === null ? null : rank(trust)
      },
    },
  })
  return {
    judge: column(
      'Judge',
      ({ judge }) => <HostileText text={judge} />,
      ({ judge }) => judge,
    ),
    confidence: column(
      'Confidence',
      ({ label, confidence: { reported } }) => confidenceWord(label, reported) ?? <None />,
      ({ label, confidence: { reported } }) => (label === null || reported === null ? null : RANKS[reported]),
    ),
    evidence: column('Evidence', evidenceCell, ({ evidence, contradictions }) => evidence.held - contradictions.length),
  }
}
