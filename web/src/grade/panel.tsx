import type { ComponentChildren } from 'preact'
import { EvidencePairs } from '../comparisons/statistics.tsx'
import { rubricId } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { citationAnchor } from '../timeline/marks.ts'
import type { CheckedCitation, Grade, Panel } from '../types.ts'
import { CitationBadge, GradeLink, hrefOfGrade, NameOrNone, None, Notes, Outcome, sentence } from '../ui/parts.tsx'
import { Scroll } from '../ui/table.tsx'
import { claimWords, confidenceWord, formatTime, formatUsd, spaced } from '../words.ts'
import { answerOf, claimsOf } from './claims.tsx'

interface Line {
  readonly title: string
  /** The text by which grades differ. Absent: the line means nothing for the verdict. */
  readonly compare?: (grade: Grade) => string
  readonly cell: (grade: Grade) => ComponentChildren
}

const linesOf = (grades: readonly Grade[], hrefOf: PanelProps['hrefOf']): readonly Line[] => [
  {
    title: 'Outcome',
    cell: (grade) => <Outcome grade={grade} rubric={grade.receipt.rubric} />,
    compare: ({ status, label, claimed_label }) => `${status} ${label} ${claimed_label}`,
  },
  { title: 'Confidence', cell: ({ label, confidence }) => confidenceWord(label, confidence.reported) ?? <None /> },
  {
    title: 'Why not higher',
    cell: ({ label, unmet, confidence: { limit } }) => (
      <Notes notes={[...(label === null ? unmet : [limit])].flatMap((one) => one?.reason ?? [])} />
    ),
  },
  ...[...new Set(grades.flatMap(claimsOf))].map((claim) => ({
    title: claimWords(claim),
    cell: (grade: Grade) => <HostileText text={answerOf(grade, claim)} />,
    compare: (grade: Grade) => answerOf(grade, claim),
  })),
  {
    title: 'Evidence',
    cell: (grade) => (
      <ol class="cited">
        {grade.citations.map((citation, index) => (
          <li key={index}>
            <a href={hrefOf(grade, citation)}>
              {claimWords(citation.supports)}, step {citation.step_id}
            </a>{' '}
            <CitationBadge status={citation.status} />
            <q>
              <HostileText text={citation.quote.slice(0, LONGEST_QUOTE)} />
              {citation.quote.length > LONGEST_QUOTE && '…'}
            </q>
          </li>
        ))}
      </ol>
    ),
  },
  {
    title: 'Contradictions',
    cell: ({ contradictions }) =>
      contradictions.length === 0 ? <None /> : <Notes notes={contradictions.map(({ detail }) => detail)} />,
  },
  {
    title: 'Samples',
    cell: ({ votes }) =>
      [Math.max(1, votes.length), votes.map(({ label, status }) => spaced(label ?? status)).join(', ')]
        .filter(Boolean)
        .join(': '),
  },
  { title: 'Cost', cell: ({ receipt }) => formatUsd(receipt.cost_usd) },
  { title: 'Made', cell: ({ created_at }) => formatTime(created_at) },
  { title: 'Notes', cell: ({ notes }) => <HostileText text={notes} /> },
]

const LONGEST_QUOTE = 200

const differ = ({ compare }: Line, grades: readonly Grade[]): boolean =>
  compare !== undefined && new Set(grades.map(compare)).size > 1

/** The result of all judges of a question, and their standing grades, this grade first. */
export function PanelView({ grade, panel }: { readonly grade: Grade; readonly panel: Panel }) {
  const { label, level, support } = panel.result
  const others = panel.items.filter(
    (item) => item.id !== grade.id && rubricId(item.receipt.rubric) === rubricId(grade.receipt.rubric),
  )
  if (others.length === 0)
    return <p class="aside">No other judge, version of the rubric or number of samples was asked this question.</p>
  return (
    <>
      <p>
        Result: <strong>{label === null ? 'no label' : `${spaced(label)}, ${level} confidence`}</strong>;{' '}
        <HostileText text={sentence(support.reason)} />
      </p>
      <PanelTable
        grades={[grade, ...others]}
        current={grade.id}
        hrefOf={({ id, citations }, citation) =>
          `${id === grade.id ? '' : hrefOfGrade(id)}#${citationAnchor(citations.indexOf(citation))}`
        }
      />
      <EvidencePairs pairs={panel.result.evidence_agreement} />
    </>
  )
}

interface PanelProps {
  readonly grades: readonly Grade[]
  /** The grade of the page. */
  readonly current?: string
  /** Makes the address of a citation of a grade. */
  readonly hrefOf: (grade: Grade, citation: CheckedCitation) => string
}

/** The grades of a question side by side. Lines say where grades differ. */
export const PanelTable = ({ grades, current, hrefOf }: PanelProps) => (
  <Scroll label="Grades of the same question">
    <table class="list panel">
      <caption class="unseen">Grades of the same question, side by side</caption>
      <thead>
        <tr>
          <th scope="col">Judge, model, rubric</th>
          {grades.map(({ id, receipt }) => (
            <th key={id} scope="col" class="judge">
              {id === current ? (
                <>
                  <HostileText text={receipt.judge} /> <span class="aside">this grade</span>
                </>
              ) : (
                <GradeLink id={id} text={receipt.judge} />
              )}
              <br />
              <span class="aside">
                <NameOrNone name={receipt.model_resolved} /> <HostileText text={receipt.rubric} />
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {linesOf(grades, hrefOf).map((line) => (
          <tr key={line.title}>
            <th scope="row">
              {line.title}
              {differ(line, grades) && <span class="differs"> differ</span>}
            </th>
            {grades.map((grade) => (
              <td key={grade.id}>{line.cell(grade)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
