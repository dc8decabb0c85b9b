import { count } from '../../domain/words.ts'
import type { Batch, BatchCounts } from '../../schemas/batch.ts'
import { asTyped, type Screen, type Shell } from '../shell.ts'
import { cachedText, clip, costText, dollars, inert, present, tally } from './text.ts'

/** The progress of a command, on stderr: stdout is for results. */
export type ProgressView = ReturnType<typeof createProgressView>

/** Milliseconds between two lines in a pipe, and between two states of the line on a terminal. */
const TIMING = { line_ms: 5_000, frame_ms: 100 }
/** Returns to the start of the line, and clears the line. */
const CLEAR = '\r\u001b[2K'

/** Creates the view of a screen: a line that is written anew on a terminal, else lines. */
export function createProgressView(
  screen: Screen,
  shell: Pick<Shell, 'env' | 'program'>,
  { line_ms, frame_ms } = TIMING,
) {
  // A terminal of no size (under `expect`, in some CI) has no room for a line.
  const isLive = screen.isTTY === true && screen.columns !== 0 && shell.env['TERM'] !== 'dumb'
  let batch: Batch | null = null
  /** The first state that this process saw: items done before do not count as speed. */
  let first = { at: 0, done: 0 }
  let task = ''
  let written = ''
  let ended = false
  let drawn = isLive ? 0 : performance.now()

  function draw(): void {
    drawn = performance.now()
    const text = batch === null ? task : progressLine(batch, speedOf(batch, first, drawn))
    if (isLive && !ended) screen.write(CLEAR + clip(text, (screen.columns ?? 80) - 1))
    else if (text !== written || isLive) screen.write(`${isLive ? CLEAR : ''}${text}\n`)
    written = text
  }
  const drawIfDue = () => {
    if (performance.now() - drawn >= (isLive ? frame_ms : line_ms)) draw()
  }
  return {
    /** Prints messages that stay, with hints as they are typed here. */
    note(...messages: readonly string[]): void {
      const isOver = isLive && !ended
      for (const message of messages)
        screen.write(`${isOver ? CLEAR : ''}${asTyped(shell, message.split('\n').map(inert).join('\n'))}\n`)
      if (isOver) draw()
    },
    /** Shows the work before there is a batch. */
    doing(text: string): void {
      task = text
      drawIfDue()
    },
    show(next: Batch): void {
      const hasTurned = next.status !== batch?.status
      if (batch === null) first = { at: performance.now(), done: doneOf(next.counts) }
      batch = next
      if (hasTurned) draw()
      else drawIfDue()
    },
    /** Leaves the last state on the screen. */
    end(): void {
      if (ended) return
      ended = true
      if (batch !== null) draw()
      else if (isLive) screen.write(CLEAR)
    },
  }
}

export const doneOf = ({ graded, unverified, failed, cancelled }: BatchCounts): number =>
  graded + unverified + failed + cancelled

/** Renders the rate and the expected time, `2.0/s` and `ETA 20s`. Empty before an item ended, after the last, and while the batch is parked. */
export function speedOf(
  { status, counts }: Pick<Batch, 'status' | 'counts'>,
  first: { readonly at: number; readonly done: number },
  now: number,
): string[] {
  const done = doneOf(counts)
  const rate = (done - first.done) / ((now - first.at) / 1000)
  if (!(rate > 0) || done === counts.total || status === 'parked') return []
  return [`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s`, `ETA ${duration((counts.total - done) / rate)}`]
}

/** Renders the progress of a batch on one line. */
export function progressLine(batch: Batch, speed: readonly string[]): string {
  const { counts, max_cost_usd, status, parked_reason, resumes_at } = batch
  const done = doneOf(counts)
  const cap = max_cost_usd === null ? '' : ` of at most ${dollars(max_cost_usd)}`
  const next = resumes_at === null ? 'waits to be resumed' : `tries again by itself ${retryTime(resumes_at)}`
  const reason = clip(parked_reason ?? '', 200)
  const facts = present([
    costText(batch) + cap,
    cachedText(batch),
    tally(batch.labels),
    counts.failed > 0 ? `failed ${counts.failed} (${tally(batch.failures)})` : '',
    status === 'parked' ? `parked: ${reason || 'no reason given'}; ${next}` : reason,
    roundText(batch),
  ])
  const share = counts.total === 0 ? 0 : Math.floor((100 * done) / counts.total)
  return [`${status} ${done}/${counts.total} (${share}%)`, ...speed, ...facts].join('  ')
}

/** Renders the questions that lie with the provider; empty for a batch without any. */
export function roundText({ round }: Pick<Batch, 'round'>): string {
  if (round === undefined) return ''
  const usual = round.usual_seconds === null ? '' : `usually ${duration(round.usual_seconds)} here, `
  const questions = `${count(round.questions, 'question')} with the provider since ${round.begun_at}`
  return `round ${round.number}: ${questions}; ${usual}within a day: by ${round.ends_by}`
}

/** Renders a time to come: `at 2026-11-22T10:00:00.000Z (in 9m 20s)`. */
export function retryTime(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000
  return `at ${at} (${seconds > 0 ? `in ${duration(seconds)}` : 'now'})`
}

/** Renders seconds: `45s`, `3m 20s`, `2h 05m`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (n: number) => String(n).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`
}
