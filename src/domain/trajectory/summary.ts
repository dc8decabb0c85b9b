import type { TrajectorySummary } from '../../schemas/trajectory-view.ts'
import type { Trajectory } from './trajectory.ts'

/** Counts the steps, parts and characters of a trajectory. */
export function summarize(trajectory: Trajectory) {
  const parts = trajectory.steps.flatMap((step) => step.parts)
  return {
    id: trajectory.id,
    format: trajectory.format,
    agent: trajectory.agent,
    steps: trajectory.steps.length,
    parts: parts.length,
    chars: parts.reduce((sum, part) => sum + part.text.length, 0),
    first_step: trajectory.steps[0]?.id ?? 0,
    last_step: trajectory.steps.at(-1)?.id ?? 0,
    warnings: [...trajectory.warnings],
  } satisfies TrajectorySummary
}
