import type { Agreement, Statistic } from '../../src/schemas/audit/agreement.ts'
import type { ReportGroup } from '../../src/schemas/audit/report.ts'
import { type Behaviour, LABELS } from '../../src/schemas/vocabulary.ts'

export const say = (line = ''): void => console.log(line)

export const heading = (text: string): void => say(`\n## ${text}\n`)

const percent = (share: number): string => (100 * share).toFixed(1).padStart(5)
const number = (value: number): string => value.toFixed(3)

const statisticOf = ({ value, ci95, reason }: Statistic): string => {
  if (value === null) return `null (${reason})`
  return `${number(value)} ${ci95 === null ? `(no interval: ${reason})` : `[${ci95.map(number).join(', ')}]`}`
}

export function sayAgreement(name: string, answer: Agreement): void {
  const { n_items, n_raters, bootstrap } = answer
  say(`${name}: ${n_items} questions, ${n_raters} raters, ${bootstrap.n_units} ${bootstrap.unit}s resampled`)
  say(`  raw agreement ${statisticOf(answer.raw_agreement)}`)
  if (n_raters === 2) say(`  Cohen’s κ     ${statisticOf(answer.cohen_kappa)}`)
  say(`  Krippendorff α ${statisticOf(answer.krippendorff_alpha)}`)
  say(`  Gwet’s AC1    ${statisticOf(answer.gwet_ac1)}`)
}

export function sayConfusion({ confusion }: Agreement): void {
  if (confusion === null) return
  say(`rows ${confusion.row_rater}, columns ${confusion.column_rater}`)
  say(`${''.padEnd(16)}${confusion.labels.map((label) => label.slice(0, 12).padStart(14)).join('')}`)
  confusion.labels.forEach((label, row) => {
    say(`${label.padEnd(16)}${(confusion.matrix[row] ?? []).map((count) => String(count).padStart(14)).join('')}`)
  })
}

const intervalOf = (ci95: readonly number[] | null): string =>
  ci95 === null ? ''.padEnd(15) : `[${ci95.map(percent).join(',')}]`

/** How many intervals hold the truth, of the judge’s own shares and of the corrected ones. */
export interface Held {
  readonly raw: number
  readonly corrected: number
  /** Of each. */
  readonly intervals: number
}

const holds = (ci95: readonly number[] | null, truth: number): boolean =>
  ci95 !== null && (ci95[0] ?? 0) <= truth && truth <= (ci95[1] ?? 1)

/** Raw and corrected shares beside what is true. */
export function sayShares(name: string, group: ReportGroup, truth: Readonly<Record<Behaviour, number>>): Held {
  const { corrected, shares, counts } = group
  const how = corrected.estimator ?? `no correction: ${corrected.reason}`
  const { graded, unverified, failed } = counts
  say(`${name}: ${graded} graded, ${unverified} unverified, ${failed} failed; ${corrected.n_reviews} reviews, ${how}`)
  say('                   true    judge                       corrected')
  let raw = 0
  let mended = 0
  for (const label of LABELS) {
    const { value = null, ci95 = null } = corrected.shares[label] ?? {}
    const { value: judged = null, ci95: judgedInterval = null } = shares[label] ?? {}
    const real = truth[label] ?? Number.NaN
    const mark = (interval: readonly number[] | null): string => (holds(interval, real) ? '✓' : '✗')
    if (holds(judgedInterval, real)) raw++
    if (holds(ci95, real)) mended++
    const cells = [percent(real), percent(judged ?? Number.NaN), intervalOf(judgedInterval), mark(judgedInterval)]
    const tail = value === null ? 'null' : `${percent(value)} ${intervalOf(ci95)} ${mark(ci95)}`
    say(`  ${label.padEnd(16)}${cells.join('  ')}   ${tail}`)
  }
  const { reviews_to_halve } = corrected
  say(
    reviews_to_halve === null
      ? '  reviewing all of these trials would not halve the widest interval: that takes more tasks'
      : `  about ${reviews_to_halve} more reviews would halve the widest interval`,
  )
  for (const warning of corrected.warnings) say(`  warning: ${warning}`)
  return { raw, corrected: mended, intervals: LABELS.length }
}
