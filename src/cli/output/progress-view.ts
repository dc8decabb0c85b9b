import type { Batch } from '../../schemas/batch.ts'
import type { Screen } from '../client/shell.ts'
import { inert, paintFor } from '../results/terminal-text.ts'
import { createProgressMeter, doneOf } from './progress-meter.ts'
import { progressBlock, progressLine } from './progress-text.ts'

/** What a run shows while it goes, on stderr: stdout is for results. */
export interface ProgressView {
  /** A line that stays. */
  note(text: string): void
  /** What is being done before there is a batch: replaced by whatever comes next. */
  doing(text: string): void
  show(batch: Batch): void
  /** The last state stays on the screen. */
  end(): void
}

interface ViewTiming {
  /** Between two plain lines in a pipe. */
  readonly line_ms: number
  /** Between two frames on a terminal. */
  readonly frame_ms: number
}

const TIMING: ViewTiming = { line_ms: 5_000, frame_ms: 100 }

/** Drawing on a terminal is loaded for one only: 30 ms that a pipe need not wait. */
export async function createProgressView(
  screen: Screen,
  env: NodeJS.ProcessEnv,
  timing: ViewTiming = TIMING,
): Promise<ProgressView> {
  // A terminal of no size (under `expect`, in some CI) has no room for a frame.
  return screen.isTTY === true && screen.columns !== 0 && env['TERM'] !== 'dumb'
    ? createLiveView(screen, env, timing.frame_ms)
    : createPlainView(screen, timing.line_ms)
}

async function createLiveView(screen: Screen, env: NodeJS.ProcessEnv, frameMs: number): Promise<ProgressView> {
  const { createLogUpdate } = await import('log-update')
  const update = createLogUpdate(screen as NodeJS.WriteStream)
  const paint = paintFor(screen, env)
  const meter = createProgressMeter()
  let batch: Batch | null = null
  let task = ''
  let drawn = 0
  let ended = false
  const draw = () => {
    drawn = performance.now()
    const columns = screen.columns ?? 80
    update(batch === null ? paint('dim', task) : progressBlock(batch, meter.read(drawn), columns, paint))
  }
  const soon = () => {
    if (performance.now() - drawn >= frameMs) draw()
  }
  // The ETA goes on while nothing comes.
  const ticker = setInterval(draw, Math.max(frameMs, 500))
  ticker.unref()
  return {
    note(text) {
      if (ended) screen.write(`${inert(text)}\n`)
      else update.persist(inert(text))
    },
    doing(text) {
      task = text
      soon()
    },
    show(next) {
      batch = next
      meter.add({ done: doneOf(next.counts), total: next.counts.total }, performance.now())
      soon()
    },
    end() {
      if (ended) return
      ended = true
      clearInterval(ticker)
      if (batch === null) update.clear()
      else draw()
      update.done()
    },
  }
}

function createPlainView(screen: Screen, lineMs: number): ProgressView {
  const meter = createProgressMeter()
  let batch: Batch | null = null
  let written = ''
  let status = ''
  let ended = false
  // What takes no time needs no line that says it is being done.
  let at = performance.now()
  const say = (text: string) => screen.write(`${text}\n`)
  const due = () => performance.now() - at >= lineMs
  const write = (text: string) => {
    at = performance.now()
    if (text !== written) say(text)
    written = text
  }
  const writeBatch = () => {
    if (batch !== null) write(progressLine(batch, meter.read(performance.now())))
  }
  return {
    note: (text) => say(inert(text)),
    doing(text) {
      if (due()) write(text)
    },
    show(next) {
      const turned = next.status !== status
      batch = next
      status = next.status
      meter.add({ done: doneOf(next.counts), total: next.counts.total }, performance.now())
      if (turned || due()) writeBatch()
    },
    end() {
      if (!ended) writeBatch()
      ended = true
    },
  }
}
