import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { clip, dollars, LABEL_STYLE, type Paint, tally } from '../results/terminal-text.ts'
import { costText, unknownCalls } from './cost-text.ts'
import type { Figures } from './progress-meter.ts'

/** Which of both it was is not known of the batch as a whole. */
export const cachedText = ({ cached }: Pick<Batch, 'cached'>): string =>
  `${cached} answered by a grade of another item or of before`

/** How a batch goes, on one line for a log. No styles. */
export function progressLine(batch: Batch, figures: Figures): string {
  const parts = [
    `${batch.status} ${figures.done}/${figures.total} (${percent(figures)})`,
    ...speed(figures),
    ...cost(batch),
    tally(batch.labels),
    batch.counts.unverified > 0 ? `unverified ${batch.counts.unverified}` : '',
    batch.counts.failed > 0 ? `failed ${batch.counts.failed} (${tally(batch.failures)})` : '',
    batch.counts.cancelled > 0 ? `cancelled ${batch.counts.cancelled}` : '',
    parked(batch),
  ]
  return parts.filter((part) => part !== '').join('  ')
}

/** The same for a person at a terminal: at most seven lines, each shorter than `columns`. */
export function progressBlock(batch: Batch, figures: Figures, columns: number, paint: Paint): string {
  const name = batch.name === null ? '' : ` ${clip(batch.name, 40)}`
  const { counts } = batch
  const counted = `${figures.done}/${figures.total}  ${percent(figures)}`
  const speeds = speed(figures).join('  ')
  const width = Math.max(10, Math.min(40, columns - counted.length - speeds.length - 6))
  const ends = [
    counts.unverified > 0 ? paint('yellow', `unverified ${counts.unverified}`) : '',
    counts.failed > 0 ? paint('red', `failed ${counts.failed}`) + paint('dim', ` (${tally(batch.failures)})`) : '',
    counts.cancelled > 0 ? `cancelled ${counts.cancelled}` : '',
  ].filter((end) => end !== '')
  const lines = [
    `${paint('bold', batch.id)}${name}  ${statusWord(batch, paint)}${paint('dim', ` · ${counts.running} running, ${counts.pending} waiting`)}`,
    `${bar(figures.share, width, paint)}  ${counted}  ${paint('dim', speeds)}`,
    cost(batch).join(' · '),
    labels(batch, paint),
    ends.join(' · '),
    clip(roundText(batch), columns),
    paint('yellow', parked(batch)),
  ]
  return lines.filter((line) => line !== '').join('\n')
}

export const percent = ({ share }: Figures): string => `${Math.floor(share * 100)}%`

export function speed({ rate, eta_s, done, total }: Figures): string[] {
  if (rate === null || done === total) return []
  return [`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s`, ...(eta_s === null ? [] : [`ETA ${duration(eta_s)}`])]
}

function cost(batch: Batch): string[] {
  const cap = batch.max_cost_usd === null ? '' : ` of at most ${dollars(batch.max_cost_usd)}`
  return [`${costText(batch)}${cap}`, ...(batch.cached > 0 ? [cachedText(batch)] : []), unknownCalls(batch)].filter(
    (part) => part !== '',
  )
}

function labels(batch: Batch, paint: Paint): string {
  return Object.entries(batch.labels)
    .filter(([, n]) => n !== undefined && n > 0)
    .map(([label, n]) => `${paint(LABEL_STYLE[label] ?? 'white', label)} ${n}`)
    .join(' · ')
}

/** What lies with the provider, and for how long; nothing where nothing does. */
export function roundText({ round }: Pick<Batch, 'round'>): string {
  if (round === undefined) return ''
  const usual = round.usual_seconds === null ? '' : `usually ${duration(round.usual_seconds)} here, `
  const questions = `${count(round.questions, 'question')} with the provider since ${round.begun_at}`
  return `round ${round.number}: ${questions}; ${usual}within a day: by ${round.ends_by}`
}

function parked(batch: Batch): string {
  if (batch.status !== 'parked') return ''
  const until =
    batch.resumes_at === null ? 'waits to be resumed' : `tries again by itself ${retryTime(batch.resumes_at)}`
  return `parked: ${clip(batch.parked_reason ?? 'no reason given', 200)}; ${until}`
}

/** `at 2026-11-22T10:00:00.000Z (in 9m 20s)` */
export function retryTime(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000
  return `at ${at} (${seconds > 0 ? `in ${duration(seconds)}` : 'now'})`
}

const STATUS_STYLE = {
  running: 'cyan',
  parked: 'yellow',
  cancelling: 'yellow',
  cancelled: 'yellow',
  done: 'green',
} as const
const statusWord = (batch: Batch, paint: Paint): string => paint(STATUS_STYLE[batch.status], batch.status)

function bar(share: number, width: number, paint: Paint): string {
  const full = Math.floor(share * width)
  return paint('green', '━'.repeat(full)) + paint('dim', '─'.repeat(width - full))
}

/** `45s`, `3m 20s`, `2h 05m`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${pad2(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h ${pad2(Math.floor((whole % 3600) / 60))}m`
}

const pad2 = (n: number): string => String(n).padStart(2, '0')
