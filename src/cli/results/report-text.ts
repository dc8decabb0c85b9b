import { count } from '../../domain/count.ts'
import {
  ALIGNMENT_FIGURES,
  type Corrected,
  type JudgeEvidence,
  type Paired,
  type PairedReport,
  type Report,
  type ReportGroup,
} from '../../schemas/audit/report.ts'
import { clip, oneLine, pad, percent } from './terminal-text.ts'

/** Renders a report, a figure a line: `name  value % [interval]  k/n`. */
export function reportText(report: Report): string {
  const { judges, rubric, group_by, overall, groups, paired, evidence, notes } = report
  const lines = [
    `${oneLine(rubric ?? 'no rubric')} · judge ${judges.map(oneLine).join(', ') || 'none'} · by ${oneLine(group_by)}`,
    ...(overall === null ? [] : ['', 'all trials', ...groupLines(overall)]),
    ...(groups.length === 1
      ? []
      : groups.flatMap((one) => ['', clip(one.key ?? '(not given)', 80), ...groupLines(one)])),
    ...(paired === null ? [] : pairedLines(paired)),
    ...evidence.flatMap(evidenceLines),
    ...notes.map((note, index) => `${index === 0 ? '\n' : ''}note: ${oneLine(note)}`),
  ]
  return `${lines.join('\n')}\n`
}

function groupLines({ counts, shares, mean, claims, corrected, ...figures }: ReportGroup): string[] {
  const { n, graded, unverified, failed, cancelled, tasks } = counts
  const claimLines = Object.entries(claims).flatMap(([id, claim]) => [
    ...Object.entries(claim.shares).map(([value, share]) => figureLine(`${id} ${value}`, share)),
    ...(claim.mean === null ? [] : [figureLine(`${id} mean`, claim.mean, number)]),
  ])
  return [
    `  ${count(n, 'trial')}${tasks === 0 ? ', none with a task' : ` of ${count(tasks, 'task')}`}: ${graded} graded, ${unverified} unverified, ${failed} failed, ${cancelled} cancelled`,
    ...Object.entries(shares).map(([label, share]) => figureLine(label, share)),
    ...(mean === null ? [] : [figureLine('mean', mean, number)]),
    ...correctedLines(corrected),
    ...ALIGNMENT_FIGURES.flatMap((name) => {
      const figure = figures[name]
      return figure === undefined ? [] : [figureLine(name, figure)]
    }),
    ...claimLines,
  ]
}

const correctedLines = ({ estimator, reason, shares, n_reviews }: Corrected): string[] =>
  estimator === null
    ? [`  not corrected: ${oneLine(reason)}`]
    : [
        ...Object.entries(shares).map(([label, share]) => figureLine(`${label}, corrected`, share)),
        `  corrected by ${n_reviews} reviews, ${estimator}`,
      ]

function pairedLines({ base, head, pairs, measures, alignment }: PairedReport): string[] {
  const compared = ({ measure, base_rate, head_rate, mcnemar_p, difference }: Paired): string[] => [
    figureLine(`${measure}, base`, base_rate),
    figureLine(`${measure}, head`, head_rate),
    `${figureLine(`${measure}, difference`, difference)}${mcnemar_p === null ? '' : `  p ${mcnemar_p.toPrecision(2)}`}`,
  ]
  return [
    '',
    `${clip(head, 40)} against ${clip(base, 40)}: ${pairs} pairs`,
    ...measures.flatMap(compared),
    ...Object.entries(alignment ?? {}).flatMap(([name, pair]) => [
      figureLine(`${name}, base`, pair.base),
      figureLine(`${name}, head`, pair.head),
      figureLine(`${name}, difference`, pair.difference),
    ]),
  ]
}

const evidenceLines = ({ judge, grades, citations }: JudgeEvidence): string[] => [
  '',
  `evidence of ${clip(judge, 60)}`,
  ...Object.entries(grades).map(([status, share]) => figureLine(`grades ${status}`, share)),
  ...Object.entries(citations).map(([status, share]) => figureLine(`citations ${status}`, share)),
]

interface Figure {
  readonly value: number | null
  readonly ci95: readonly number[] | null
  readonly reason?: string | null
  readonly k?: number
  readonly n?: number
}

const WIDTH = 36
const number = (value: number): string => value.toPrecision(4)

function figureLine(name: string, { value, ci95, reason, k, n }: Figure, show = percent): string {
  const of = n === undefined ? '' : `  ${k === undefined ? '' : `${k}/`}${n}`
  const interval = ci95 === null ? '' : `  [${ci95.map(show).join(', ')}]`
  const why = reason ? `  (${reason})` : ''
  return `  ${pad(clip(name, WIDTH), WIDTH)}  ${value === null ? '–' : show(value)}${interval}${of}${why}`
}
