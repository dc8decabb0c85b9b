import { count } from '../../domain/count.ts'
import type { MoveProgress } from '../../ports/move-ports.ts'
import { createProgressMeter } from './progress-meter.ts'
import { percent, speed } from './progress-text.ts'

const WORDS: Readonly<Record<MoveProgress['step'], string>> = {
  read: 'reading the source',
  move: 'moving',
  verify: 'verifying',
}

/** How far a move is, on one line: which project, what is done, how fast. What was done before a step began counts for nothing. */
export function moveTeller(): (progress: MoveProgress, now: number) => string {
  let [name, meter] = ['', createProgressMeter()]
  return ({ project, step, table, done, total }, now) => {
    const next = `${project}: ${WORDS[step]}`
    if (next !== name) [name, meter] = [next, createProgressMeter()]
    meter.add({ done, total }, now)
    const figures = meter.read(now)
    return [`${name} ${table}`, percent(figures), `${done} of ${count(total, 'row')}`, ...speed(figures)].join('  ')
  }
}
