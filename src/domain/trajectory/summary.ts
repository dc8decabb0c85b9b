import type { TrajectorySummary } from '../../schemas/views.ts'
import type { Part, Trajectory } from './trajectory.ts'

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

/** Estimates the memory that a trajectory takes: UTF-16 units of its texts and pictures, and a constant for every step. */
export const textSize = ({ steps }: Trajectory): number =>
  steps.reduce((sum, { parts }) => parts.reduce(addPart, sum + STEP), 1000)

/** Adds the text of a part and the base64 of its picture, which only the part keeps. */
const addPart = (sum: number, { text, picture }: Part): number => sum + text.length + (picture?.data.length ?? 0)

const STEP = 200
