import type { ComponentChildren } from 'preact'
import { rubricId } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Grade, Panel } from '../types.ts'
import { NameOrNone, None, Outcome, sentence } from '../ui/parts.tsx'
import { Scroll } from '../ui/table.tsx'
import { claimWords, confidenceWord, formatTime, formatUsd, holds, spaced } from '../words.ts'
import { answerOf, claimsOf } from './claims.tsx'

interface Line {
  readonly title: string
  /** The text by which grades differ. Absent: the line means nothing for the verdict. */
  readonly compare?: (grade: Grade) => string
  readonly cell: (grade: Grade) => ComponentChildren
}

const linesOf = (grades: readonly Grade[]): readonly Line[] => [
  {
    title: 'Outcome',
    cell: (grade) => <Outcome grade={grade} rubric={grade.receipt.rubric} />,
    compare: ({ status, label, claimed_label }) => `${status} ${label} ${claimed_label}`,
  },
  { title: 'Confidence', cell: ({ label, confidence }) => confidenceWord(label, confidence.reported) ?? <None /> },
  ...[...new Set(grades.flatMap(claimsOf))].map((claim) => ({
    title: claimWords(claim),
    cell: (grade: Grade) => <HostileText text={answerOf(grade, claim)} />,
    compare: (grade: Grade) => answerOf(grade, claim),
  })),
  {
    title: 'Evidence that holds',
    cell: ({ citations }) => `${citations.filter(({ status }) => holds(status)).length} of ${citations.length}`,
  },
  { title: 'Contradictions', cell: ({ contradictions }) => contradictions.length },
  { title: 'Samples', cell: ({ votes }) => Math.max(1, votes.length) },
  { title: 'Cost', cell: ({ receipt }) => formatUsd(receipt.cost_usd) },
  { title: 'Made', cell: ({ created_at }) => formatTime(created_at) },
  { title: 'Notes', cell: ({ notes }) => <HostileText text={notes} /> },
]

const differ = ({ compare }: Line, grades: readonly Grade[]): boolean =>
  compare !== undefined && new Set(grades.map(compare)).size > 1

/** The result of all judges of a question, and their standing grades, this grade first. Lines say where grades differ. */
export function PanelView({ grade, panel }: { readonly grade: Grade; readonly panel: Panel }) {
  const { label, level, support } = panel.result
  const others = panel.items.filter(
    (item) => item.id !== grade.id && rubricId(item.receipt.rubric) === rubricId(grade.receipt.rubric),
  )
  const grades = [grade, ...others]
  if (others.length === 0)
    return <p class="aside">No other judge, version of the rubric or number of samples was asked this question.</p>
  return (
    <>
      <p>
        Result: <strong>{label === null ? 'no label' : `${spaced(label)}, ${level} confidence`}</strong>;{' '}
        <HostileText text={sentence(support.reason)} />
      </p>
      <Scroll label="Grades of the same question">
        <table class="list panel">
          <caption class="unseen">Grades of the same question, side by side</caption>
          <thead>
            <tr>
              <th scope="col">
                Judge
                <br />
                <span class="aside">
                  Model
                  <br />
                  Rubric
                </span>
              </th>
              {grades.map((item) => (
                <th key={item.id} scope="col">
                  {item.id === grade.id ? (
                    <>
                      <HostileText text={item.receipt.judge} /> <span class="aside">this grade</span>
                    </>
                  ) : (
                    <a href={`/audit/grades/${encodeURIComponent(item.id)}`}>
                      <HostileText text={item.receipt.judge} />
                    </a>
                  )}
                  <br />
                  <span class="aside">
                    <NameOrNone name={item.receipt.model_resolved} />
                    <br />
                    <HostileText text={item.receipt.rubric} />
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {linesOf(grades).map((line) => (
              <tr key={line.title}>
                <th scope="row">
                  {line.title}
                  {differ(line, grades) && <span class="differs"> differ</span>}
                </th>
                {grades.map((item) => (
                  <td key={item.id}>{line.cell(item)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}
