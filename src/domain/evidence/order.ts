import { isBefore, isRepeat, type Position, type Trajectory } from '../trajectory/trajectory.ts'

/**
 * Whether an act happened after a sight, as far as the record tells: by its place, and by every other clock that both have. A step whose
 * timestamp or own id lies before that of the sight was put behind it by the author of the file. Copied context repeats what was done before.
 */
export function happensAfter(trajectory: Trajectory, act: Position, sight: Position): boolean {
  if (isRepeat(trajectory, act.step) || !isBefore(sight, act)) return false
  if (act.step === sight.step) return true
  const later = trajectory.steps[act.step]
  const earlier = trajectory.steps[sight.step]
  if (later === undefined || earlier === undefined) return false
  const isLaterByClock = later.at === null || earlier.at === null || later.at >= earlier.at
  return isLaterByClock && later.id > earlier.id
}
