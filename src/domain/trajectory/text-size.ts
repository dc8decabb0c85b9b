import type { Part, Trajectory } from './trajectory.ts'

/** Estimates the memory that a trajectory takes: UTF-16 units of its texts and pictures, and a constant for every step. */
export const textSize = ({ steps }: Trajectory): number =>
  steps.reduce((sum, { parts }) => parts.reduce(addPart, sum + STEP), 1000)

/** Adds the text of a part and the base64 of its picture, which only the part keeps. */
const addPart = (sum: number, { text, picture }: Part): number => sum + text.length + (picture?.data.length ?? 0)

const STEP = 200
