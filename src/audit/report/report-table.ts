import type { Statistic } from '../../schemas/audit/agreement.ts'
import {
  ALIGNMENT_FIGURES,
  type Corrected,
  type JudgeEvidence,
  type JudgeQuality,
  type Mean,
  type PairedReport,
  type Rate,
  type Report,
  type ReportGroup,
} from '../../schemas/audit/report.ts'

export const REPORT_COLUMNS = [
  'section',
  'group_by',
  'key',
  'measure',
  'value',
  'ci95_low',
  'ci95_high',
  'k',
  'n',
  'unknown',
  'method',
  'reason',
] as const

type Cell = string | number | null
type ReportRow = readonly Cell[]

/** The columns that all figures of a section share. */
type Place = readonly [section: string, groupBy: string, key: string | null]

/** Converts the report to a table with a row per figure; the notes are its last rows, so that none is lost. */
export function reportTable(report: Report): ReportRow[] {
  const { group_by, overall, groups, paired } = report
  return [
    ...(overall === null ? [] : groupRows(['overall', 'none', null], overall)),
    ...groups.flatMap((group) => groupRows(['group', group_by, group.key], group)),
    ...(paired === null ? [] : pairedRows(paired)),
    ...report.judge_quality.flatMap(qualityRows),
    ...report.evidence.flatMap(evidenceRows),
    ...report.notes.map((note) => row(['note', group_by, null], 'note', { reason: note })),
  ]
}

interface Figures {
  readonly value?: number | null
  readonly ci95?: readonly number[] | null
  readonly k?: number
  readonly n?: number
  readonly unknown?: number
  readonly method?: string | null
  readonly reason?: string | null
}

const row = (place: Place, measure: string, figures: Figures | Rate | Mean | Statistic): ReportRow => {
  const {
    value = null,
    ci95 = null,
    k = null,
    n = null,
    unknown = null,
    method = null,
    reason = null,
  } = {
    ...(figures as Figures),
  }
  return [...place, measure, value, ci95?.[0] ?? null, ci95?.[1] ?? null, k, n, unknown, method, reason]
}

function groupRows(place: Place, group: ReportGroup): ReportRow[] {
  const { failures, ...counts } = group.counts
  return [
    ...Object.entries(counts).map(([name, value]) => row(place, `count.${name}`, { value })),
    ...Object.entries(failures).map(([code, value]) => row(place, `count.failed.${code}`, { value: value ?? 0 })),
    ...Object.entries(group.shares).map(([label, share]) => row(place, `share.${label}`, share)),
    ...Object.entries(group.levels).flatMap(([label, levels]) =>
      Object.entries(levels).map(([level, value]) => row(place, `confidence.${label}.${level}`, { value })),
    ),
    ...(group.mean === null ? [] : [row(place, 'mean', group.mean)]),
    ...ALIGNMENT_FIGURES.flatMap((name) => (group[name] === undefined ? [] : [row(place, name, group[name])])),
    ...correctedRows(place, 'corrected', group.corrected),
    ...Object.entries(group.claims).flatMap(([id, { shares, mean, corrected }]) => [
      ...Object.entries(shares).map(([value, share]) => row(place, `claim.${id}.${value}`, share)),
      ...(mean === null ? [] : [row(place, `claim.${id}.mean`, mean)]),
      ...(corrected === null ? [] : correctedRows(place, `corrected.claim.${id}`, corrected)),
    ]),
  ]
}

const correctedRows = (place: Place, name: string, corrected: Corrected): ReportRow[] => [
  ...Object.entries(corrected.shares).map(([label, share]) =>
    row(place, `${name}.${label}`, {
      ...share,
      n: corrected.n_reviews,
      method: corrected.estimator,
      reason: corrected.reason,
    }),
  ),
  row(place, `${name}.reviews_to_halve`, { value: corrected.reviews_to_halve, n: corrected.n_reviews }),
  ...corrected.warnings.map((reason) => row(place, `${name}.warning`, { reason })),
]

function evidenceRows({ judge, grades, citations }: JudgeEvidence): ReportRow[] {
  const place: Place = ['evidence', 'judge', judge]
  return [
    ...Object.entries(grades).map(([status, share]) => row(place, `grades.${status}`, share)),
    ...Object.entries(citations).map(([status, share]) => row(place, `citations.${status}`, share)),
  ]
}

function pairedRows({ pair_by, base, head, pairs, unpaired, measures, alignment }: PairedReport): ReportRow[] {
  const place: Place = ['paired', pair_by, `${base} → ${head}`]
  return [
    row(place, 'count.pairs', { value: pairs }),
    ...Object.entries(unpaired).map(([name, value]) => row(place, `count.${name}`, { value })),
    ...measures.flatMap((one) => [
      row(place, `${one.measure}.base`, one.base_rate),
      row(place, `${one.measure}.head`, one.head_rate),
      row(place, `${one.measure}.difference`, { ...one.difference, n: one.pairs, unknown: one.unknown }),
      row(place, `${one.measure}.mcnemar_p`, { value: one.mcnemar_p, n: one.pairs }),
      row(place, `${one.measure}.base_only`, { value: one.discordant.base_only }),
      row(place, `${one.measure}.head_only`, { value: one.discordant.head_only }),
    ]),
    ...Object.entries(alignment ?? {}).flatMap(([name, one]) => [
      row(place, `${name}.base`, one.base),
      row(place, `${name}.head`, one.head),
      row(place, `${name}.difference`, one.difference),
    ]),
  ]
}

function qualityRows(quality: JudgeQuality): ReportRow[] {
  const place: Place = ['judge_quality', 'judge', quality.judge]
  const { forecasts: n, reason } = quality
  return [
    row(place, 'accuracy', quality.accuracy),
    ...quality.labels.flatMap(({ label, n_human, n_judge, n_both, precision, recall, f1 }) => [
      row(place, `precision.${label}`, { value: precision, k: n_both, n: n_judge }),
      row(place, `recall.${label}`, { value: recall, k: n_both, n: n_human }),
      row(place, `f1.${label}`, { value: f1 }),
    ]),
    ...quality.calibration.map(({ level, ...one }) => row(place, `calibration.${level}`, one)),
    row(place, 'ece', { value: quality.ece, n, reason }),
    row(place, 'brier', { value: quality.brier, n, reason }),
    ...quality.warnings.map((warning) => row(place, 'warning', { reason: warning })),
  ]
}
