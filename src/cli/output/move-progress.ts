import { createLogUpdate } from 'log-update'
import { count } from '../../domain/count.ts'
import type { MoveProgress } from '../../ports/move-ports.ts'
import type { Screen } from '../client/shell.ts'
import { clip, paintFor } from '../results/terminal-text.ts'

/** What a move shows while it goes, on stderr: stdout is for its report. */
interface MoveView {
  show(progress: MoveProgress): void
  end(): void
}

const LINE_MS = 5_000
const FRAME_MS = 100
const BAR = 24

const WORDS: Readonly<Record<MoveProgress['step'], string>> = {
  read: 'reading the source',
  move: 'moving',
  verify: 'verifying',
}

/** Rows a second of one step in one project; what was there before counts for nothing. */
function createRate(): (progress: MoveProgress, now: number) => number | null {
  let [name, from, at] = ['', 0, 0]
  return ({ project, step, done }, now) => {
    const next = `${project}/${step}`
    if (next !== name) [name, from, at] = [next, done, now]
    const seconds = (now - at) / 1000
    return seconds > 0.5 && done > from ? (done - from) / seconds : null
  }
}

/** One line: which project, what is done, how far that is. */
export function moveLine(progress: MoveProgress, rate: number | null, bar: boolean): string {
  const { project, step, table, done, total } = progress
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const parts = [
    `${project}: ${WORDS[step]} ${table}`,
    ...(bar ? ['█'.repeat(Math.round(share * BAR)).padEnd(BAR, '░')] : []),
    ...[`${Math.floor(share * 100)}%`, `${done} of ${count(total, 'row')}`],
    ...(rate === null ? [] : [`${Math.round(rate)} rows/s`]),
    ...(rate === null || done >= total ? [] : [`${Math.ceil((total - done) / rate)} s left`]),
  ]
  return parts.join('  ')
}

/** A line that is drawn again and again on a terminal; elsewhere a line when something else begins, and now and then. */
export function createMoveView(screen: Screen, env: NodeJS.ProcessEnv): MoveView {
  // A terminal of no size (under `expect`, in some CI) has no room for a frame.
  const live = screen.isTTY === true && screen.columns !== 0 && screen.rows !== 0 && env['TERM'] !== 'dumb'
  return live ? createLive(screen, env) : createPlain(screen)
}

function createLive(screen: Screen, env: NodeJS.ProcessEnv): MoveView {
  const update = createLogUpdate(screen as NodeJS.WriteStream)
  const paint = paintFor(screen, env)
  const rateOf = createRate()
  let drawn = 0
  return {
    show(progress) {
      const now = performance.now()
      const rate = rateOf(progress, now)
      if (now - drawn < FRAME_MS) return
      drawn = now
      update(paint('cyan', clip(moveLine(progress, rate, true), (screen.columns ?? 80) - 1)))
    },
    end() {
      update.clear()
      update.done()
    },
  }
}

function createPlain(screen: Screen): MoveView {
  const rateOf = createRate()
  let [said, name] = [0, '']
  return {
    show(progress) {
      const now = performance.now()
      const rate = rateOf(progress, now)
      const next = `${progress.project}/${progress.step}`
      if (next === name && now - said < LINE_MS) return
      ;[said, name] = [now, next]
      screen.write(`${moveLine(progress, rate, false)}\n`)
    },
    end() {},
  }
}
