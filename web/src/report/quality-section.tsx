import { formatNumber, formatReason, RateView, StatisticView } from '../numbers.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import type { JudgeQuality, Report } from '../types.ts'
import { LabelBadge, None } from '../ui/parts.tsx'
import { Table } from '../ui/table.tsx'
import { formatCount, labelWords, plural } from '../words.ts'

/** Each judge against the humans who reviewed it. */
export const QualitySection = ({ report }: { readonly report: Report }) => (
  <>
    {report.judge_quality.map((quality) => (
      <Quality key={quality.judge} quality={quality} report={report} />
    ))}
  </>
)

interface QualityProps {
  readonly quality: JudgeQuality
  readonly report: Pick<Report, 'rubric' | 'labels'>
}

const score = (value: number | null) => (value === null ? <None>no cases</None> : formatNumber(value, 'percent'))

function Quality({ quality, report }: QualityProps) {
  const { judge, n, accuracy, labels, calibration, warnings } = quality
  return (
    <section aria-label={`Judge ${judge} against humans`}>
      <h2>
        <HostileText text={judge} /> against humans
      </h2>
      <p>
        {plural(n, 'reviewed trial')} with a label from both; the same label: <RateView rate={accuracy} />. Expected
        calibration error and Brier score: <Forecast quality={quality} />.
      </p>
      <Table
        caption={`Precision and recall of ${judge} by label`}
        columns={[
          {
            title: 'Label',
            cell: ({ label }) => <LabelBadge label={label} rubric={report.rubric} given={report.labels} />,
          },
          { title: 'Humans', number: true, cell: ({ n_human }) => formatCount(n_human) },
          { title: 'Judge', number: true, cell: ({ n_judge }) => formatCount(n_judge) },
          { title: 'Both', number: true, cell: ({ n_both }) => formatCount(n_both) },
          { title: 'Precision', number: true, cell: ({ precision }) => score(precision) },
          { title: 'Recall', number: true, cell: ({ recall }) => score(recall) },
          { title: 'F1', number: true, cell: ({ f1 }) => score(f1) },
        ]}
        items={labels}
        keyOf={({ label }) => label}
        empty="No reviews."
      />
      <Confusion quality={quality} report={report} />
      <Table
        caption={`Calibrated confidence of ${judge}`}
        columns={[
          { title: 'Reported', cell: ({ level }) => level },
          { title: 'Reviews at random', number: true, cell: (one) => formatCount(one.n) },
          { title: 'Chance of being right', cell: (one) => <StatisticView of={one} style="percent" /> },
        ]}
        items={calibration}
        keyOf={({ level }) => level}
        empty="No reviews."
      />
      {warnings.map((warning) => (
        <p key={warning} class="aside">
          {warning}
        </p>
      ))}
    </section>
  )
}

function Forecast({ quality }: { readonly quality: JudgeQuality }) {
  const { ece, brier, forecasts, reason } = quality
  if (ece === null || brier === null) return <None>cannot be told: {formatReason(reason)}</None>
  return (
    <>
      {ece.toFixed(3)} and {brier.toFixed(3)} <span class="fraction">of {plural(forecasts, 'review')}</span>
    </>
  )
}

const Confusion = ({ quality, report }: QualityProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  <section class="scroll" tabIndex={0} aria-label={`Confusion of ${quality.judge}`}>
    <table class="list numbers">
      <caption>Rows: humans. Columns: judge.</caption>
      <thead>
        <tr>
          <th scope="col">Humans ↓ judge →</th>
          {quality.labels.map(({ label }) => (
            <th key={label} scope="col" class="number">
              {labelWords(label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {quality.labels.map(({ label }, r) => (
          <tr key={label}>
            <th scope="row">
              <LabelBadge label={label} rubric={report.rubric} given={report.labels} />
            </th>
            {quality.labels.map(({ label: other }, c) => (
              <td key={other} class="number">
                {formatCount(quality.confusion[r]?.[c] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
