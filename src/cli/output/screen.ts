import { once } from 'node:events'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { count } from '../../domain/words.ts'
import type { Batch, BatchCounts } from '../../schemas/batch.ts'
import { asTyped, CliError, type Screen, type Shell, unwritable } from '../shell.ts'
import { cachedText, clip, costText, dollars, inert, present, tally } from './text.ts'

/** The target of results: stdout, or a file that takes its name when it is whole. */
export interface OutputTarget {
  readonly screen: Pick<Screen, 'isTTY' | 'columns'>
  /** Writes text, and waits for a slow reader. */
  write(text: string): Promise<void>
  /** Keeps the output, unless it was discarded. */
  commit(): Promise<void>
  /** Discards uncommitted output. */
  discard(): Promise<void>
}

const BUFFER_CHARS = 65_536

/** Opens the target, readable by its owner alone, before any call is paid for. Throws `CliError` for a missing folder, and without `force` for an existing file. */
export async function openOutput(shell: Shell, file: string | undefined, force = false): Promise<OutputTarget> {
  if (file === undefined || file === '-') {
    const write = async (text: string) => void (shell.out.write(text) || (await once(shell.out, 'drain')))
    return { screen: shell.out, write, commit: async () => {}, discard: async () => {} }
  }
  const partial = await partialOf(file, force)
  const isRenamed = partial !== file
  const refusing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw unwritable(file, error, ADVICE)
    })
  if (isRenamed) await refusing(rm(partial, { force: true }))
  const handle = await refusing(open(partial, isRenamed ? 'wx' : 'w', 0o600))
  let isOpen = true
  let buffer = ''
  const flush = async () => {
    const text = buffer
    buffer = ''
    await refusing(handle.appendFile(text))
  }
  return {
    screen: {},
    async write(text) {
      // A terminal on stdout gets colours, a file does not.
      buffer += stripVTControlCharacters(text)
      if (buffer.length > BUFFER_CHARS) await flush()
    },
    async commit() {
      if (!isOpen) return
      await flush()
      // A full disk may show at the close alone.
      await refusing(handle.close())
      if (isRenamed) await refusing(partialOf(file, force).then(() => rename(partial, file)))
      isOpen = false
    },
    async discard() {
      if (!isOpen) return
      isOpen = false
      await handle.close().catch(() => undefined)
      if (isRenamed) await rm(partial, { force: true })
    },
  }
}

const ADVICE = 'Give --out a file in a folder that exists.'

/** Returns the name of an unfinished file. Devices and pipes are written directly. Throws for a folder, and for an existing file without `force`. */
async function partialOf(file: string, force: boolean): Promise<string> {
  const stats = await stat(file).catch(() => null)
  if (stats?.isDirectory() || file.endsWith('/'))
    throw new CliError(`${file} cannot be written: it is a folder`, ['Give --out a file in this folder.'])
  if (stats?.isFile() && !force)
    throw new CliError(`${file} is there already, and is not overwritten`, [
      'Give --out another name, or --force to replace the file.',
    ])
  return stats === null || stats.isFile() ? `${file}.partial` : file
}

/** Maps values in their order, with eight calls of `work` under way. */
export const inOrder = <T, R>(
  values: AsyncIterable<T> | Iterable<T>,
  work: (value: T) => Promise<R>,
): AsyncIterable<R> => Readable.from(values).map(work, { concurrency: 8 })

/** The progress of a command, on stderr: stdout is for results. */
export type ProgressView = ReturnType<typeof createProgressView>

/** Milliseconds between two lines in a pipe, and between two states of the line on a terminal. */
const TIMING = { line_ms: 5_000, frame_ms: 100 }
/** Returns to the start of the line, and clears the line. */
const CLEAR = '\r\u001b[2K'

export function createProgressView(screen: Screen, shell: Pick<Shell, 'env' | 'program'>, timing = TIMING) {
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
    if (performance.now() - drawn >= (isLive ? timing.frame_ms : timing.line_ms)) draw()
  }
  return {
    /** Prints messages that stay, with hints as they are typed here. */
    note(...messages: readonly string[]): void {
      const isOver = isLive && !ended
      for (const message of messages)
        screen.write(`${isOver ? CLEAR : ''}${asTyped(shell, message.split('\n').map(inert).join('\n'))}\n`)
      if (isOver) draw()
    },
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
