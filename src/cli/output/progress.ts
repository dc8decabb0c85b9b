import { count } from '../../domain/words.ts'
import type { Batch, BatchCounts } from '../../schemas/batch.ts'
import type { Screen } from '../shell.ts'
import {
  cachedText,
  clip,
  costText,
  dollars,
  inert,
  type Paint,
  paintFor,
  present,
  tally,
  unknownCalls,
} from './text.ts'

/** The progress of a command, on stderr: stdout is for results. */
export type ProgressView = Awaited<ReturnType<typeof createProgressView>>

/** Milliseconds between two lines in a pipe, and between two frames on a terminal. */
const TIMING = { line_ms: 5_000, frame_ms: 100 }

/** Creates the view of a screen: frames that replace each other on a terminal, else lines. */
export async function createProgressView(screen: Screen, env: NodeJS.ProcessEnv, { line_ms, frame_ms } = TIMING) {
  // A terminal of no size (under `expect`, in some CI) has no room for a frame.
  const isLive = screen.isTTY === true && screen.columns !== 0 && env['TERM'] !== 'dumb'
  // Loading log-update takes 30 ms that a pipe need not wait.
  const update = isLive ? (await import('log-update')).createLogUpdate(screen as NodeJS.WriteStream) : null
  const paint = paintFor(screen, env)
  let batch: Batch | null = null
  let first: Look | null = null
  let task = ''
  let written = ''
  let ended = false
  let drawn = isLive ? 0 : performance.now()

  function draw(): void {
    drawn = performance.now()
    const speed = batch === null || first === null ? [] : speedOf(batch, first, drawn)
    if (update !== null) update(batch === null ? paint('dim', task) : frame(batch, speed, screen.columns ?? 80, paint))
    else {
      const text = batch === null ? task : progressLine(batch, speed)
      if (text !== written) screen.write(`${text}\n`)
      written = text
    }
  }
  const drawIfDue = () => {
    if (performance.now() - drawn >= (isLive ? frame_ms : line_ms)) draw()
  }
  // The expected time goes on while no item ends.
  const ticker = isLive ? setInterval(draw, Math.max(frame_ms, 500)).unref() : undefined
  return {
    /** Prints a line that stays. */
    note(text: string): void {
      if (update === null || ended) screen.write(`${inert(text)}\n`)
      else update.persist(inert(text))
    },
    /** Shows the work before there is a batch. */
    doing(text: string): void {
      task = text
      drawIfDue()
    },
    show(next: Batch): void {
      const hasTurned = next.status !== batch?.status
      batch = next
      first ??= { at: performance.now(), done: doneOf(next.counts) }
      if (hasTurned) draw()
      else drawIfDue()
    },
    /** Leaves the last state on the screen. */
    end(): void {
      if (ended) return
      ended = true
      clearInterval(ticker)
      if (batch !== null) draw()
      else update?.clear()
      update?.done()
    },
  }
}

/** The first state of a batch that this process saw. Items done before do not count as speed. */
interface Look {
  readonly at: number
  readonly done: number
}

export const doneOf = ({ graded, unverified, failed, cancelled }: BatchCounts): number =>
  graded + unverified + failed + cancelled

/** Renders the rate and the expected time, `2.0/s` and `ETA 20s`. Empty before an item ended, after the last, and while the batch is parked. */
export function speedOf({ status, counts }: Pick<Batch, 'status' | 'counts'>, first: Look, now: number): string[] {
  const done = doneOf(counts)
  const rate = (done - first.done) / ((now - first.at) / 1000)
  if (!(rate > 0) || done === counts.total || status === 'parked') return []
  return [`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s`, `ETA ${duration((counts.total - done) / rate)}`]
}

/** Renders the progress of a batch on one line, for a log. */
export const progressLine = (batch: Batch, speed: readonly string[]): string =>
  [`${batch.status} ${shareOf(batch)}`, ...speed, ...factsOf(batch)].join('  ')

/** Renders the progress of a batch for a terminal: a bar, then a fact a line, each shorter than `columns`. */
export function frame(batch: Batch, speed: readonly string[], columns: number, paint: Paint): string {
  const { counts } = batch
  const name = batch.name === null ? '' : ` ${clip(batch.name, 40)}`
  const tail = [shareOf(batch), ...speed].join('  ')
  const width = Math.max(10, Math.min(40, columns - tail.length - 6))
  const full = Math.floor(width * (counts.total === 0 ? 0 : doneOf(counts) / counts.total))
  const title = `${batch.id}${name}  ${batch.status} · ${counts.running} running, ${counts.pending} waiting`
  const round = batch.round === undefined ? [] : [clip(roundText(batch), columns)]
  const bar = paint('green', '━'.repeat(full)) + paint('dim', '─'.repeat(width - full))
  return [paint('bold', title), `${bar}  ${tail}`, ...factsOf(batch), ...round].join('\n')
}

const shareOf = ({ counts }: Batch): string =>
  `${doneOf(counts)}/${counts.total} (${counts.total === 0 ? 0 : Math.floor((100 * doneOf(counts)) / counts.total)}%)`

function factsOf(batch: Batch): string[] {
  const { counts, max_cost_usd, status, parked_reason, resumes_at } = batch
  const cap = max_cost_usd === null ? '' : ` of at most ${dollars(max_cost_usd)}`
  const next = resumes_at === null ? 'waits to be resumed' : `tries again by itself ${retryTime(resumes_at)}`
  const reason = clip(parked_reason ?? (status === 'parked' ? 'no reason given' : ''), 200)
  return present([
    costText(batch) + cap,
    cachedText(batch),
    unknownCalls(batch),
    tally(batch.labels),
    counts.unverified > 0 ? `unverified ${counts.unverified}` : '',
    counts.failed > 0 ? `failed ${counts.failed} (${tally(batch.failures)})` : '',
    counts.cancelled > 0 ? `cancelled ${counts.cancelled}` : '',
    status === 'parked' ? `parked: ${reason}; ${next}` : reason,
  ])
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
